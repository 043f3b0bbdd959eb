-- Replies kept under their idempotency keys: see package idempotency.
-- Keys are VARBINARY, because a text column would take "a" and "a " for one.
-- +goose Up
CREATE TABLE idempotency_keys (
  id               BIGINT         NOT NULL AUTO_INCREMENT,
  tenant_id        BIGINT         NOT NULL,
  scope            VARCHAR(64)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  idempotency_key  VARBINARY(128) NOT NULL,
  fingerprint      BINARY(32)     NOT NULL,
  method           VARCHAR(8)     NOT NULL,
  path             VARCHAR(1024)  NOT NULL,
  request_id       VARCHAR(128)   NOT NULL,
  actor_kind       VARCHAR(16)    NOT NULL,
  actor_id         BIGINT         NOT NULL,
  actor_name       VARCHAR(100)   NOT NULL,
  on_behalf_of     BIGINT         NULL,
  status           SMALLINT       NOT NULL,
  reply            MEDIUMBLOB     NULL,
  location         VARCHAR(1024)  NOT NULL,
  seal_key         VARCHAR(64)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  duration_us      BIGINT         NOT NULL,
  replays          BIGINT         NOT NULL,
  last_replay_time DATETIME(6)    NULL,
  created_time     DATETIME(6)    NOT NULL,
  expires_time     DATETIME(6)    NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_idempotency_keys_key (tenant_id, scope, idempotency_key),
  KEY ix_idempotency_keys_search (tenant_id, idempotency_key, id),
  KEY ix_idempotency_keys_time (tenant_id, id),
  KEY ix_idempotency_keys_expires (expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE idempotency_keys;
