-- A flash sale sells an allotment of one item. flash_sale_stocks is what SQL knows of its
-- units; the gate's three tables are used when there is no Redis to keep the gate.
-- +goose Up
CREATE TABLE IF NOT EXISTS flash_sales (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  name            VARCHAR(100) NOT NULL,
  sku             VARCHAR(64)  NOT NULL,
  price           BIGINT       NOT NULL,
  quantity        BIGINT       NOT NULL,
  per_user_limit  BIGINT       NOT NULL,
  starts_time     DATETIME(6)  NOT NULL,
  ends_time       DATETIME(6)  NOT NULL,
  queue_cap       BIGINT           NULL, -- null: none
  rate            BIGINT           NULL, -- null: as fast as it goes
  item_name       VARCHAR(200) NOT NULL, -- '' until it was opened
  status          INT          NOT NULL,
  secret          VARCHAR(64)  NOT NULL,
  PRIMARY KEY (id),
  KEY ix_flash_sales_id (tenant_id, id),
  KEY ix_flash_sales_starts (tenant_id, starts_time, id),
  KEY ix_flash_sales_updated (tenant_id, updated_time, id),
  KEY ix_flash_sales_status (status, id),
  KEY ix_flash_sales_active (tenant_id, status, id),
  KEY ix_flash_sales_name (tenant_id, name, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS flash_sale_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  sale_id         BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  name            VARCHAR(100) NOT NULL,
  sku             VARCHAR(64)  NOT NULL,
  price           BIGINT       NOT NULL,
  quantity        BIGINT       NOT NULL,
  per_user_limit  BIGINT       NOT NULL,
  starts_time     DATETIME(6)  NOT NULL,
  ends_time       DATETIME(6)  NOT NULL,
  queue_cap       BIGINT           NULL,
  rate            BIGINT           NULL,
  item_name       VARCHAR(200) NOT NULL,
  status          INT          NOT NULL,
  note            VARCHAR(500) NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_flash_sale_histories_version (tenant_id, sale_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS flash_sale_stocks (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  sale_id         BIGINT       NOT NULL,
  allotted        BIGINT       NOT NULL,
  sold            BIGINT       NOT NULL,
  epoch           BIGINT       NOT NULL, -- how often the gate was built
  PRIMARY KEY (id),
  UNIQUE KEY uq_flash_sale_stocks_sale (tenant_id, sale_id),
  CONSTRAINT ck_flash_sale_stocks_sold CHECK (sold >= 0 AND sold <= allotted)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS flash_sale_gates (
  sale_id       BIGINT NOT NULL,
  tenant_id     BIGINT NOT NULL,
  epoch         BIGINT NOT NULL,
  version       BIGINT NOT NULL, -- of the sale's row that the rules are from
  stock_version BIGINT NOT NULL, -- of the stock's row that allotted is from
  is_open       BOOLEAN NOT NULL,
  starts        BIGINT NOT NULL, -- µs since 1970, like ends
  ends          BIGINT NOT NULL,
  user_limit    BIGINT NOT NULL,
  queue_cap     BIGINT NOT NULL, -- 0: none
  allotted      BIGINT NOT NULL,
  remaining     BIGINT NOT NULL,
  queued        BIGINT NOT NULL,
  processing    BIGINT NOT NULL,
  dead          BIGINT NOT NULL,
  confirmed     BIGINT NOT NULL,
  rejected      BIGINT NOT NULL,
  returned      BIGINT NOT NULL,
  waiting       BIGINT NOT NULL, -- tickets that are queued
  PRIMARY KEY (sale_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS flash_sale_tickets (
  sale_id        BIGINT       NOT NULL,
  ticket         VARCHAR(64)  NOT NULL,
  tenant_id      BIGINT       NOT NULL,
  user_id        BIGINT       NOT NULL,
  units          BIGINT       NOT NULL,
  state          VARCHAR(16)  NOT NULL,
  accepted       BIGINT       NOT NULL, -- µs since 1970
  ahead          BIGINT       NOT NULL, -- tickets that waited then
  confirmed      BIGINT       NOT NULL, -- µs since 1970, 0: it is not
  order_id       BIGINT       NOT NULL, -- 0: none
  order_no       VARCHAR(32)  NOT NULL,
  reason         VARCHAR(100) NOT NULL,
  PRIMARY KEY (sale_id, ticket),
  KEY ix_flash_sale_tickets_accepted (sale_id, accepted),
  KEY ix_flash_sale_tickets_confirmed (sale_id, confirmed)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS flash_sale_buyers (
  sale_id   BIGINT      NOT NULL,
  user_id   BIGINT      NOT NULL,
  tenant_id BIGINT      NOT NULL,
  units     BIGINT      NOT NULL,
  ticket    VARCHAR(64) NOT NULL, -- the latest
  PRIMARY KEY (sale_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- sale_id null: not from a flash sale; payment_due null: no hurry, or paid, or cancelled.
SET @sell_orders = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE orders ADD COLUMN sale_id BIGINT NULL, ADD COLUMN ticket VARCHAR(64) NULL, ADD COLUMN payment_due DATETIME(6) NULL, ADD UNIQUE KEY uq_orders_ticket (tenant_id, ticket), ADD KEY ix_orders_sale (tenant_id, sale_id, id), ADD KEY ix_orders_due (payment_due)')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'orders' AND column_name = 'sale_id');
PREPARE sell_orders FROM @sell_orders;
EXECUTE sell_orders;
DEALLOCATE PREPARE sell_orders;

-- +goose Down
ALTER TABLE orders
  DROP KEY ix_orders_due, DROP KEY ix_orders_sale, DROP KEY uq_orders_ticket,
  DROP COLUMN payment_due, DROP COLUMN ticket, DROP COLUMN sale_id;
DROP TABLE flash_sale_buyers;
DROP TABLE flash_sale_tickets;
DROP TABLE flash_sale_gates;
DROP TABLE flash_sale_stocks;
DROP TABLE flash_sale_histories;
DROP TABLE flash_sales;
