-- A unit that stands on an item, or takes a step at a gate in these tables, writes a row where it
-- locked one before: a row that is only locked excludes nobody at another server of a cluster. Each
-- statement can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
-- uses counts the units that have stood on the item as it was. Nothing reads it.
SET @use_items = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE items ADD COLUMN uses BIGINT NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'items' AND column_name = 'uses');
PREPARE use_items FROM @use_items;
EXECUTE use_items;
DEALLOCATE PREPARE use_items;
-- revision counts the steps that have changed something at the gate.
SET @revise_gates = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE flash_sale_gates ADD COLUMN revision BIGINT NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'flash_sale_gates' AND column_name = 'revision');
PREPARE revise_gates FROM @revise_gates;
EXECUTE revise_gates;
DEALLOCATE PREPARE revise_gates;

-- +goose Down
ALTER TABLE flash_sale_gates DROP COLUMN revision;
ALTER TABLE items DROP COLUMN uses;
