-- A change of a protected config waits as an approval until others have voted for it. What a
-- tenant sets is one row of a tenant.
-- +goose Up
CREATE TABLE approvals (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  status          INTEGER  NOT NULL,
  kind            TEXT     NOT NULL,
  resource        TEXT     NOT NULL,
  author_id       INTEGER  NOT NULL,
  author_name     TEXT     NOT NULL,
  note            TEXT     NOT NULL,
  base_etag       TEXT     NOT NULL, -- empty for what has no base, or several
  content         TEXT     NOT NULL, -- what is proposed, in the form of its domain
  content_version INTEGER  NOT NULL, -- the version that brought the content: votes on older ones are void
  digest          TEXT     NOT NULL,
  open_digest     TEXT         NULL, -- null: not pending any more
  required        INTEGER  NOT NULL,
  reason          TEXT     NOT NULL, -- of a rejection or a bypass
  expires_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_approvals_open ON approvals (tenant_id, author_id, open_digest);
CREATE INDEX ix_approvals_status ON approvals (tenant_id, status, id);
CREATE INDEX ix_approvals_waiting ON approvals (tenant_id, status, expires_time);
CREATE INDEX ix_approvals_author ON approvals (tenant_id, author_id, id);
CREATE INDEX ix_approvals_updated ON approvals (tenant_id, updated_time, id);
CREATE INDEX ix_approvals_expires ON approvals (status, expires_time);

-- The resources that an approval changes.
CREATE TABLE approval_targets (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id   INTEGER NOT NULL,
  approval_id INTEGER NOT NULL,
  resource    TEXT    NOT NULL,
  pending     BOOLEAN NOT NULL -- as the approval is
);
CREATE UNIQUE INDEX uq_approval_targets_resource ON approval_targets (tenant_id, approval_id, resource);
CREATE INDEX ix_approval_targets_pending ON approval_targets (tenant_id, resource, pending, approval_id);

CREATE TABLE approval_votes (
  id          INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id   INTEGER  NOT NULL,
  approval_id INTEGER  NOT NULL,
  version     INTEGER  NOT NULL, -- of the approval that the voter read
  digest      TEXT     NOT NULL,
  user_id     INTEGER  NOT NULL,
  user_name   TEXT     NOT NULL,
  verdict     TEXT     NOT NULL,
  voted_time  DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_approval_votes_version ON approval_votes (tenant_id, approval_id, version);

CREATE TABLE approval_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  approval_id     INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: it was proposed
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  content         TEXT         NULL, -- null: it is that of the version before
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_approval_histories_version ON approval_histories (tenant_id, approval_id, version);

CREATE TABLE tenant_settings (
  id                 INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id          INTEGER  NOT NULL,
  version            INTEGER  NOT NULL,
  created_time       DATETIME NOT NULL,
  updated_time       DATETIME NOT NULL,
  updated_by         INTEGER  NOT NULL,
  updated_by_name    TEXT     NOT NULL,
  approvals_required INTEGER  NOT NULL,
  approval_days      INTEGER  NOT NULL -- how long a request waits for its votes
);
CREATE UNIQUE INDEX uq_tenant_settings_tenant ON tenant_settings (tenant_id);

CREATE TABLE tenant_setting_histories (
  id                 INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id          INTEGER  NOT NULL,
  version            INTEGER  NOT NULL,
  action             TEXT     NOT NULL,
  approvals_required INTEGER  NOT NULL,
  approval_days      INTEGER  NOT NULL,
  changed_by         INTEGER  NOT NULL,
  changed_by_name    TEXT     NOT NULL,
  changed_time       DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_tenant_setting_histories_version ON tenant_setting_histories (tenant_id, version);

INSERT INTO tenant_settings (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, approvals_required, approval_days)
  SELECT id, 1, created_time, created_time, 0, 'upgrade', 1, 7 FROM tenants;
INSERT INTO tenant_setting_histories (tenant_id, version, action, approvals_required, approval_days, changed_by, changed_by_name, changed_time)
  SELECT tenant_id, version, 'upgrade', approvals_required, approval_days, updated_by, updated_by_name, updated_time FROM tenant_settings;

-- Protected rows change only in a unit that carries an applied approval; proposed says that
-- a pending approval may name the row.
ALTER TABLE configs ADD COLUMN protected BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE configs ADD COLUMN proposed BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE config_histories ADD COLUMN protected BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE config_histories ADD COLUMN approval_id INTEGER NOT NULL DEFAULT 0; -- 0: the version needed none

-- A unit that applies an approval tells of two resources.
DROP INDEX uq_audit_entries_unit;
CREATE UNIQUE INDEX uq_audit_entries_unit ON audit_entries (unit_id, resource);

-- +goose Down
DROP INDEX uq_audit_entries_unit;
CREATE INDEX uq_audit_entries_unit ON audit_entries (unit_id);
ALTER TABLE config_histories DROP COLUMN approval_id;
ALTER TABLE config_histories DROP COLUMN protected;
ALTER TABLE configs DROP COLUMN proposed;
ALTER TABLE configs DROP COLUMN protected;
DROP TABLE tenant_setting_histories;
DROP TABLE tenant_settings;
DROP TABLE approval_histories;
DROP TABLE approval_votes;
DROP TABLE approval_targets;
DROP TABLE approvals;
