-- Work orders: who does what, one holder at a time.
-- +goose Up
CREATE TABLE work_orders (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  title           TEXT     NOT NULL,
  body            TEXT     NOT NULL,
  priority        INTEGER  NOT NULL, -- the lower comes first
  status          INTEGER  NOT NULL,
  due_time        DATETIME     NULL, -- null: no time is set
  holder_id       INTEGER      NULL, -- null: nobody holds it
  holder_name     TEXT     NOT NULL,
  held_time       DATETIME     NULL,
  resolution      TEXT     NOT NULL,
  comments        INTEGER  NOT NULL
);
CREATE INDEX ix_work_orders_id ON work_orders (tenant_id, id);
CREATE INDEX ix_work_orders_queue ON work_orders (tenant_id, status, priority, created_time, id);
CREATE INDEX ix_work_orders_priority ON work_orders (tenant_id, priority, id);
CREATE INDEX ix_work_orders_holder ON work_orders (tenant_id, holder_id, status, id);
CREATE INDEX ix_work_orders_due ON work_orders (tenant_id, due_time, id);
CREATE INDEX ix_work_orders_title ON work_orders (tenant_id, title, id);
CREATE INDEX ix_work_orders_created ON work_orders (tenant_id, created_time, id);
CREATE INDEX ix_work_orders_updated ON work_orders (tenant_id, updated_time, id);

CREATE TABLE work_order_links (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  work_order_id   INTEGER  NOT NULL,
  resource        TEXT     NOT NULL
);
CREATE UNIQUE INDEX uq_work_order_links ON work_order_links (tenant_id, work_order_id, resource);
CREATE INDEX ix_work_order_links_resource ON work_order_links (tenant_id, resource, work_order_id);

CREATE TABLE work_order_comments (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  work_order_id   INTEGER  NOT NULL,
  text            TEXT     NOT NULL,
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);
CREATE INDEX ix_work_order_comments_id ON work_order_comments (tenant_id, work_order_id, id);

CREATE TABLE work_order_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  work_order_id   INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: it was opened
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_work_order_histories_version ON work_order_histories (tenant_id, work_order_id, version);

-- +goose Down
DROP TABLE work_order_histories;
DROP TABLE work_order_comments;
DROP TABLE work_order_links;
DROP TABLE work_orders;
