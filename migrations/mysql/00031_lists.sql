-- Each index answers a filter or an order of a list, which is named beside it, so that no list
-- reads more of its table than a page and what it counts. Each statement can be run again, so
-- an interrupted migration goes on from its beginning.
-- +goose Up
-- ix_audit_entries_action: ?action=
-- ix_audit_entries_actor: ?actor= as an id
-- ix_audit_entries_actor_name: ?actor= as a name
-- ix_audit_entries_created: ?from= and ?to=
SET @list_audit_entries = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE audit_entries ADD KEY ix_audit_entries_action (tenant_id, action, id), ADD KEY ix_audit_entries_actor (tenant_id, actor_id, id), ADD KEY ix_audit_entries_actor_name (tenant_id, actor_name, id), ADD KEY ix_audit_entries_created (tenant_id, created_time, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'audit_entries' AND index_name = 'ix_audit_entries_action');
PREPARE list_audit_entries FROM @list_audit_entries;
EXECUTE list_audit_entries;
DEALLOCATE PREPARE list_audit_entries;
-- ix_configs_updated: ?sort=updatedTime
-- ix_configs_version: ?sort=version
-- ix_configs_type: ?valueType=, by key
SET @list_configs = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE configs ADD KEY ix_configs_updated (tenant_id, updated_time, id), ADD KEY ix_configs_version (tenant_id, version, id), ADD KEY ix_configs_type (tenant_id, value_type, `key`)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'configs' AND index_name = 'ix_configs_updated');
PREPARE list_configs FROM @list_configs;
EXECUTE list_configs;
DEALLOCATE PREPARE list_configs;
-- ix_coupons_status: ?status=
-- ix_coupons_created: ?sort=createdTime
SET @list_coupons = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE coupons ADD KEY ix_coupons_status (tenant_id, status, id), ADD KEY ix_coupons_created (tenant_id, created_time, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'coupons' AND index_name = 'ix_coupons_status');
PREPARE list_coupons FROM @list_coupons;
EXECUTE list_coupons;
DEALLOCATE PREPARE list_coupons;
-- ix_coupon_campaigns_starts: ?sort=validFrom
-- ix_coupon_campaigns_ends: ?sort=validTo, and coupons that end by a time
-- ix_coupon_campaigns_created: ?sort=createdTime
-- ix_coupon_campaigns_updated: ?sort=updatedTime
SET @list_coupon_campaigns = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE coupon_campaigns ADD KEY ix_coupon_campaigns_starts (tenant_id, valid_from, id), ADD KEY ix_coupon_campaigns_ends (tenant_id, valid_to, id), ADD KEY ix_coupon_campaigns_created (tenant_id, created_time, id), ADD KEY ix_coupon_campaigns_updated (tenant_id, updated_time, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'coupon_campaigns' AND index_name = 'ix_coupon_campaigns_starts');
PREPARE list_coupon_campaigns FROM @list_coupon_campaigns;
EXECUTE list_coupon_campaigns;
DEALLOCATE PREPARE list_coupon_campaigns;
-- ix_flash_sales_ends: ?sort=endsTime
-- ix_flash_sales_created: ?sort=createdTime
-- ix_flash_sales_sku: ?sku=
SET @list_flash_sales = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE flash_sales ADD KEY ix_flash_sales_ends (tenant_id, ends_time, id), ADD KEY ix_flash_sales_created (tenant_id, created_time, id), ADD KEY ix_flash_sales_sku (tenant_id, sku, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'flash_sales' AND index_name = 'ix_flash_sales_ends');
PREPARE list_flash_sales FROM @list_flash_sales;
EXECUTE list_flash_sales;
DEALLOCATE PREPARE list_flash_sales;
-- ix_items_status: ?status=, by sku
SET @list_items = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE items ADD KEY ix_items_status (tenant_id, status, sku)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'items' AND index_name = 'ix_items_status');
PREPARE list_items FROM @list_items;
EXECUTE list_items;
DEALLOCATE PREPARE list_items;
-- ix_work_orders_status: ?status=
SET @list_work_orders = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE work_orders ADD KEY ix_work_orders_status (tenant_id, status, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'work_orders' AND index_name = 'ix_work_orders_status');
PREPARE list_work_orders FROM @list_work_orders;
EXECUTE list_work_orders;
DEALLOCATE PREPARE list_work_orders;
-- ix_approvals_id: the list without filters
-- ix_approvals_ends: ?sort=expiresTime
SET @list_approvals = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE approvals ADD KEY ix_approvals_id (tenant_id, id), ADD KEY ix_approvals_ends (tenant_id, expires_time, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'approvals' AND index_name = 'ix_approvals_id');
PREPARE list_approvals FROM @list_approvals;
EXECUTE list_approvals;
DEALLOCATE PREPARE list_approvals;
-- ix_aggregates_type: ?sort=type
SET @list_aggregates = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE aggregates ADD KEY ix_aggregates_type (tenant_id, type, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'aggregates' AND index_name = 'ix_aggregates_type');
PREPARE list_aggregates FROM @list_aggregates;
EXECUTE list_aggregates;
DEALLOCATE PREPARE list_aggregates;
-- ix_users_display_name: ?sort=displayName
-- ix_users_updated: ?sort=updatedTime
-- ix_users_disabled: ?disabled=
SET @list_users = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE users ADD KEY ix_users_display_name (tenant_id, display_name, id), ADD KEY ix_users_updated (tenant_id, updated_time, id), ADD KEY ix_users_disabled (tenant_id, disabled, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'users' AND index_name = 'ix_users_display_name');
PREPARE list_users FROM @list_users;
EXECUTE list_users;
DEALLOCATE PREPARE list_users;
-- ix_roles_updated: ?sort=updatedTime
SET @list_roles = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE roles ADD KEY ix_roles_updated (tenant_id, updated_time, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'roles' AND index_name = 'ix_roles_updated');
PREPARE list_roles FROM @list_roles;
EXECUTE list_roles;
DEALLOCATE PREPARE list_roles;
-- ix_api_tokens_name: ?sort=name
-- ix_api_tokens_created: ?sort=createdTime
SET @list_api_tokens = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE api_tokens ADD KEY ix_api_tokens_name (tenant_id, name, id), ADD KEY ix_api_tokens_created (tenant_id, created_time, id)')
  FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'api_tokens' AND index_name = 'ix_api_tokens_name');
PREPARE list_api_tokens FROM @list_api_tokens;
EXECUTE list_api_tokens;
DEALLOCATE PREPARE list_api_tokens;

-- +goose Down
ALTER TABLE api_tokens DROP KEY ix_api_tokens_name, DROP KEY ix_api_tokens_created;
ALTER TABLE roles DROP KEY ix_roles_updated;
ALTER TABLE users DROP KEY ix_users_display_name, DROP KEY ix_users_updated, DROP KEY ix_users_disabled;
ALTER TABLE aggregates DROP KEY ix_aggregates_type;
ALTER TABLE approvals DROP KEY ix_approvals_id, DROP KEY ix_approvals_ends;
ALTER TABLE work_orders DROP KEY ix_work_orders_status;
ALTER TABLE items DROP KEY ix_items_status;
ALTER TABLE flash_sales DROP KEY ix_flash_sales_ends, DROP KEY ix_flash_sales_created, DROP KEY ix_flash_sales_sku;
ALTER TABLE coupon_campaigns DROP KEY ix_coupon_campaigns_starts, DROP KEY ix_coupon_campaigns_ends, DROP KEY ix_coupon_campaigns_created, DROP KEY ix_coupon_campaigns_updated;
ALTER TABLE coupons DROP KEY ix_coupons_status, DROP KEY ix_coupons_created;
ALTER TABLE configs DROP KEY ix_configs_updated, DROP KEY ix_configs_version, DROP KEY ix_configs_type;
ALTER TABLE audit_entries DROP KEY ix_audit_entries_action, DROP KEY ix_audit_entries_actor, DROP KEY ix_audit_entries_actor_name, DROP KEY ix_audit_entries_created;
