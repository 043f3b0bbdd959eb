-- A unit that stands on an item, or takes a step at a gate in these tables, writes a row where it
-- locked one before.
-- +goose Up
ALTER TABLE items ADD COLUMN uses INTEGER NOT NULL DEFAULT 0; -- units that have stood on the item as it was; nothing reads it
ALTER TABLE flash_sale_gates ADD COLUMN revision INTEGER NOT NULL DEFAULT 0; -- steps that have changed something at the gate

-- +goose Down
ALTER TABLE flash_sale_gates DROP COLUMN revision;
ALTER TABLE items DROP COLUMN uses;
