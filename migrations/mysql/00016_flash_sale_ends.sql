-- SQL is where every ticket of a flash sale ends: in an order, or here.
-- +goose Up
CREATE TABLE flash_sale_rejections (
  tenant_id    BIGINT       NOT NULL,
  ticket       VARCHAR(64)  NOT NULL,
  sale_id      BIGINT       NOT NULL,
  user_id      VARCHAR(64)  NOT NULL,
  units        BIGINT       NOT NULL, -- 0 when the ticket was lost and nobody knows
  reason       VARCHAR(32)  NOT NULL,
  created_time DATETIME(6)  NOT NULL,
  PRIMARY KEY (tenant_id, ticket),
  KEY ix_flash_sale_rejections_sale (tenant_id, sale_id, ticket)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

ALTER TABLE flash_sale_stocks
  ADD COLUMN rejected BIGINT     NOT NULL DEFAULT 0, -- tickets in flash_sale_rejections
  ADD COLUMN finished TINYINT(1) NOT NULL DEFAULT 0, -- closed, and nothing of it is in flight
  ADD KEY ix_flash_sale_stocks_finished (finished, tenant_id, sale_id);

-- What customers hold of a sale is counted by its orders.
ALTER TABLE orders ADD KEY ix_orders_sale_user (tenant_id, sale_id, user_id);

-- Epochs below the floor are over; units withheld are on their way out of the allotment.
-- Users are named by the shop.
ALTER TABLE flash_sale_gates
  ADD COLUMN epoch_floor BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN withheld    BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN working     BIGINT NOT NULL DEFAULT 0, -- tickets that are processing
  ADD COLUMN buried      BIGINT NOT NULL DEFAULT 0; -- tickets that are dead
UPDATE flash_sale_gates g SET
  working = (SELECT COUNT(*) FROM flash_sale_tickets t WHERE t.sale_id = g.sale_id AND t.state = 'processing'),
  buried  = (SELECT COUNT(*) FROM flash_sale_tickets t WHERE t.sale_id = g.sale_id AND t.state = 'dead');
ALTER TABLE flash_sale_tickets MODIFY COLUMN user_id VARCHAR(64) NOT NULL;
ALTER TABLE flash_sale_buyers MODIFY COLUMN user_id VARCHAR(64) NOT NULL;

ALTER TABLE mq_queues DROP COLUMN paused;

-- +goose Down
ALTER TABLE mq_queues ADD COLUMN paused TINYINT(1) NOT NULL DEFAULT 0;
ALTER TABLE flash_sale_buyers MODIFY COLUMN user_id BIGINT NOT NULL;
ALTER TABLE flash_sale_tickets MODIFY COLUMN user_id BIGINT NOT NULL;
ALTER TABLE flash_sale_gates DROP COLUMN buried, DROP COLUMN working, DROP COLUMN withheld, DROP COLUMN epoch_floor;
ALTER TABLE orders DROP KEY ix_orders_sale_user;
ALTER TABLE flash_sale_stocks DROP KEY ix_flash_sale_stocks_finished, DROP COLUMN finished, DROP COLUMN rejected;
DROP TABLE flash_sale_rejections;
