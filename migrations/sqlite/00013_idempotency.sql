-- Replies kept under their idempotency keys: see package idempotency.
-- +goose Up
CREATE TABLE idempotency_keys (
  id               INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id        INTEGER  NOT NULL,
  scope            TEXT     NOT NULL,
  idempotency_key  TEXT     NOT NULL,
  fingerprint      BLOB     NOT NULL,
  method           TEXT     NOT NULL,
  path             TEXT     NOT NULL,
  request_id       TEXT     NOT NULL,
  actor_kind       TEXT     NOT NULL,
  actor_id         INTEGER  NOT NULL,
  actor_name       TEXT     NOT NULL,
  on_behalf_of     INTEGER  NULL,
  status           INTEGER  NOT NULL,
  reply            BLOB     NULL,
  location         TEXT     NOT NULL,
  seal_key         TEXT     NOT NULL,
  duration_us      INTEGER  NOT NULL,
  replays          INTEGER  NOT NULL,
  last_replay_time DATETIME NULL,
  created_time     DATETIME NOT NULL,
  expires_time     DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_idempotency_keys_key ON idempotency_keys (tenant_id, scope, idempotency_key);
CREATE INDEX ix_idempotency_keys_search ON idempotency_keys (tenant_id, idempotency_key, id);
CREATE INDEX ix_idempotency_keys_time ON idempotency_keys (tenant_id, id);
CREATE INDEX ix_idempotency_keys_expires ON idempotency_keys (expires_time);

-- +goose Down
DROP TABLE idempotency_keys;
