-- Which keys have encrypted values, each with a text that it encrypted: see internal/base/encryption.
-- The value of a secret config is in sealed_value, encrypted with the key value_key names; value is '' then.
-- Each statement can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
CREATE TABLE IF NOT EXISTS encryption_keys (
  id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  check_value  VARBINARY(255) NOT NULL,
  created_time DATETIME(6)    NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- MySQL has no ADD COLUMN IF NOT EXISTS: a column that is there makes the statement one that does nothing.
SET @statement = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE configs ADD COLUMN secret TINYINT(1) NOT NULL DEFAULT 0, ADD COLUMN sealed_value MEDIUMBLOB NULL, ADD COLUMN value_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT \'\'')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'configs' AND column_name = 'secret');
PREPARE statement FROM @statement;
EXECUTE statement;
DEALLOCATE PREPARE statement;
SET @statement = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE config_histories ADD COLUMN secret TINYINT(1) NOT NULL DEFAULT 0, ADD COLUMN sealed_value MEDIUMBLOB NULL, ADD COLUMN value_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT \'\'')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'config_histories' AND column_name = 'secret');
PREPARE statement FROM @statement;
EXECUTE statement;
DEALLOCATE PREPARE statement;

-- +goose Down
ALTER TABLE config_histories DROP COLUMN value_key, DROP COLUMN sealed_value, DROP COLUMN secret;
ALTER TABLE configs DROP COLUMN value_key, DROP COLUMN sealed_value, DROP COLUMN secret;
DROP TABLE encryption_keys;
