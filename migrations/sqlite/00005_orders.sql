-- +goose Up
CREATE TABLE orders (
  id                INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id         INTEGER  NOT NULL,
  version           INTEGER  NOT NULL,
  created_time      DATETIME NOT NULL,
  updated_time      DATETIME NOT NULL,
  updated_by        INTEGER  NOT NULL,
  updated_by_name   TEXT     NOT NULL,
  order_no          TEXT     NOT NULL,
  user_id           INTEGER  NOT NULL,
  status            INTEGER  NOT NULL,
  discount          INTEGER  NOT NULL,
  amount            INTEGER  NOT NULL,
  coupon_code       TEXT     NOT NULL,
  payment_method    TEXT     NOT NULL,
  payment_reference TEXT     NOT NULL,
  carrier           TEXT     NOT NULL,
  tracking_no       TEXT     NOT NULL,
  cancel_reason     TEXT     NOT NULL
);
CREATE UNIQUE INDEX uq_orders_no ON orders (tenant_id, order_no);
CREATE INDEX ix_orders_id ON orders (tenant_id, id);
CREATE INDEX ix_orders_status ON orders (tenant_id, status, id);
CREATE INDEX ix_orders_user ON orders (tenant_id, user_id, id);
CREATE INDEX ix_orders_created ON orders (tenant_id, created_time, id);
CREATE INDEX ix_orders_amount ON orders (tenant_id, amount, id);
CREATE INDEX ix_orders_updated ON orders (tenant_id, updated_time, id);

CREATE TABLE order_lines (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL,
  order_id  INTEGER NOT NULL,
  sku       TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  price     INTEGER NOT NULL,
  quantity  INTEGER NOT NULL
);
CREATE UNIQUE INDEX uq_order_lines_sku ON order_lines (tenant_id, order_id, sku);
CREATE INDEX ix_order_lines_sku ON order_lines (tenant_id, sku);

CREATE TABLE order_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  order_id        INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: the order was placed
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_order_histories_version ON order_histories (tenant_id, order_id, version);

-- +goose Down
DROP TABLE order_histories;
DROP TABLE order_lines;
DROP TABLE orders;
