-- Conflicts are counted a tenant, day (UTC), resource and code. The numbers are
-- advisory: see package dashboard.
-- +goose Up
CREATE TABLE IF NOT EXISTS conflict_counts (
  tenant_id BIGINT      NOT NULL,
  day       VARCHAR(10) NOT NULL,
  resource  VARCHAR(64) NOT NULL,
  code      VARCHAR(64) NOT NULL,
  conflicts BIGINT      NOT NULL,
  PRIMARY KEY (tenant_id, day, resource, code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
SET @key_campaigns = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'CREATE INDEX ix_coupon_campaigns_name ON coupon_campaigns (tenant_id, name, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'coupon_campaigns' AND index_name = 'ix_coupon_campaigns_name');
PREPARE key_campaigns FROM @key_campaigns;
EXECUTE key_campaigns;
DEALLOCATE PREPARE key_campaigns;

-- +goose Down
DROP INDEX ix_coupon_campaigns_name ON coupon_campaigns;
DROP TABLE conflict_counts;
