-- Conflicts are counted a tenant, day (UTC), resource and code. The numbers are
-- advisory: see package dashboard.
-- +goose Up
CREATE TABLE conflict_counts (
  tenant_id INTEGER NOT NULL,
  day       TEXT    NOT NULL,
  resource  TEXT    NOT NULL,
  code      TEXT    NOT NULL,
  conflicts INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, day, resource, code)
);
CREATE INDEX ix_coupon_campaigns_name ON coupon_campaigns (tenant_id, name, id);

-- +goose Down
DROP INDEX ix_coupon_campaigns_name;
DROP TABLE conflict_counts;
