-- What the numbers of a flash sale were, for its charts: one row for each five seconds in which
-- they changed.
-- +goose Up
CREATE TABLE flash_sale_samples (
  sale_id    INTEGER  NOT NULL,
  slot       INTEGER  NOT NULL, -- taken_time in steps of five seconds since 1970
  tenant_id  INTEGER  NOT NULL,
  taken_time DATETIME NOT NULL,
  stats      TEXT     NOT NULL, -- JSON
  PRIMARY KEY (sale_id, slot)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE flash_sale_samples;
