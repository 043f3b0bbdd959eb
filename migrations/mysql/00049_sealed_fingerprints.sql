-- What tells a repeat from another request is encrypted beside its reply, and fingerprint is random then:
-- see internal/edge/idempotency. When nothing is encrypted with a key any more, it has retired_time.
-- Each statement can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
-- MySQL has no ADD COLUMN IF NOT EXISTS: a column that is there makes the statement one that does nothing.
SET @statement = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE idempotency_keys ADD COLUMN sealed_fingerprint VARBINARY(255) NULL')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'idempotency_keys' AND column_name = 'sealed_fingerprint');
PREPARE statement FROM @statement;
EXECUTE statement;
DEALLOCATE PREPARE statement;
SET @statement = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE encryption_keys ADD COLUMN retired_time DATETIME(6) NULL')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'encryption_keys' AND column_name = 'retired_time');
PREPARE statement FROM @statement;
EXECUTE statement;
DEALLOCATE PREPARE statement;

-- +goose Down
ALTER TABLE encryption_keys DROP COLUMN retired_time;
ALTER TABLE idempotency_keys DROP COLUMN sealed_fingerprint;
