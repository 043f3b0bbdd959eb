-- When the last backup of the database was begun: see package backup.
-- +goose Up
ALTER TABLE installation ADD COLUMN backup_time DATETIME(6) NULL;

-- +goose Down
ALTER TABLE installation DROP COLUMN backup_time;
