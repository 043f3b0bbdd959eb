-- What the numbers of a flash sale were, for its charts: one row for each five seconds in which
-- they changed. The statement can be run again.
-- +goose Up
CREATE TABLE IF NOT EXISTS flash_sale_samples (
  sale_id    BIGINT      NOT NULL,
  slot       BIGINT      NOT NULL, -- taken_time in steps of five seconds since 1970
  tenant_id  BIGINT      NOT NULL,
  taken_time DATETIME(6) NOT NULL,
  stats      TEXT        NOT NULL, -- JSON
  PRIMARY KEY (sale_id, slot)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE flash_sale_samples;
