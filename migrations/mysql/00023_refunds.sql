-- What was paid for an order, what of that refunds have reserved and what they have given
-- back; and the refunds. What the wallets gave back for cancelled orders before becomes
-- refunds that are settled, under the reference that their entries have. Each statement
-- can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
CREATE TABLE IF NOT EXISTS refunds (
  id                BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id         BIGINT       NOT NULL,
  version           BIGINT       NOT NULL,
  created_time      DATETIME(6)  NOT NULL,
  updated_time      DATETIME(6)  NOT NULL,
  updated_by        BIGINT       NOT NULL,
  updated_by_name   VARCHAR(100) NOT NULL,
  order_id          BIGINT       NOT NULL,
  order_no          VARCHAR(32)  NOT NULL,
  user_id           VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  amount            BIGINT       NOT NULL,
  method            VARCHAR(16)  NOT NULL,
  origin            VARCHAR(16)  NOT NULL,
  status            INT          NOT NULL,
  reason            VARCHAR(500) NOT NULL,
  requested_by      BIGINT       NOT NULL,
  requested_by_name VARCHAR(100) NOT NULL,
  approved_by       BIGINT           NULL, -- null: nobody approved it
  approved_by_name  VARCHAR(100) NOT NULL,
  approved_time     DATETIME(6)      NULL,
  reference         VARCHAR(100) NOT NULL, -- empty: no money has moved
  status_reason     VARCHAR(500) NOT NULL,
  PRIMARY KEY (id),
  KEY ix_refunds_id (tenant_id, id),
  KEY ix_refunds_order (tenant_id, order_id, id),
  KEY ix_refunds_status (tenant_id, status, id),
  KEY ix_refunds_user (tenant_id, user_id, id),
  KEY ix_refunds_created (tenant_id, created_time, id),
  KEY ix_refunds_amount (tenant_id, amount, id),
  KEY ix_refunds_updated (tenant_id, updated_time, id),
  KEY ix_refunds_reference (tenant_id, reference, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS refund_lines (
  id        BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id BIGINT       NOT NULL,
  refund_id BIGINT       NOT NULL,
  order_id  BIGINT       NOT NULL,
  sku       VARCHAR(64)  NOT NULL,
  name      VARCHAR(200) NOT NULL,
  quantity  BIGINT       NOT NULL,
  restock   BOOLEAN      NOT NULL,
  worth     BIGINT       NOT NULL, -- the pieces' share of what was paid, whatever of it is refunded
  PRIMARY KEY (id),
  UNIQUE KEY uq_refund_lines_sku (tenant_id, refund_id, sku),
  KEY ix_refund_lines_order (tenant_id, order_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS refund_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  refund_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: the refund was requested
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_refund_histories_version (tenant_id, refund_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

SET @add_columns = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE orders ADD COLUMN paid BIGINT NOT NULL DEFAULT 0, ADD COLUMN refund_reserved BIGINT NOT NULL DEFAULT 0, ADD COLUMN refunded BIGINT NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'orders' AND column_name = 'paid');
PREPARE add_columns FROM @add_columns;
EXECUTE add_columns;
DEALLOCATE PREPARE add_columns;

INSERT INTO refunds (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, order_id, order_no, user_id, amount, method, origin,
    status, reason, requested_by, requested_by_name, approved_by, approved_by_name, approved_time, reference, status_reason)
  SELECT o.tenant_id, 1, e.created_time, e.created_time, e.created_by, e.created_by_name, o.id, o.order_no, o.user_id, e.amount, 'wallet', 'cancellation',
    3, o.cancel_reason, e.created_by, e.created_by_name, NULL, '', NULL, e.reference, ''
  FROM orders o
  JOIN wallet_entries e ON e.tenant_id = o.tenant_id AND e.user_id = o.user_id AND e.reference = CONCAT('@orders/', o.id, '/refund')
  WHERE NOT EXISTS (SELECT 1 FROM refunds r WHERE r.tenant_id = o.tenant_id AND r.order_id = o.id)
  ORDER BY e.id;

INSERT INTO refund_histories (tenant_id, refund_id, version, action, from_status, to_status, detail, changed_by, changed_by_name, changed_time)
  SELECT r.tenant_id, r.id, 1, 'upgrade', NULL, 3, JSON_OBJECT('reference', r.reference), r.updated_by, r.updated_by_name, r.updated_time
  FROM refunds r
  WHERE NOT EXISTS (SELECT 1 FROM refund_histories h WHERE h.tenant_id = r.tenant_id AND h.refund_id = r.id);

UPDATE orders SET paid = amount WHERE payment_method <> '';
UPDATE orders SET refunded = (SELECT SUM(r.amount) FROM refunds r WHERE r.tenant_id = orders.tenant_id AND r.order_id = orders.id)
  WHERE EXISTS (SELECT 1 FROM refunds r WHERE r.tenant_id = orders.tenant_id AND r.order_id = orders.id);

-- +goose Down
ALTER TABLE orders DROP COLUMN paid, DROP COLUMN refund_reserved, DROP COLUMN refunded;
DROP TABLE refund_histories;
DROP TABLE refund_lines;
DROP TABLE refunds;
