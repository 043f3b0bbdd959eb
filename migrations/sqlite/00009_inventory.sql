-- Of each item: on_hand pieces are in the house, reserved of them are promised to
-- somebody. The movements add up to both, and the holds to reserved.
-- +goose Up
CREATE TABLE inventories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  sku             TEXT     NOT NULL,
  on_hand         INTEGER  NOT NULL,
  reserved        INTEGER  NOT NULL,
  available       INTEGER  GENERATED ALWAYS AS (on_hand - reserved) VIRTUAL,
  CONSTRAINT ck_inventories_reserved CHECK (reserved >= 0 AND on_hand >= reserved)
);
CREATE UNIQUE INDEX uq_inventories_sku ON inventories (tenant_id, sku);
CREATE INDEX ix_inventories_available ON inventories (tenant_id, available, id);
CREATE INDEX ix_inventories_updated ON inventories (tenant_id, updated_time, id);

CREATE TABLE inventory_movements (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  sku             TEXT     NOT NULL,
  version         INTEGER  NOT NULL, -- that of the inventory since the movement
  kind            TEXT     NOT NULL,
  on_hand_delta   INTEGER  NOT NULL,
  reserved_delta  INTEGER  NOT NULL,
  on_hand         INTEGER  NOT NULL, -- since the movement, like reserved
  reserved        INTEGER  NOT NULL,
  holder          TEXT     NOT NULL,
  reason          TEXT     NOT NULL,
  reference       TEXT     NOT NULL,
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_inventory_movements_version ON inventory_movements (tenant_id, sku, version);
CREATE UNIQUE INDEX uq_inventory_movements_reference ON inventory_movements (tenant_id, sku, reference);
CREATE INDEX ix_inventory_movements_id ON inventory_movements (tenant_id, sku, id);

CREATE TABLE inventory_holds (
  tenant_id INTEGER NOT NULL,
  holder    TEXT    NOT NULL,
  sku       TEXT    NOT NULL,
  quantity  INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, holder, sku),
  CONSTRAINT ck_inventory_holds_quantity CHECK (quantity >= 0)
);
CREATE INDEX ix_inventory_holds_sku ON inventory_holds (tenant_id, sku, quantity);

-- +goose Down
DROP TABLE inventory_holds;
DROP TABLE inventory_movements;
DROP TABLE inventories;
