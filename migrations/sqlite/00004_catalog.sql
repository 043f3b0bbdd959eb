-- +goose Up
CREATE TABLE items (
  id               INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id        INTEGER  NOT NULL,
  version          INTEGER  NOT NULL,
  created_time     DATETIME NOT NULL,
  updated_time     DATETIME NOT NULL,
  updated_by       INTEGER  NOT NULL,
  updated_by_name  TEXT     NOT NULL,
  sku              TEXT     NOT NULL,
  name             TEXT     NOT NULL,
  price            INTEGER  NOT NULL,
  owned_by_user_id INTEGER      NULL, -- null: owned by nobody
  status           TEXT     NOT NULL
);
CREATE UNIQUE INDEX uq_items_sku ON items (tenant_id, sku);
CREATE INDEX ix_items_name ON items (tenant_id, name, id);
CREATE INDEX ix_items_price ON items (tenant_id, price, id);
CREATE INDEX ix_items_updated ON items (tenant_id, updated_time, id);

CREATE TABLE item_histories (
  id               INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id        INTEGER  NOT NULL,
  item_id          INTEGER  NOT NULL,
  version          INTEGER  NOT NULL,
  action           TEXT     NOT NULL,
  name             TEXT     NOT NULL,
  price            INTEGER  NOT NULL,
  owned_by_user_id INTEGER      NULL,
  status           TEXT     NOT NULL,
  changed_by       INTEGER  NOT NULL,
  changed_by_name  TEXT     NOT NULL,
  changed_time     DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_item_histories_version ON item_histories (tenant_id, item_id, version);

-- +goose Down
DROP TABLE item_histories;
DROP TABLE items;
