-- What tells a repeat from another request is encrypted beside its reply, and fingerprint is random then:
-- see internal/edge/idempotency. When nothing is encrypted with a key any more, it has retired_time.
-- +goose Up
ALTER TABLE idempotency_keys ADD COLUMN sealed_fingerprint BLOB NULL;
ALTER TABLE encryption_keys ADD COLUMN retired_time DATETIME NULL;

-- +goose Down
ALTER TABLE encryption_keys DROP COLUMN retired_time;
ALTER TABLE idempotency_keys DROP COLUMN sealed_fingerprint;
