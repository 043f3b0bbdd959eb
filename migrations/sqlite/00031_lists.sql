-- Each index answers a filter or an order of a list, which is named beside it, so that no list
-- reads more of its table than a page and what it counts.
-- +goose Up
CREATE INDEX ix_audit_entries_action ON audit_entries (tenant_id, action, id); -- ?action=
CREATE INDEX ix_audit_entries_actor ON audit_entries (tenant_id, actor_id, id); -- ?actor= as an id
CREATE INDEX ix_audit_entries_actor_name ON audit_entries (tenant_id, actor_name, id); -- ?actor= as a name
CREATE INDEX ix_audit_entries_created ON audit_entries (tenant_id, created_time, id); -- ?from= and ?to=
CREATE INDEX ix_configs_updated ON configs (tenant_id, updated_time, id); -- ?sort=updatedTime
CREATE INDEX ix_configs_version ON configs (tenant_id, version, id); -- ?sort=version
CREATE INDEX ix_configs_type ON configs (tenant_id, value_type, key); -- ?valueType=, by key
CREATE INDEX ix_coupons_status ON coupons (tenant_id, status, id); -- ?status=
CREATE INDEX ix_coupons_created ON coupons (tenant_id, created_time, id); -- ?sort=createdTime
CREATE INDEX ix_coupon_campaigns_starts ON coupon_campaigns (tenant_id, valid_from, id); -- ?sort=validFrom
CREATE INDEX ix_coupon_campaigns_ends ON coupon_campaigns (tenant_id, valid_to, id); -- ?sort=validTo, and coupons that end by a time
CREATE INDEX ix_coupon_campaigns_created ON coupon_campaigns (tenant_id, created_time, id); -- ?sort=createdTime
CREATE INDEX ix_coupon_campaigns_updated ON coupon_campaigns (tenant_id, updated_time, id); -- ?sort=updatedTime
CREATE INDEX ix_flash_sales_ends ON flash_sales (tenant_id, ends_time, id); -- ?sort=endsTime
CREATE INDEX ix_flash_sales_created ON flash_sales (tenant_id, created_time, id); -- ?sort=createdTime
CREATE INDEX ix_flash_sales_sku ON flash_sales (tenant_id, sku, id); -- ?sku=
CREATE INDEX ix_items_status ON items (tenant_id, status, sku); -- ?status=, by sku
CREATE INDEX ix_work_orders_status ON work_orders (tenant_id, status, id); -- ?status=
CREATE INDEX ix_approvals_id ON approvals (tenant_id, id); -- the list without filters
CREATE INDEX ix_approvals_ends ON approvals (tenant_id, expires_time, id); -- ?sort=expiresTime
CREATE INDEX ix_aggregates_type ON aggregates (tenant_id, type, id); -- ?sort=type
CREATE INDEX ix_users_display_name ON users (tenant_id, display_name, id); -- ?sort=displayName
CREATE INDEX ix_users_updated ON users (tenant_id, updated_time, id); -- ?sort=updatedTime
CREATE INDEX ix_users_disabled ON users (tenant_id, disabled, id); -- ?disabled=
CREATE INDEX ix_roles_updated ON roles (tenant_id, updated_time, id); -- ?sort=updatedTime
CREATE INDEX ix_api_tokens_name ON api_tokens (tenant_id, name, id); -- ?sort=name
CREATE INDEX ix_api_tokens_created ON api_tokens (tenant_id, created_time, id); -- ?sort=createdTime

-- SQLite takes a tenant's rows for ten unless it is told otherwise, and has then no reason to
-- look at the second column of an index. It is told once and for all: a tenant has a million
-- rows, a thousand of them share the value of a column, and a unique index has one. ANALYZE
-- may tell it better.
ANALYZE sqlite_schema;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat)
  SELECT tbl, idx, '1000000' || group_concat(share, '') FROM (
    SELECT m.tbl_name AS tbl, m.name AS idx, ' ' || CASE
        WHEN c.name = 'tenant_id' AND c.seqno = 0 THEN '1000000'
        WHEN c.name = 'id' OR l."unique" AND c.seqno = (SELECT MAX(seqno) FROM pragma_index_info(m.name)) THEN '1'
        WHEN c.seqno > 1 THEN '100'
        ELSE '1000' END AS share
    FROM sqlite_schema m
    JOIN pragma_index_list(m.tbl_name) l ON l.name = m.name
    JOIN pragma_index_info(m.name) c
    WHERE m.type = 'index' AND m.sql IS NOT NULL AND m.tbl_name NOT LIKE 'goose%'
    ORDER BY m.name, c.seqno
  ) GROUP BY tbl, idx;
ANALYZE sqlite_schema;

-- +goose Down
DROP TABLE sqlite_stat1;
DROP INDEX ix_api_tokens_created;
DROP INDEX ix_api_tokens_name;
DROP INDEX ix_roles_updated;
DROP INDEX ix_users_disabled;
DROP INDEX ix_users_updated;
DROP INDEX ix_users_display_name;
DROP INDEX ix_aggregates_type;
DROP INDEX ix_approvals_ends;
DROP INDEX ix_approvals_id;
DROP INDEX ix_work_orders_status;
DROP INDEX ix_items_status;
DROP INDEX ix_flash_sales_sku;
DROP INDEX ix_flash_sales_created;
DROP INDEX ix_flash_sales_ends;
DROP INDEX ix_coupon_campaigns_updated;
DROP INDEX ix_coupon_campaigns_created;
DROP INDEX ix_coupon_campaigns_ends;
DROP INDEX ix_coupon_campaigns_starts;
DROP INDEX ix_coupons_created;
DROP INDEX ix_coupons_status;
DROP INDEX ix_configs_type;
DROP INDEX ix_configs_version;
DROP INDEX ix_configs_updated;
DROP INDEX ix_audit_entries_created;
DROP INDEX ix_audit_entries_actor_name;
DROP INDEX ix_audit_entries_actor;
DROP INDEX ix_audit_entries_action;
