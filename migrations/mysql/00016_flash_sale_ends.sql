-- SQL is where every ticket of a flash sale ends: in an order, or here.
-- +goose Up
CREATE TABLE IF NOT EXISTS flash_sale_rejections (
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

-- rejected: tickets in flash_sale_rejections; finished: closed, and nothing of it is in flight.
SET @end_stocks = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE flash_sale_stocks ADD COLUMN rejected BIGINT NOT NULL DEFAULT 0, ADD COLUMN finished TINYINT(1) NOT NULL DEFAULT 0, ADD KEY ix_flash_sale_stocks_finished (finished, tenant_id, sale_id)')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'flash_sale_stocks' AND column_name = 'rejected');
PREPARE end_stocks FROM @end_stocks;
EXECUTE end_stocks;
DEALLOCATE PREPARE end_stocks;

-- What customers hold of a sale is counted by its orders.
SET @key_orders = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE orders ADD KEY ix_orders_sale_user (tenant_id, sale_id, user_id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'orders' AND index_name = 'ix_orders_sale_user');
PREPARE key_orders FROM @key_orders;
EXECUTE key_orders;
DEALLOCATE PREPARE key_orders;

-- Epochs below the floor are over; units withheld are on their way out of the allotment.
-- working and buried are tickets that are processing and dead. Users are named by the shop.
SET @end_gates = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE flash_sale_gates ADD COLUMN epoch_floor BIGINT NOT NULL DEFAULT 0, ADD COLUMN withheld BIGINT NOT NULL DEFAULT 0, ADD COLUMN working BIGINT NOT NULL DEFAULT 0, ADD COLUMN buried BIGINT NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'flash_sale_gates' AND column_name = 'epoch_floor');
PREPARE end_gates FROM @end_gates;
EXECUTE end_gates;
DEALLOCATE PREPARE end_gates;
UPDATE flash_sale_gates g SET
  working = (SELECT COUNT(*) FROM flash_sale_tickets t WHERE t.sale_id = g.sale_id AND t.state = 'processing'),
  buried  = (SELECT COUNT(*) FROM flash_sale_tickets t WHERE t.sale_id = g.sale_id AND t.state = 'dead');
ALTER TABLE flash_sale_tickets MODIFY COLUMN user_id VARCHAR(64) NOT NULL;
ALTER TABLE flash_sale_buyers MODIFY COLUMN user_id VARCHAR(64) NOT NULL;

SET @resume_queues = (SELECT IF(COUNT(*) = 0, 'DO 0',
    'ALTER TABLE mq_queues DROP COLUMN paused')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'mq_queues' AND column_name = 'paused');
PREPARE resume_queues FROM @resume_queues;
EXECUTE resume_queues;
DEALLOCATE PREPARE resume_queues;

-- +goose Down
ALTER TABLE mq_queues ADD COLUMN paused TINYINT(1) NOT NULL DEFAULT 0;
ALTER TABLE flash_sale_buyers MODIFY COLUMN user_id BIGINT NOT NULL;
ALTER TABLE flash_sale_tickets MODIFY COLUMN user_id BIGINT NOT NULL;
ALTER TABLE flash_sale_gates DROP COLUMN buried, DROP COLUMN working, DROP COLUMN withheld, DROP COLUMN epoch_floor;
ALTER TABLE orders DROP KEY ix_orders_sale_user;
ALTER TABLE flash_sale_stocks DROP KEY ix_flash_sale_stocks_finished, DROP COLUMN finished, DROP COLUMN rejected;
DROP TABLE flash_sale_rejections;
