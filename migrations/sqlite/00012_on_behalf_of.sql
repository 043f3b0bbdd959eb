-- The customer for whom an API token acted; NULL when it acted for itself.
-- +goose Up
ALTER TABLE audit_entries ADD COLUMN on_behalf_of INTEGER NULL;

-- +goose Down
ALTER TABLE audit_entries DROP COLUMN on_behalf_of;
