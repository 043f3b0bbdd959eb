-- Work orders: who does what, one holder at a time. Each statement can be run again, so an
-- interrupted migration goes on from its beginning.
-- +goose Up
CREATE TABLE IF NOT EXISTS work_orders (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  title           VARCHAR(200) NOT NULL,
  body            TEXT         NOT NULL,
  priority        INT          NOT NULL, -- the lower comes first
  status          INT          NOT NULL,
  due_time        DATETIME(6)      NULL, -- null: no time is set
  holder_id       BIGINT           NULL, -- null: nobody holds it
  holder_name     VARCHAR(100) NOT NULL,
  held_time       DATETIME(6)      NULL,
  resolution      TEXT         NOT NULL,
  comments        BIGINT       NOT NULL,
  PRIMARY KEY (id),
  KEY ix_work_orders_id (tenant_id, id),
  KEY ix_work_orders_queue (tenant_id, status, priority, created_time, id),
  KEY ix_work_orders_priority (tenant_id, priority, id),
  KEY ix_work_orders_holder (tenant_id, holder_id, status, id),
  KEY ix_work_orders_due (tenant_id, due_time, id),
  KEY ix_work_orders_title (tenant_id, title, id),
  KEY ix_work_orders_created (tenant_id, created_time, id),
  KEY ix_work_orders_updated (tenant_id, updated_time, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS work_order_links (
  id            BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id     BIGINT       NOT NULL,
  work_order_id BIGINT       NOT NULL,
  resource      VARCHAR(255) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_work_order_links (tenant_id, work_order_id, resource),
  KEY ix_work_order_links_resource (tenant_id, resource, work_order_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS work_order_comments (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  work_order_id   BIGINT       NOT NULL,
  text            TEXT         NOT NULL,
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  KEY ix_work_order_comments_id (tenant_id, work_order_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS work_order_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  work_order_id   BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: it was opened
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_work_order_histories_version (tenant_id, work_order_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE work_order_histories;
DROP TABLE work_order_comments;
DROP TABLE work_order_links;
DROP TABLE work_orders;
