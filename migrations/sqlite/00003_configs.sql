-- Values are kept as the JSON text that was sent. An empty value_schema means that
-- there is none.
-- +goose Up
CREATE TABLE configs (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  key             TEXT     NOT NULL,
  value           TEXT     NOT NULL,
  value_type      TEXT     NOT NULL,
  value_schema    TEXT     NOT NULL,
  remark          TEXT     NOT NULL
);
CREATE UNIQUE INDEX uq_configs_key ON configs (tenant_id, key);

-- The id is the revision of the change feed.
CREATE TABLE config_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  config_id       INTEGER  NOT NULL,
  key             TEXT     NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  value           TEXT     NOT NULL,
  value_type      TEXT     NOT NULL,
  value_schema    TEXT     NOT NULL,
  remark          TEXT     NOT NULL,
  note            TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_config_histories_version ON config_histories (config_id, version);
CREATE INDEX ix_config_histories_key ON config_histories (tenant_id, key, id);

-- +goose Down
DROP TABLE config_histories;
DROP TABLE configs;
