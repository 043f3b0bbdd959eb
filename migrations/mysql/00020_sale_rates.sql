-- The rate of a queue is one token bucket for all its consumers. The arrivals at a sale are
-- kept here when there is no Redis to keep its gate.
-- +goose Up
ALTER TABLE mq_queues ADD COLUMN rate_used BIGINT NOT NULL DEFAULT 0; -- until when the rate is used up, µs since 1970

CREATE TABLE flash_sale_arrivals (
  sale_id BIGINT NOT NULL,
  tenant_id BIGINT NOT NULL,
  accepted BIGINT NOT NULL,
  sold_out BIGINT NOT NULL,
  limit_reached BIGINT NOT NULL,
  sale_not_open BIGINT NOT NULL,
  queue_full BIGINT NOT NULL,
  PRIMARY KEY (sale_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE flash_sale_arrivals;
ALTER TABLE mq_queues DROP COLUMN rate_used;
