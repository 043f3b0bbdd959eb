-- Which keys have encrypted values, each with a text that it encrypted: see internal/base/encryption.
-- Each statement can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
CREATE TABLE IF NOT EXISTS encryption_keys (
  id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  check_value  VARBINARY(255) NOT NULL,
  created_time DATETIME(6)    NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE encryption_keys;
