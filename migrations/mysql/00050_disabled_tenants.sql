-- Since when nobody of a tenant may come in; null where they may.
-- +goose Up
-- MySQL has no ADD COLUMN IF NOT EXISTS: a column that is there makes the statement one that does nothing.
SET @statement = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE tenants ADD COLUMN disabled_time DATETIME(6) NULL')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'tenants' AND column_name = 'disabled_time');
PREPARE statement FROM @statement;
EXECUTE statement;
DEALLOCATE PREPARE statement;

-- +goose Down
ALTER TABLE tenants DROP COLUMN disabled_time;
