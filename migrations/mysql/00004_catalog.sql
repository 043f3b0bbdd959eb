-- +goose Up
CREATE TABLE IF NOT EXISTS items (
  id               BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id        BIGINT       NOT NULL,
  version          BIGINT       NOT NULL,
  created_time     DATETIME(6)  NOT NULL,
  updated_time     DATETIME(6)  NOT NULL,
  updated_by       BIGINT       NOT NULL,
  updated_by_name  VARCHAR(100) NOT NULL,
  sku              VARCHAR(64)  NOT NULL,
  name             VARCHAR(200) NOT NULL,
  price            BIGINT       NOT NULL,
  owned_by_user_id BIGINT           NULL, -- null: owned by nobody
  status           VARCHAR(16)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_items_sku (tenant_id, sku),
  KEY ix_items_name (tenant_id, name, id),
  KEY ix_items_price (tenant_id, price, id),
  KEY ix_items_updated (tenant_id, updated_time, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS item_histories (
  id               BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id        BIGINT       NOT NULL,
  item_id          BIGINT       NOT NULL,
  version          BIGINT       NOT NULL,
  action           VARCHAR(16)  NOT NULL,
  name             VARCHAR(200) NOT NULL,
  price            BIGINT       NOT NULL,
  owned_by_user_id BIGINT           NULL,
  status           VARCHAR(16)  NOT NULL,
  changed_by       BIGINT       NOT NULL,
  changed_by_name  VARCHAR(100) NOT NULL,
  changed_time     DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_item_histories_version (tenant_id, item_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE item_histories;
DROP TABLE items;
