-- The key of the installation's signatures on the cookies by which browsers are known to
-- accounts; the first process that needs it makes it.
-- +goose Up
ALTER TABLE installation ADD COLUMN device_key BLOB NULL;

-- +goose Down
ALTER TABLE installation DROP COLUMN device_key;
