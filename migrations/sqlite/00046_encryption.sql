-- Which keys have encrypted values, each with a text that it encrypted: see internal/base/encryption.
-- +goose Up
CREATE TABLE encryption_keys (
  id           TEXT     NOT NULL PRIMARY KEY,
  check_value  BLOB     NOT NULL,
  created_time DATETIME NOT NULL
);

-- +goose Down
DROP TABLE encryption_keys;
