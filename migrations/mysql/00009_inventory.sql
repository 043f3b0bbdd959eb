-- Of each item: on_hand pieces are in the house, reserved of them are promised to
-- somebody. The movements add up to both, and the holds to reserved.
-- +goose Up
CREATE TABLE IF NOT EXISTS inventories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  sku             VARCHAR(64)  NOT NULL,
  on_hand         BIGINT       NOT NULL,
  reserved        BIGINT       NOT NULL,
  available       BIGINT       GENERATED ALWAYS AS (on_hand - reserved) VIRTUAL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_inventories_sku (tenant_id, sku),
  KEY ix_inventories_available (tenant_id, available, id),
  KEY ix_inventories_updated (tenant_id, updated_time, id),
  CONSTRAINT ck_inventories_reserved CHECK (reserved >= 0 AND on_hand >= reserved)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS inventory_movements (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  sku             VARCHAR(64)  NOT NULL,
  version         BIGINT       NOT NULL, -- that of the inventory since the movement
  kind            VARCHAR(16)  NOT NULL,
  on_hand_delta   BIGINT       NOT NULL,
  reserved_delta  BIGINT       NOT NULL,
  on_hand         BIGINT       NOT NULL, -- since the movement, like reserved
  reserved        BIGINT       NOT NULL,
  holder          VARCHAR(64)  NOT NULL,
  reason          VARCHAR(500) NOT NULL,
  reference       VARCHAR(100) NOT NULL,
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_inventory_movements_version (tenant_id, sku, version),
  UNIQUE KEY uq_inventory_movements_reference (tenant_id, sku, reference),
  KEY ix_inventory_movements_id (tenant_id, sku, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS inventory_holds (
  tenant_id BIGINT      NOT NULL,
  holder    VARCHAR(64) NOT NULL,
  sku       VARCHAR(64) NOT NULL,
  quantity  BIGINT      NOT NULL,
  PRIMARY KEY (tenant_id, holder, sku),
  KEY ix_inventory_holds_sku (tenant_id, sku, quantity),
  CONSTRAINT ck_inventory_holds_quantity CHECK (quantity >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE inventory_holds;
DROP TABLE inventory_movements;
DROP TABLE inventories;
