-- +goose Up
CREATE TABLE IF NOT EXISTS orders (
  id                BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id         BIGINT       NOT NULL,
  version           BIGINT       NOT NULL,
  created_time      DATETIME(6)  NOT NULL,
  updated_time      DATETIME(6)  NOT NULL,
  updated_by        BIGINT       NOT NULL,
  updated_by_name   VARCHAR(100) NOT NULL,
  order_no          VARCHAR(32)  NOT NULL,
  user_id           BIGINT       NOT NULL,
  status            INT          NOT NULL,
  discount          BIGINT       NOT NULL,
  amount            BIGINT       NOT NULL,
  coupon_code       VARCHAR(32)  NOT NULL,
  payment_method    VARCHAR(16)  NOT NULL,
  payment_reference VARCHAR(100) NOT NULL,
  carrier           VARCHAR(100) NOT NULL,
  tracking_no       VARCHAR(100) NOT NULL,
  cancel_reason     VARCHAR(500) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_orders_no (tenant_id, order_no),
  KEY ix_orders_id (tenant_id, id),
  KEY ix_orders_status (tenant_id, status, id),
  KEY ix_orders_user (tenant_id, user_id, id),
  KEY ix_orders_created (tenant_id, created_time, id),
  KEY ix_orders_amount (tenant_id, amount, id),
  KEY ix_orders_updated (tenant_id, updated_time, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS order_lines (
  id        BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id BIGINT       NOT NULL,
  order_id  BIGINT       NOT NULL,
  sku       VARCHAR(64)  NOT NULL,
  name      VARCHAR(200) NOT NULL,
  price     BIGINT       NOT NULL,
  quantity  BIGINT       NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_order_lines_sku (tenant_id, order_id, sku),
  KEY ix_order_lines_sku (tenant_id, sku)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS order_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  order_id        BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: the order was placed
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_order_histories_version (tenant_id, order_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE order_histories;
DROP TABLE order_lines;
DROP TABLE orders;
