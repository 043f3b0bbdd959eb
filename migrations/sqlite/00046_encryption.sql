-- Which keys have encrypted values, each with a text that it encrypted: see internal/base/encryption.
-- The value of a secret config is in sealed_value, encrypted with the key value_key names; value is '' then.
-- +goose Up
CREATE TABLE encryption_keys (
  id           TEXT     NOT NULL PRIMARY KEY,
  check_value  BLOB     NOT NULL,
  created_time DATETIME NOT NULL
);

ALTER TABLE configs ADD COLUMN secret BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE configs ADD COLUMN sealed_value BLOB NULL;
ALTER TABLE configs ADD COLUMN value_key TEXT NOT NULL DEFAULT '';
ALTER TABLE config_histories ADD COLUMN secret BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE config_histories ADD COLUMN sealed_value BLOB NULL;
ALTER TABLE config_histories ADD COLUMN value_key TEXT NOT NULL DEFAULT '';

-- +goose Down
DROP TABLE encryption_keys;
ALTER TABLE config_histories DROP COLUMN value_key;
ALTER TABLE config_histories DROP COLUMN sealed_value;
ALTER TABLE config_histories DROP COLUMN secret;
ALTER TABLE configs DROP COLUMN value_key;
ALTER TABLE configs DROP COLUMN sealed_value;
ALTER TABLE configs DROP COLUMN secret;
