-- +goose Up
CREATE TABLE audit_entries (
  id            BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id     BIGINT       NOT NULL,
  unit_id       CHAR(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  request_id    VARCHAR(128) NOT NULL DEFAULT '',
  actor_kind    VARCHAR(16)  NOT NULL,
  actor_id      BIGINT       NOT NULL,
  actor_name    VARCHAR(100) NOT NULL,
  credential_id VARCHAR(64)  NOT NULL DEFAULT '',
  action        VARCHAR(64)  NOT NULL,
  resource      VARCHAR(191) NOT NULL,
  detail        JSON         NOT NULL,
  note          VARCHAR(500) NOT NULL DEFAULT '',
  created_time  DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_audit_entries_unit (unit_id),
  KEY ix_audit_entries_resource (tenant_id, resource, id),
  KEY ix_audit_entries_time (tenant_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE audit_entries;
