-- Since when nobody of a tenant may come in; null where they may.
-- +goose Up
ALTER TABLE tenants ADD COLUMN disabled_time DATETIME NULL;

-- +goose Down
ALTER TABLE tenants DROP COLUMN disabled_time;
