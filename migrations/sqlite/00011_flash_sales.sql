-- A flash sale sells an allotment of one item. flash_sale_stocks is what SQL knows of its
-- units; the gate's three tables are used when there is no Redis to keep the gate.
-- +goose Up
CREATE TABLE flash_sales (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_time DATETIME NOT NULL,
  updated_time DATETIME NOT NULL,
  updated_by INTEGER NOT NULL,
  updated_by_name TEXT NOT NULL,
  name TEXT NOT NULL,
  sku TEXT NOT NULL,
  price INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  per_user_limit INTEGER NOT NULL,
  starts_time DATETIME NOT NULL,
  ends_time DATETIME NOT NULL,
  queue_cap INTEGER NULL, -- null: none
  rate INTEGER NULL, -- null: as fast as it goes
  item_name TEXT NOT NULL, -- '' until it was opened
  status INTEGER NOT NULL,
  secret TEXT NOT NULL
);
CREATE INDEX ix_flash_sales_id ON flash_sales (tenant_id, id);
CREATE INDEX ix_flash_sales_starts ON flash_sales (tenant_id, starts_time, id);
CREATE INDEX ix_flash_sales_updated ON flash_sales (tenant_id, updated_time, id);
CREATE INDEX ix_flash_sales_status ON flash_sales (status, id);
CREATE INDEX ix_flash_sales_active ON flash_sales (tenant_id, status, id);
CREATE INDEX ix_flash_sales_name ON flash_sales (tenant_id, name, id);

CREATE TABLE flash_sale_histories (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL,
  sale_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  action TEXT NOT NULL,
  name TEXT NOT NULL,
  sku TEXT NOT NULL,
  price INTEGER NOT NULL,
  quantity INTEGER NOT NULL,
  per_user_limit INTEGER NOT NULL,
  starts_time DATETIME NOT NULL,
  ends_time DATETIME NOT NULL,
  queue_cap INTEGER NULL,
  rate INTEGER NULL,
  item_name TEXT NOT NULL,
  status INTEGER NOT NULL,
  note TEXT NOT NULL,
  changed_by INTEGER NOT NULL,
  changed_by_name TEXT NOT NULL,
  changed_time DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_flash_sale_histories_version ON flash_sale_histories (tenant_id, sale_id, version);

CREATE TABLE flash_sale_stocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  created_time DATETIME NOT NULL,
  updated_time DATETIME NOT NULL,
  updated_by INTEGER NOT NULL,
  updated_by_name TEXT NOT NULL,
  sale_id INTEGER NOT NULL,
  allotted INTEGER NOT NULL,
  sold INTEGER NOT NULL,
  epoch INTEGER NOT NULL, -- how often the gate was built
  CONSTRAINT ck_flash_sale_stocks_sold CHECK (sold >= 0 AND sold <= allotted)
);
CREATE UNIQUE INDEX uq_flash_sale_stocks_sale ON flash_sale_stocks (tenant_id, sale_id);

CREATE TABLE flash_sale_gates (
  sale_id INTEGER NOT NULL,
  tenant_id INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  version INTEGER NOT NULL, -- of the sale's row that the rules are from
  stock_version INTEGER NOT NULL, -- of the stock's row that allotted is from
  is_open BOOLEAN NOT NULL,
  starts INTEGER NOT NULL, -- µs since 1970, like ends
  ends INTEGER NOT NULL,
  user_limit INTEGER NOT NULL,
  queue_cap INTEGER NOT NULL, -- 0: none
  allotted INTEGER NOT NULL,
  remaining INTEGER NOT NULL,
  queued INTEGER NOT NULL,
  processing INTEGER NOT NULL,
  dead INTEGER NOT NULL,
  confirmed INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  returned INTEGER NOT NULL,
  waiting INTEGER NOT NULL, -- tickets that are queued
  PRIMARY KEY (sale_id)
);

CREATE TABLE flash_sale_tickets (
  sale_id INTEGER NOT NULL,
  ticket TEXT NOT NULL,
  tenant_id INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
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
CREATE INDEX ix_flash_sale_tickets_accepted ON flash_sale_tickets (sale_id, accepted);
CREATE INDEX ix_flash_sale_tickets_confirmed ON flash_sale_tickets (sale_id, confirmed);

CREATE TABLE flash_sale_buyers (
  sale_id INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  tenant_id INTEGER NOT NULL,
  units INTEGER NOT NULL,
  ticket TEXT NOT NULL, -- the latest
  PRIMARY KEY (sale_id, user_id)
);

ALTER TABLE orders ADD COLUMN sale_id INTEGER NULL; -- null: not from a flash sale
ALTER TABLE orders ADD COLUMN ticket TEXT NULL;
ALTER TABLE orders ADD COLUMN payment_due DATETIME NULL; -- null: no hurry, or paid, or cancelled
CREATE UNIQUE INDEX uq_orders_ticket ON orders (tenant_id, ticket);
CREATE INDEX ix_orders_sale ON orders (tenant_id, sale_id, id);
CREATE INDEX ix_orders_due ON orders (payment_due);

-- +goose Down
DROP INDEX ix_orders_due;
DROP INDEX ix_orders_sale;
DROP INDEX uq_orders_ticket;
ALTER TABLE orders DROP COLUMN payment_due;
ALTER TABLE orders DROP COLUMN ticket;
ALTER TABLE orders DROP COLUMN sale_id;
DROP TABLE flash_sale_buyers;
DROP TABLE flash_sale_tickets;
DROP TABLE flash_sale_gates;
DROP TABLE flash_sale_stocks;
DROP TABLE flash_sale_histories;
DROP TABLE flash_sales;
