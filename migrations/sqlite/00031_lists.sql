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

-- +goose Down
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
