-- Menus are the navigation of a tenant's admin, and menu_revisions has the one row of a tenant
-- that every change of its tree raises. Each tenant begins with the pages in their groups, as
-- the admin had them by itself before.
-- +goose Up
CREATE TABLE menu_revisions (
  tenant_id INTEGER PRIMARY KEY,
  version   INTEGER NOT NULL
);

CREATE TABLE menus (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  parent_id       INTEGER  NOT NULL, -- 0: at the top
  sort_key        INTEGER  NOT NULL, -- the lower comes first among siblings; gaps are left between them
  title           TEXT     NOT NULL, -- empty: the page's own
  path            TEXT     NOT NULL, -- empty: a group
  icon            TEXT     NOT NULL, -- empty: the page's own
  permission      TEXT     NOT NULL, -- empty: for everybody
  hidden          BOOLEAN  NOT NULL
);
CREATE INDEX ix_menus_parent ON menus (tenant_id, parent_id, sort_key, id);

CREATE TABLE menu_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  menu_id         INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  parent_id       INTEGER  NOT NULL,
  sort_key        INTEGER  NOT NULL,
  position        INTEGER  NOT NULL, -- where it stood when the version was made
  title           TEXT     NOT NULL,
  path            TEXT     NOT NULL,
  icon            TEXT     NOT NULL,
  permission      TEXT     NOT NULL,
  hidden          BOOLEAN  NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_menu_histories_version ON menu_histories (tenant_id, menu_id, version);

INSERT INTO menus (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, parent_id, sort_key, title, path, icon, permission, hidden)
  SELECT t.id, 1, t.created_time, t.created_time, 0, 'upgrade', 0, r.place * 4294967296, r.title, '', '', '', 0
  FROM tenants t CROSS JOIN (
    SELECT 1 AS place, 'Operate' AS title
    UNION ALL SELECT 2, 'Sell'
    UNION ALL SELECT 3, 'Govern'
    UNION ALL SELECT 4, 'Inspect'
  ) r
  ORDER BY t.id, r.place;
INSERT INTO menus (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, parent_id, sort_key, title, path, icon, permission, hidden)
  SELECT g.tenant_id, 1, g.created_time, g.created_time, 0, 'upgrade', g.id, r.place * 4294967296, '', r.path, '', r.permission, 0
  FROM menus g JOIN (
    SELECT 'Operate' AS grp, 1 AS place, '/' AS path, '' AS permission
    UNION ALL SELECT 'Operate', 2, '/orders', 'orders:read'
    UNION ALL SELECT 'Operate', 3, '/approvals', 'approvals:read'
    UNION ALL SELECT 'Sell', 1, '/items', 'items:read'
    UNION ALL SELECT 'Sell', 2, '/inventory', 'inventory:read'
    UNION ALL SELECT 'Sell', 3, '/coupons', 'coupons:read'
    UNION ALL SELECT 'Sell', 4, '/coupon-campaigns', 'coupons:read'
    UNION ALL SELECT 'Sell', 5, '/flash-sales', 'flash-sales:read'
    UNION ALL SELECT 'Sell', 6, '/wallets', 'wallets:read'
    UNION ALL SELECT 'Govern', 1, '/configs', 'configs:read'
    UNION ALL SELECT 'Govern', 2, '/users', 'users:read'
    UNION ALL SELECT 'Govern', 3, '/roles', 'access:read'
    UNION ALL SELECT 'Govern', 4, '/menus', 'menus:read'
    UNION ALL SELECT 'Govern', 5, '/tokens', 'tokens:read'
    UNION ALL SELECT 'Govern', 6, '/audit-log', 'audit:read'
    UNION ALL SELECT 'Inspect', 1, '/idempotency-keys', 'idempotency-keys:read'
    UNION ALL SELECT 'Inspect', 2, '/aggregates', 'ledger:read'
    UNION ALL SELECT 'Inspect', 3, '/system', 'queues:read'
  ) r ON r.grp = g.title AND g.parent_id = 0
  ORDER BY g.id, r.place;
INSERT INTO menu_histories (tenant_id, menu_id, version, action, parent_id, sort_key, position, title, path, icon, permission, hidden, changed_by, changed_by_name, changed_time)
  SELECT m.tenant_id, m.id, m.version, 'upgrade', m.parent_id, m.sort_key, m.sort_key / 4294967296 - 1, m.title, m.path, m.icon, m.permission, m.hidden, m.updated_by, m.updated_by_name, m.updated_time
  FROM menus m;

-- +goose Down
DROP TABLE menu_histories;
DROP TABLE menus;
DROP TABLE menu_revisions;
