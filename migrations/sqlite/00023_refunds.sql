-- What was paid for an order, what of that refunds have reserved and what they have given
-- back; and the refunds. What the wallets gave back for cancelled orders before becomes
-- refunds that are settled, under the reference that their entries have.
-- +goose Up
CREATE TABLE refunds (
  id                INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id         INTEGER  NOT NULL,
  version           INTEGER  NOT NULL,
  created_time      DATETIME NOT NULL,
  updated_time      DATETIME NOT NULL,
  updated_by        INTEGER  NOT NULL,
  updated_by_name   TEXT     NOT NULL,
  order_id          INTEGER  NOT NULL,
  order_no          TEXT     NOT NULL,
  user_id           TEXT     NOT NULL,
  amount            INTEGER  NOT NULL,
  method            TEXT     NOT NULL,
  origin            TEXT     NOT NULL,
  status            INTEGER  NOT NULL,
  reason            TEXT     NOT NULL,
  requested_by      INTEGER  NOT NULL,
  requested_by_name TEXT     NOT NULL,
  approved_by       INTEGER      NULL, -- null: nobody approved it
  approved_by_name  TEXT     NOT NULL,
  approved_time     DATETIME     NULL,
  reference         TEXT     NOT NULL, -- empty: no money has moved
  status_reason     TEXT     NOT NULL
);
CREATE INDEX ix_refunds_id ON refunds (tenant_id, id);
CREATE INDEX ix_refunds_order ON refunds (tenant_id, order_id, id);
CREATE INDEX ix_refunds_status ON refunds (tenant_id, status, id);
CREATE INDEX ix_refunds_user ON refunds (tenant_id, user_id, id);
CREATE INDEX ix_refunds_created ON refunds (tenant_id, created_time, id);
CREATE INDEX ix_refunds_amount ON refunds (tenant_id, amount, id);
CREATE INDEX ix_refunds_updated ON refunds (tenant_id, updated_time, id);
CREATE INDEX ix_refunds_reference ON refunds (tenant_id, reference, id);

CREATE TABLE refund_lines (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL,
  refund_id INTEGER NOT NULL,
  order_id  INTEGER NOT NULL,
  sku       TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  quantity  INTEGER NOT NULL,
  restock   BOOLEAN NOT NULL,
  worth     INTEGER NOT NULL -- the pieces' share of what was paid, whatever of it is refunded
);
CREATE UNIQUE INDEX uq_refund_lines_sku ON refund_lines (tenant_id, refund_id, sku);
CREATE INDEX ix_refund_lines_order ON refund_lines (tenant_id, order_id);

CREATE TABLE refund_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  refund_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: the refund was requested
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_refund_histories_version ON refund_histories (tenant_id, refund_id, version);

ALTER TABLE orders ADD COLUMN paid INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN refund_reserved INTEGER NOT NULL DEFAULT 0;
ALTER TABLE orders ADD COLUMN refunded INTEGER NOT NULL DEFAULT 0;

INSERT INTO refunds (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, order_id, order_no, user_id, amount, method, origin,
    status, reason, requested_by, requested_by_name, approved_by, approved_by_name, approved_time, reference, status_reason)
  SELECT o.tenant_id, 1, e.created_time, e.created_time, e.created_by, e.created_by_name, o.id, o.order_no, o.user_id, e.amount, 'wallet', 'cancellation',
    3, o.cancel_reason, e.created_by, e.created_by_name, NULL, '', NULL, e.reference, ''
  FROM orders o
  JOIN wallet_entries e ON e.tenant_id = o.tenant_id AND e.user_id = o.user_id AND e.reference = '@orders/' || o.id || '/refund'
  ORDER BY e.id;

INSERT INTO refund_histories (tenant_id, refund_id, version, action, from_status, to_status, detail, changed_by, changed_by_name, changed_time)
  SELECT r.tenant_id, r.id, 1, 'upgrade', NULL, 3, json_object('reference', r.reference), r.updated_by, r.updated_by_name, r.updated_time
  FROM refunds r;

UPDATE orders SET paid = amount WHERE payment_method <> '';
UPDATE orders SET refunded = (SELECT SUM(r.amount) FROM refunds r WHERE r.tenant_id = orders.tenant_id AND r.order_id = orders.id)
  WHERE EXISTS (SELECT 1 FROM refunds r WHERE r.tenant_id = orders.tenant_id AND r.order_id = orders.id);

-- +goose Down
ALTER TABLE orders DROP COLUMN paid;
ALTER TABLE orders DROP COLUMN refund_reserved;
ALTER TABLE orders DROP COLUMN refunded;
DROP TABLE refund_histories;
DROP TABLE refund_lines;
DROP TABLE refunds;
