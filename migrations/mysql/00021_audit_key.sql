-- The idempotency key of the request that an entry tells of; empty without one.
-- +goose Up
ALTER TABLE audit_entries ADD COLUMN idempotency_key VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE audit_entries DROP COLUMN idempotency_key;
