-- A sale can ask that replicas of Redis have a purchase before it is accepted. Each statement can be
-- run again, so an interrupted migration goes on from its beginning.
-- +goose Up
-- replicas: null for none.
SET @replicate_sales = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE flash_sales ADD COLUMN replicas BIGINT NULL')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'flash_sales' AND column_name = 'replicas');
PREPARE replicate_sales FROM @replicate_sales;
EXECUTE replicate_sales;
DEALLOCATE PREPARE replicate_sales;
SET @replicate_histories = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE flash_sale_histories ADD COLUMN replicas BIGINT NULL')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'flash_sale_histories' AND column_name = 'replicas');
PREPARE replicate_histories FROM @replicate_histories;
EXECUTE replicate_histories;
DEALLOCATE PREPARE replicate_histories;

-- +goose Down
ALTER TABLE flash_sale_histories DROP COLUMN replicas;
ALTER TABLE flash_sales DROP COLUMN replicas;
