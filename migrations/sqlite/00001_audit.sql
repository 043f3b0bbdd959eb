-- +goose Up
CREATE TABLE audit_entries (
  id            INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id     INTEGER  NOT NULL,
  unit_id       TEXT     NOT NULL,
  request_id    TEXT     NOT NULL DEFAULT '',
  actor_kind    TEXT     NOT NULL,
  actor_id      INTEGER  NOT NULL,
  actor_name    TEXT     NOT NULL,
  credential_id TEXT     NOT NULL DEFAULT '',
  action        TEXT     NOT NULL,
  resource      TEXT     NOT NULL,
  detail        TEXT     NOT NULL,
  note          TEXT     NOT NULL DEFAULT '',
  created_time  DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_audit_entries_unit ON audit_entries (unit_id);
CREATE INDEX ix_audit_entries_resource ON audit_entries (tenant_id, resource, id);
CREATE INDEX ix_audit_entries_time ON audit_entries (tenant_id, id);

-- +goose Down
DROP TABLE audit_entries;
