-- Users are named by the shop: see principal.CustomerID. The numbers that were there
-- become their decimal text. SQLite cannot change the type of a column, so each table is
-- made anew; those that give ids out go on from where they were, so that no id comes again.
-- +goose Up
CREATE TABLE items_new (
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
  owned_by_user_id TEXT         NULL, -- null: owned by nobody
  status           TEXT     NOT NULL
);
INSERT INTO items_new (
    id, tenant_id, version, created_time, updated_time, updated_by, updated_by_name, sku, name, price,
    owned_by_user_id, status)
  SELECT
    id, tenant_id, version, created_time, updated_time, updated_by, updated_by_name, sku, name, price,
    CAST(owned_by_user_id AS TEXT), status
  FROM items;
DELETE FROM sqlite_sequence WHERE name = 'items_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'items_new', seq FROM sqlite_sequence WHERE name = 'items';
DROP TABLE items;
ALTER TABLE items_new RENAME TO items;
CREATE INDEX ix_items_name ON items (tenant_id, name, id);
CREATE INDEX ix_items_price ON items (tenant_id, price, id);
CREATE INDEX ix_items_updated ON items (tenant_id, updated_time, id);
CREATE UNIQUE INDEX uq_items_sku ON items (tenant_id, sku);

CREATE TABLE item_histories_new (
  id               INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id        INTEGER  NOT NULL,
  item_id          INTEGER  NOT NULL,
  version          INTEGER  NOT NULL,
  action           TEXT     NOT NULL,
  name             TEXT     NOT NULL,
  price            INTEGER  NOT NULL,
  owned_by_user_id TEXT         NULL,
  status           TEXT     NOT NULL,
  changed_by       INTEGER  NOT NULL,
  changed_by_name  TEXT     NOT NULL,
  changed_time     DATETIME NOT NULL
);
INSERT INTO item_histories_new (
    id, tenant_id, item_id, version, action, name, price, owned_by_user_id, status, changed_by, changed_by_name,
    changed_time)
  SELECT
    id, tenant_id, item_id, version, action, name, price, CAST(owned_by_user_id AS TEXT), status, changed_by,
    changed_by_name, changed_time
  FROM item_histories;
DELETE FROM sqlite_sequence WHERE name = 'item_histories_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'item_histories_new', seq FROM sqlite_sequence WHERE name = 'item_histories';
DROP TABLE item_histories;
ALTER TABLE item_histories_new RENAME TO item_histories;
CREATE UNIQUE INDEX uq_item_histories_version ON item_histories (tenant_id, item_id, version);

CREATE TABLE orders_new (
  id                INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id         INTEGER  NOT NULL,
  version           INTEGER  NOT NULL,
  created_time      DATETIME NOT NULL,
  updated_time      DATETIME NOT NULL,
  updated_by        INTEGER  NOT NULL,
  updated_by_name   TEXT     NOT NULL,
  order_no          TEXT     NOT NULL,
  user_id           TEXT     NOT NULL,
  status            INTEGER  NOT NULL,
  discount          INTEGER  NOT NULL,
  amount            INTEGER  NOT NULL,
  coupon_code       TEXT     NOT NULL,
  payment_method    TEXT     NOT NULL,
  payment_reference TEXT     NOT NULL,
  carrier           TEXT     NOT NULL,
  tracking_no       TEXT     NOT NULL,
  cancel_reason     TEXT     NOT NULL,
  sale_id INTEGER NULL,
  ticket TEXT NULL,
  payment_due DATETIME NULL
);
INSERT INTO orders_new (
    id, tenant_id, version, created_time, updated_time, updated_by, updated_by_name, order_no, user_id, status,
    discount, amount, coupon_code, payment_method, payment_reference, carrier, tracking_no, cancel_reason,
    sale_id, ticket, payment_due)
  SELECT
    id, tenant_id, version, created_time, updated_time, updated_by, updated_by_name, order_no,
    CAST(user_id AS TEXT), status, discount, amount, coupon_code, payment_method, payment_reference, carrier,
    tracking_no, cancel_reason, sale_id, ticket, payment_due
  FROM orders;
DELETE FROM sqlite_sequence WHERE name = 'orders_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'orders_new', seq FROM sqlite_sequence WHERE name = 'orders';
DROP TABLE orders;
ALTER TABLE orders_new RENAME TO orders;
CREATE INDEX ix_orders_amount ON orders (tenant_id, amount, id);
CREATE INDEX ix_orders_created ON orders (tenant_id, created_time, id);
CREATE INDEX ix_orders_due ON orders (payment_due);
CREATE INDEX ix_orders_id ON orders (tenant_id, id);
CREATE INDEX ix_orders_sale ON orders (tenant_id, sale_id, id);
CREATE INDEX ix_orders_sale_user ON orders (tenant_id, sale_id, user_id);
CREATE INDEX ix_orders_status ON orders (tenant_id, status, id);
CREATE INDEX ix_orders_updated ON orders (tenant_id, updated_time, id);
CREATE INDEX ix_orders_user ON orders (tenant_id, user_id, id);
CREATE UNIQUE INDEX uq_orders_no ON orders (tenant_id, order_no);
CREATE UNIQUE INDEX uq_orders_ticket ON orders (tenant_id, ticket);

CREATE TABLE coupons_new (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  campaign_id     INTEGER  NOT NULL,
  code            TEXT     NOT NULL,
  user_id         TEXT         NULL, -- null: whoever has the code may use it
  status          INTEGER  NOT NULL,
  redeemed_by     TEXT         NULL, -- null: not used
  order_id        INTEGER      NULL, -- null: not used, or used without an order
  void_reason     TEXT     NOT NULL
);
INSERT INTO coupons_new (
    id, tenant_id, version, created_time, updated_time, updated_by, updated_by_name, campaign_id, code, user_id,
    status, redeemed_by, order_id, void_reason)
  SELECT
    id, tenant_id, version, created_time, updated_time, updated_by, updated_by_name, campaign_id, code,
    CAST(user_id AS TEXT), status, CAST(redeemed_by AS TEXT), order_id, void_reason
  FROM coupons;
DELETE FROM sqlite_sequence WHERE name = 'coupons_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'coupons_new', seq FROM sqlite_sequence WHERE name = 'coupons';
DROP TABLE coupons;
ALTER TABLE coupons_new RENAME TO coupons;
CREATE INDEX ix_coupons_campaign ON coupons (tenant_id, campaign_id, status, id);
CREATE INDEX ix_coupons_id ON coupons (tenant_id, id);
CREATE INDEX ix_coupons_updated ON coupons (tenant_id, updated_time, id);
CREATE INDEX ix_coupons_user ON coupons (tenant_id, user_id, id);
CREATE UNIQUE INDEX uq_coupons_code ON coupons (tenant_id, code);

CREATE TABLE coupon_holders_new (
  tenant_id   INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  user_id     TEXT    NOT NULL,
  held        INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, campaign_id, user_id)
);
INSERT INTO coupon_holders_new (
    tenant_id, campaign_id, user_id, held)
  SELECT
    tenant_id, campaign_id, CAST(user_id AS TEXT), held
  FROM coupon_holders;
DROP TABLE coupon_holders;
ALTER TABLE coupon_holders_new RENAME TO coupon_holders;

CREATE TABLE wallets_new (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  user_id         TEXT     NOT NULL,
  balance         INTEGER  NOT NULL,
  CONSTRAINT ck_wallets_balance CHECK (balance >= 0)
);
INSERT INTO wallets_new (
    id, tenant_id, version, created_time, updated_time, updated_by, updated_by_name, user_id, balance)
  SELECT
    id, tenant_id, version, created_time, updated_time, updated_by, updated_by_name, CAST(user_id AS TEXT),
    balance
  FROM wallets;
DELETE FROM sqlite_sequence WHERE name = 'wallets_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'wallets_new', seq FROM sqlite_sequence WHERE name = 'wallets';
DROP TABLE wallets;
ALTER TABLE wallets_new RENAME TO wallets;
CREATE INDEX ix_wallets_balance ON wallets (tenant_id, balance, id);
CREATE INDEX ix_wallets_updated ON wallets (tenant_id, updated_time, id);
CREATE UNIQUE INDEX uq_wallets_user ON wallets (tenant_id, user_id);

CREATE TABLE wallet_entries_new (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  user_id         TEXT     NOT NULL,
  version         INTEGER  NOT NULL, -- that of the wallet since the entry
  amount          INTEGER  NOT NULL,
  balance         INTEGER  NOT NULL, -- since the entry
  kind            TEXT     NOT NULL,
  reference       TEXT     NOT NULL,
  other_user_id   TEXT         NULL, -- null: no transfer
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);
INSERT INTO wallet_entries_new (
    id, tenant_id, user_id, version, amount, balance, kind, reference, other_user_id, created_by,
    created_by_name, created_time)
  SELECT
    id, tenant_id, CAST(user_id AS TEXT), version, amount, balance, kind, reference,
    CAST(other_user_id AS TEXT), created_by, created_by_name, created_time
  FROM wallet_entries;
DELETE FROM sqlite_sequence WHERE name = 'wallet_entries_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'wallet_entries_new', seq FROM sqlite_sequence WHERE name = 'wallet_entries';
DROP TABLE wallet_entries;
ALTER TABLE wallet_entries_new RENAME TO wallet_entries;
CREATE INDEX ix_wallet_entries_id ON wallet_entries (tenant_id, user_id, id);
CREATE UNIQUE INDEX uq_wallet_entries_reference ON wallet_entries (tenant_id, user_id, reference);
CREATE UNIQUE INDEX uq_wallet_entries_version ON wallet_entries (tenant_id, user_id, version);

CREATE TABLE actions_new (
  tenant_id       INTEGER  NOT NULL,
  entity_type     TEXT     NOT NULL,
  entity_id       INTEGER  NOT NULL, -- the row's id: a deleted sku that comes again begins anew
  action_group    TEXT     NOT NULL,
  actor_kind      TEXT     NOT NULL, -- customers and users have ids of their own
  actor_id        TEXT     NOT NULL,
  last_action_id  INTEGER  NOT NULL,
  last_action     TEXT     NOT NULL,
  last_active     BOOLEAN      NULL, -- null: the last one toggled
  state           TEXT     NOT NULL, -- the active action of the group, or ''
  updated_time    DATETIME NOT NULL,
  PRIMARY KEY (tenant_id, entity_type, entity_id, action_group, actor_kind, actor_id)
) WITHOUT ROWID;
INSERT INTO actions_new (
    tenant_id, entity_type, entity_id, action_group, actor_kind, actor_id, last_action_id, last_action,
    last_active, state, updated_time)
  SELECT
    tenant_id, entity_type, entity_id, action_group, actor_kind, CAST(actor_id AS TEXT), last_action_id,
    last_action, last_active, state, updated_time
  FROM actions;
DROP TABLE actions;
ALTER TABLE actions_new RENAME TO actions;

CREATE TABLE idempotency_keys_new (
  id               INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id        INTEGER  NOT NULL,
  scope            TEXT     NOT NULL,
  idempotency_key  TEXT     NOT NULL,
  fingerprint      BLOB     NOT NULL,
  method           TEXT     NOT NULL,
  path             TEXT     NOT NULL,
  request_id       TEXT     NOT NULL,
  actor_kind       TEXT     NOT NULL,
  actor_id         TEXT     NOT NULL,
  actor_name       TEXT     NOT NULL,
  on_behalf_of     TEXT     NULL,
  status           INTEGER  NOT NULL,
  reply            BLOB     NULL,
  location         TEXT     NOT NULL,
  seal_key         TEXT     NOT NULL,
  duration_us      INTEGER  NOT NULL,
  replays          INTEGER  NOT NULL,
  last_replay_time DATETIME NULL,
  created_time     DATETIME NOT NULL,
  expires_time     DATETIME NOT NULL
);
INSERT INTO idempotency_keys_new (
    id, tenant_id, scope, idempotency_key, fingerprint, method, path, request_id, actor_kind, actor_id,
    actor_name, on_behalf_of, status, reply, location, seal_key, duration_us, replays, last_replay_time,
    created_time, expires_time)
  SELECT
    id, tenant_id, scope, idempotency_key, fingerprint, method, path, request_id, actor_kind,
    CAST(actor_id AS TEXT), actor_name, CAST(on_behalf_of AS TEXT), status, reply, location, seal_key,
    duration_us, replays, last_replay_time, created_time, expires_time
  FROM idempotency_keys;
DELETE FROM sqlite_sequence WHERE name = 'idempotency_keys_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'idempotency_keys_new', seq FROM sqlite_sequence WHERE name = 'idempotency_keys';
DROP TABLE idempotency_keys;
ALTER TABLE idempotency_keys_new RENAME TO idempotency_keys;
CREATE INDEX ix_idempotency_keys_expires ON idempotency_keys (expires_time);
CREATE INDEX ix_idempotency_keys_search ON idempotency_keys (tenant_id, idempotency_key, id);
CREATE INDEX ix_idempotency_keys_time ON idempotency_keys (tenant_id, id);
CREATE UNIQUE INDEX uq_idempotency_keys_key ON idempotency_keys (tenant_id, scope, idempotency_key);

CREATE TABLE audit_entries_new (
  id            INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id     INTEGER  NOT NULL,
  unit_id       TEXT     NOT NULL,
  request_id    TEXT     NOT NULL DEFAULT '',
  actor_kind    TEXT     NOT NULL,
  actor_id      TEXT     NOT NULL,
  actor_name    TEXT     NOT NULL,
  credential_id TEXT     NOT NULL DEFAULT '',
  action        TEXT     NOT NULL,
  resource      TEXT     NOT NULL,
  detail        TEXT     NOT NULL,
  note          TEXT     NOT NULL DEFAULT '',
  created_time  DATETIME NOT NULL,
  on_behalf_of TEXT    NULL
);
INSERT INTO audit_entries_new (
    id, tenant_id, unit_id, request_id, actor_kind, actor_id, actor_name, credential_id, action, resource,
    detail, note, created_time, on_behalf_of)
  SELECT
    id, tenant_id, unit_id, request_id, actor_kind, CAST(actor_id AS TEXT), actor_name, credential_id, action,
    resource, detail, note, created_time, CAST(on_behalf_of AS TEXT)
  FROM audit_entries;
DELETE FROM sqlite_sequence WHERE name = 'audit_entries_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'audit_entries_new', seq FROM sqlite_sequence WHERE name = 'audit_entries';
DROP TABLE audit_entries;
ALTER TABLE audit_entries_new RENAME TO audit_entries;
CREATE INDEX ix_audit_entries_resource ON audit_entries (tenant_id, resource, id);
CREATE INDEX ix_audit_entries_time ON audit_entries (tenant_id, id);
CREATE UNIQUE INDEX uq_audit_entries_unit ON audit_entries (unit_id);

-- What histories and the audit log tell of users.
UPDATE coupon_histories SET detail = json_replace(detail, '$.userId', CAST(json_extract(detail, '$.userId') AS TEXT))
  WHERE json_type(detail, '$.userId') = 'integer';
UPDATE audit_entries SET detail = json_replace(detail, '$.userId', CAST(json_extract(detail, '$.userId') AS TEXT))
  WHERE action = 'order.create' AND json_type(detail, '$.userId') = 'integer';
UPDATE audit_entries SET detail = json_replace(detail, '$.detail.userId', CAST(json_extract(detail, '$.detail.userId') AS TEXT))
  WHERE action = 'coupon.redeem' AND json_type(detail, '$.detail.userId') = 'integer';
UPDATE audit_entries SET detail = json_replace(detail, '$.toUserId', CAST(json_extract(detail, '$.toUserId') AS TEXT))
  WHERE action = 'wallet.transfer' AND json_type(detail, '$.toUserId') = 'integer';
UPDATE audit_entries SET detail = json_replace(detail, '$.content.ownedByUserId', CAST(json_extract(detail, '$.content.ownedByUserId') AS TEXT))
  WHERE action IN ('item.create', 'item.delete') AND json_type(detail, '$.content.ownedByUserId') = 'integer';
UPDATE audit_entries SET detail = json_replace(detail, '$.before.ownedByUserId', CAST(json_extract(detail, '$.before.ownedByUserId') AS TEXT))
  WHERE action = 'item.update' AND json_type(detail, '$.before.ownedByUserId') = 'integer';
UPDATE audit_entries SET detail = json_replace(detail, '$.after.ownedByUserId', CAST(json_extract(detail, '$.after.ownedByUserId') AS TEXT))
  WHERE action = 'item.update' AND json_type(detail, '$.after.ownedByUserId') = 'integer';

-- The columns stay text. What was written before is read as the number that it was, and a
-- number that is written or asked for is taken for its decimal text.
-- +goose Down
SELECT 1;
