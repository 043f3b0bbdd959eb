-- The rate of a queue is one token bucket for all its consumers. The arrivals at a sale are
-- kept here when there is no Redis to keep its gate.
-- +goose Up
ALTER TABLE mq_queues ADD COLUMN rate_used INTEGER NOT NULL DEFAULT 0; -- until when the rate is used up, µs since 1970

CREATE TABLE flash_sale_arrivals (
  sale_id INTEGER NOT NULL PRIMARY KEY,
  tenant_id INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  sold_out INTEGER NOT NULL,
  limit_reached INTEGER NOT NULL,
  sale_not_open INTEGER NOT NULL,
  queue_full INTEGER NOT NULL
);

-- +goose Down
DROP TABLE flash_sale_arrivals;
ALTER TABLE mq_queues DROP COLUMN rate_used;
