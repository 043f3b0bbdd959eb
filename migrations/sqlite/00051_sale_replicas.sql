-- A sale can ask that replicas of Redis have a purchase before it is accepted.
-- +goose Up
ALTER TABLE flash_sales ADD COLUMN replicas INTEGER NULL; -- null: none
ALTER TABLE flash_sale_histories ADD COLUMN replicas INTEGER NULL;

-- +goose Down
ALTER TABLE flash_sale_histories DROP COLUMN replicas;
ALTER TABLE flash_sales DROP COLUMN replicas;
