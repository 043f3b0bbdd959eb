-- SQL is where every ticket of a flash sale ends: in an order, or here.
-- +goose Up
CREATE TABLE flash_sale_rejections (
  tenant_id INTEGER NOT NULL,
  ticket TEXT NOT NULL,
  sale_id INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  units INTEGER NOT NULL, -- 0 when the ticket was lost and nobody knows
  reason TEXT NOT NULL,
  created_time DATETIME NOT NULL,
  PRIMARY KEY (tenant_id, ticket)
);
CREATE INDEX ix_flash_sale_rejections_sale ON flash_sale_rejections (tenant_id, sale_id, ticket);

ALTER TABLE flash_sale_stocks ADD COLUMN rejected INTEGER NOT NULL DEFAULT 0; -- tickets in flash_sale_rejections
ALTER TABLE flash_sale_stocks ADD COLUMN finished BOOLEAN NOT NULL DEFAULT FALSE; -- closed, and nothing of it is in flight
CREATE INDEX ix_flash_sale_stocks_finished ON flash_sale_stocks (finished, tenant_id, sale_id);

-- What customers hold of a sale is counted by its orders.
CREATE INDEX ix_orders_sale_user ON orders (tenant_id, sale_id, user_id);

-- Epochs below the floor are over; units withheld are on their way out of the allotment.
ALTER TABLE flash_sale_gates ADD COLUMN epoch_floor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE flash_sale_gates ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;
ALTER TABLE flash_sale_gates ADD COLUMN working INTEGER NOT NULL DEFAULT 0; -- tickets that are processing
ALTER TABLE flash_sale_gates ADD COLUMN buried INTEGER NOT NULL DEFAULT 0; -- tickets that are dead
UPDATE flash_sale_gates SET
  working = (SELECT COUNT(*) FROM flash_sale_tickets t WHERE t.sale_id = flash_sale_gates.sale_id AND t.state = 'processing'),
  buried  = (SELECT COUNT(*) FROM flash_sale_tickets t WHERE t.sale_id = flash_sale_gates.sale_id AND t.state = 'dead');

-- Users are named by the shop.
CREATE TABLE flash_sale_tickets_new (
  sale_id INTEGER NOT NULL,
  ticket TEXT NOT NULL,
  tenant_id INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  units INTEGER NOT NULL,
  state TEXT NOT NULL,
  accepted INTEGER NOT NULL, -- µs since 1970
  ahead INTEGER NOT NULL, -- tickets that waited then
  confirmed INTEGER NOT NULL, -- µs since 1970, 0: it is not
  order_id INTEGER NOT NULL, -- 0: none
  order_no TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (sale_id, ticket)
);
INSERT INTO flash_sale_tickets_new SELECT sale_id, ticket, tenant_id, CAST(user_id AS TEXT), units, state, accepted, ahead, confirmed, order_id, order_no, reason
  FROM flash_sale_tickets;
DROP TABLE flash_sale_tickets;
ALTER TABLE flash_sale_tickets_new RENAME TO flash_sale_tickets;
CREATE INDEX ix_flash_sale_tickets_accepted ON flash_sale_tickets (sale_id, accepted);
CREATE INDEX ix_flash_sale_tickets_confirmed ON flash_sale_tickets (sale_id, confirmed);
CREATE TABLE flash_sale_buyers_new (
  sale_id INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  tenant_id INTEGER NOT NULL,
  units INTEGER NOT NULL,
  ticket TEXT NOT NULL, -- the latest
  PRIMARY KEY (sale_id, user_id)
);
INSERT INTO flash_sale_buyers_new SELECT sale_id, CAST(user_id AS TEXT), tenant_id, units, ticket FROM flash_sale_buyers;
DROP TABLE flash_sale_buyers;
ALTER TABLE flash_sale_buyers_new RENAME TO flash_sale_buyers;

ALTER TABLE mq_queues DROP COLUMN paused;

-- +goose Down
ALTER TABLE mq_queues ADD COLUMN paused BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE flash_sale_gates DROP COLUMN buried;
ALTER TABLE flash_sale_gates DROP COLUMN working;
ALTER TABLE flash_sale_gates DROP COLUMN withheld;
ALTER TABLE flash_sale_gates DROP COLUMN epoch_floor;
DROP INDEX ix_orders_sale_user;
DROP INDEX ix_flash_sale_stocks_finished;
ALTER TABLE flash_sale_stocks DROP COLUMN finished;
ALTER TABLE flash_sale_stocks DROP COLUMN rejected;
DROP TABLE flash_sale_rejections;
