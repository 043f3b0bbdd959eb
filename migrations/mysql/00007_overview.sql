-- Conflicts are counted a tenant, day (UTC), resource and code. The numbers are
-- advisory: see package dashboard.
-- +goose Up
CREATE TABLE conflict_counts (
  tenant_id BIGINT      NOT NULL,
  day       VARCHAR(10) NOT NULL,
  resource  VARCHAR(64) NOT NULL,
  code      VARCHAR(64) NOT NULL,
  conflicts BIGINT      NOT NULL,
  PRIMARY KEY (tenant_id, day, resource, code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
CREATE INDEX ix_coupon_campaigns_name ON coupon_campaigns (tenant_id, name, id);

-- +goose Down
DROP INDEX ix_coupon_campaigns_name ON coupon_campaigns;
DROP TABLE conflict_counts;
