-- Values are kept as the JSON text that was sent: a JSON column would sort members
-- and respell numbers. An empty value_schema means that there is none.
-- +goose Up
CREATE TABLE IF NOT EXISTS configs (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  `key`           VARCHAR(100) NOT NULL,
  value           MEDIUMTEXT   NOT NULL,
  value_type      VARCHAR(16)  NOT NULL,
  value_schema    MEDIUMTEXT   NOT NULL,
  remark          VARCHAR(500) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_configs_key (tenant_id, `key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The id is the revision of the change feed, so rows are inserted one a statement.
CREATE TABLE IF NOT EXISTS config_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  config_id       BIGINT       NOT NULL,
  `key`           VARCHAR(100) NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  value           MEDIUMTEXT   NOT NULL,
  value_type      VARCHAR(16)  NOT NULL,
  value_schema    MEDIUMTEXT   NOT NULL,
  remark          VARCHAR(500) NOT NULL,
  note            VARCHAR(500) NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_config_histories_version (config_id, version),
  KEY ix_config_histories_key (tenant_id, `key`, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE IF EXISTS config_histories;
DROP TABLE IF EXISTS configs;
