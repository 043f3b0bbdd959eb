-- A change of a protected config waits as an approval until others have voted for it. What a
-- tenant sets is one row of a tenant. Each statement can be run again, so an interrupted
-- migration goes on from its beginning.
-- +goose Up
CREATE TABLE IF NOT EXISTS approvals (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  status          INT          NOT NULL,
  kind            VARCHAR(32)  NOT NULL,
  resource        VARCHAR(191) NOT NULL,
  author_id       BIGINT       NOT NULL,
  author_name     VARCHAR(100) NOT NULL,
  note            VARCHAR(500) NOT NULL,
  base_etag       VARCHAR(64)  NOT NULL, -- empty for what has no base, or several
  content         LONGTEXT     NOT NULL, -- what is proposed, in the form of its domain
  content_version BIGINT       NOT NULL, -- the version that brought the content: votes on older ones are void
  digest          CHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  open_digest     CHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NULL, -- null: not pending any more
  required        INT          NOT NULL,
  reason          VARCHAR(500) NOT NULL, -- of a rejection or a bypass
  expires_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_approvals_open (tenant_id, author_id, open_digest),
  KEY ix_approvals_status (tenant_id, status, id),
  KEY ix_approvals_waiting (tenant_id, status, expires_time),
  KEY ix_approvals_author (tenant_id, author_id, id),
  KEY ix_approvals_updated (tenant_id, updated_time, id),
  KEY ix_approvals_expires (status, expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The resources that an approval changes.
CREATE TABLE IF NOT EXISTS approval_targets (
  id          BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id   BIGINT       NOT NULL,
  approval_id BIGINT       NOT NULL,
  resource    VARCHAR(191) NOT NULL,
  pending     TINYINT(1)   NOT NULL, -- as the approval is
  PRIMARY KEY (id),
  UNIQUE KEY uq_approval_targets_resource (tenant_id, approval_id, resource),
  KEY ix_approval_targets_pending (tenant_id, resource, pending, approval_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS approval_votes (
  id          BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id   BIGINT       NOT NULL,
  approval_id BIGINT       NOT NULL,
  version     BIGINT       NOT NULL, -- of the approval that the voter read
  digest      CHAR(64)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  user_id     BIGINT       NOT NULL,
  user_name   VARCHAR(100) NOT NULL,
  verdict     VARCHAR(16)  NOT NULL,
  voted_time  DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_approval_votes_version (tenant_id, approval_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS approval_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  approval_id     BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: it was proposed
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  content         LONGTEXT         NULL, -- null: it is that of the version before
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_approval_histories_version (tenant_id, approval_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS tenant_settings (
  id                 BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id          BIGINT       NOT NULL,
  version            BIGINT       NOT NULL,
  created_time       DATETIME(6)  NOT NULL,
  updated_time       DATETIME(6)  NOT NULL,
  updated_by         BIGINT       NOT NULL,
  updated_by_name    VARCHAR(100) NOT NULL,
  approvals_required INT          NOT NULL,
  approval_days      INT          NOT NULL, -- how long a request waits for its votes
  PRIMARY KEY (id),
  UNIQUE KEY uq_tenant_settings_tenant (tenant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS tenant_setting_histories (
  id                 BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id          BIGINT       NOT NULL,
  version            BIGINT       NOT NULL,
  action             VARCHAR(16)  NOT NULL,
  approvals_required INT          NOT NULL,
  approval_days      INT          NOT NULL,
  changed_by         BIGINT       NOT NULL,
  changed_by_name    VARCHAR(100) NOT NULL,
  changed_time       DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_tenant_setting_histories_version (tenant_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT INTO tenant_settings (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, approvals_required, approval_days)
  SELECT t.id, 1, t.created_time, t.created_time, 0, 'upgrade', 1, 7 FROM tenants t
  WHERE NOT EXISTS (SELECT 1 FROM tenant_settings s WHERE s.tenant_id = t.id);
INSERT INTO tenant_setting_histories (tenant_id, version, action, approvals_required, approval_days, changed_by, changed_by_name, changed_time)
  SELECT s.tenant_id, s.version, 'upgrade', s.approvals_required, s.approval_days, s.updated_by, s.updated_by_name, s.updated_time FROM tenant_settings s
  WHERE NOT EXISTS (SELECT 1 FROM tenant_setting_histories h WHERE h.tenant_id = s.tenant_id);

-- Protected rows change only in a unit that carries an applied approval; proposed says that
-- a pending approval may name the row.
SET @protect_configs = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE configs ADD COLUMN protected TINYINT(1) NOT NULL DEFAULT 0, ADD COLUMN proposed TINYINT(1) NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'configs' AND column_name = 'protected');
PREPARE protect_configs FROM @protect_configs;
EXECUTE protect_configs;
DEALLOCATE PREPARE protect_configs;
-- approval_id 0: the version needed none.
SET @protect_histories = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE config_histories ADD COLUMN protected TINYINT(1) NOT NULL DEFAULT 0, ADD COLUMN approval_id BIGINT NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'config_histories' AND column_name = 'protected');
PREPARE protect_histories FROM @protect_histories;
EXECUTE protect_histories;
DEALLOCATE PREPARE protect_histories;

-- A unit that applies an approval tells of two resources.
SET @key_units = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE audit_entries DROP KEY uq_audit_entries_unit, ADD UNIQUE KEY uq_audit_entries_unit (unit_id, resource)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'audit_entries' AND index_name = 'uq_audit_entries_unit' AND column_name = 'resource');
PREPARE key_units FROM @key_units;
EXECUTE key_units;
DEALLOCATE PREPARE key_units;

-- +goose Down
ALTER TABLE audit_entries DROP KEY uq_audit_entries_unit, ADD KEY uq_audit_entries_unit (unit_id);
ALTER TABLE config_histories DROP COLUMN approval_id, DROP COLUMN protected;
ALTER TABLE configs DROP COLUMN proposed, DROP COLUMN protected;
DROP TABLE tenant_setting_histories;
DROP TABLE tenant_settings;
DROP TABLE approval_histories;
DROP TABLE approval_votes;
DROP TABLE approval_targets;
DROP TABLE approvals;
