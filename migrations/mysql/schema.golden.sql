CREATE TABLE `access_revisions` (
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  PRIMARY KEY (`tenant_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `actions` (
  `tenant_id` bigint(20) NOT NULL,
  `entity_type` varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `entity_id` bigint(20) NOT NULL,
  `action_group` varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `actor_kind` varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `actor_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `last_action_id` bigint(20) NOT NULL,
  `last_action` varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `last_active` tinyint(1) DEFAULT NULL,
  `state` varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  PRIMARY KEY (`tenant_id`,`entity_type`,`entity_id`,`action_group`,`actor_kind`,`actor_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `action_counts` (
  `tenant_id` bigint(20) NOT NULL,
  `entity_type` varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `entity_id` bigint(20) NOT NULL,
  `shard` int(11) NOT NULL,
  `likes` bigint(20) NOT NULL,
  `dislikes` bigint(20) NOT NULL,
  `bookmarks` bigint(20) NOT NULL,
  PRIMARY KEY (`tenant_id`,`entity_type`,`entity_id`,`shard`),
  CONSTRAINT `ck_action_counts` CHECK (`likes` >= 0 and `dislikes` >= 0 and `bookmarks` >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `aggregates` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `type` varchar(50) NOT NULL,
  `name` varchar(128) NOT NULL,
  `counters` mediumtext NOT NULL,
  `writer_count` int(11) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_aggregates_name` (`tenant_id`,`type`,`name`),
  KEY `ix_aggregates_name` (`tenant_id`,`name`,`id`),
  KEY `ix_aggregates_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_aggregates_type` (`tenant_id`,`type`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `aggregate_events` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `aggregate_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `batch_version` bigint(20) NOT NULL,
  `client_id` varchar(128) NOT NULL,
  `client_seq` bigint(20) DEFAULT NULL,
  `event_id` varchar(128) DEFAULT NULL,
  `event_type` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `event_time` datetime(6) NOT NULL,
  `deltas` text NOT NULL,
  `payload` mediumtext NOT NULL,
  `fingerprint` binary(32) NOT NULL,
  `created_by` bigint(20) NOT NULL,
  `created_by_name` varchar(100) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_aggregate_events_version` (`tenant_id`,`aggregate_id`,`version`),
  UNIQUE KEY `uq_aggregate_events_seq` (`tenant_id`,`aggregate_id`,`client_id`,`client_seq`),
  UNIQUE KEY `uq_aggregate_events_event` (`tenant_id`,`aggregate_id`,`event_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `aggregate_writers` (
  `tenant_id` bigint(20) NOT NULL,
  `aggregate_id` bigint(20) NOT NULL,
  `client_id` varchar(128) NOT NULL,
  `last_seq` bigint(20) NOT NULL,
  PRIMARY KEY (`tenant_id`,`aggregate_id`,`client_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `api_tokens` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `name` varchar(100) NOT NULL,
  `token_hash` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `scopes` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`scopes`)),
  `created_by` bigint(20) NOT NULL,
  `created_by_name` varchar(100) NOT NULL,
  `expires_time` datetime(6) DEFAULT NULL,
  `last_used_time` datetime(6) DEFAULT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_api_tokens_hash` (`token_hash`),
  KEY `ix_api_tokens_user` (`tenant_id`,`user_id`,`id`),
  KEY `ix_api_tokens_name` (`tenant_id`,`name`,`id`),
  KEY `ix_api_tokens_created` (`tenant_id`,`created_time`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `approvals` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `status` int(11) NOT NULL,
  `kind` varchar(32) NOT NULL,
  `resource` varchar(640) NOT NULL,
  `author_id` bigint(20) NOT NULL,
  `author_name` varchar(100) NOT NULL,
  `note` varchar(500) NOT NULL,
  `base_etag` varchar(64) NOT NULL,
  `content` longtext NOT NULL,
  `content_version` bigint(20) NOT NULL,
  `digest` char(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `open_digest` char(64) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `required` int(11) NOT NULL,
  `reason` varchar(500) NOT NULL,
  `expires_time` datetime(6) NOT NULL,
  `comments` bigint(20) NOT NULL DEFAULT 0,
  `party_id` bigint(20) NOT NULL DEFAULT 0,
  `party_creator_id` bigint(20) NOT NULL DEFAULT 0,
  `party_time` datetime(6) DEFAULT NULL,
  `effective_time` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_approvals_open` (`tenant_id`,`author_id`,`open_digest`),
  KEY `ix_approvals_status` (`tenant_id`,`status`,`id`),
  KEY `ix_approvals_waiting` (`tenant_id`,`status`,`expires_time`),
  KEY `ix_approvals_author` (`tenant_id`,`author_id`,`id`),
  KEY `ix_approvals_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_approvals_expires` (`status`,`expires_time`),
  KEY `ix_approvals_id` (`tenant_id`,`id`),
  KEY `ix_approvals_ends` (`tenant_id`,`expires_time`,`id`),
  KEY `ix_approvals_due` (`status`,`effective_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `approval_comments` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `approval_id` bigint(20) NOT NULL,
  `text` text NOT NULL,
  `created_by` bigint(20) NOT NULL,
  `created_by_name` varchar(100) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_approval_comments_id` (`tenant_id`,`approval_id`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `approval_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `approval_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `creator_id` bigint(20) NOT NULL DEFAULT 0,
  `from_status` int(11) DEFAULT NULL,
  `to_status` int(11) NOT NULL,
  `detail` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`detail`)),
  `content` longtext DEFAULT NULL,
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_approval_histories_version` (`tenant_id`,`approval_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `approval_targets` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `approval_id` bigint(20) NOT NULL,
  `resource` varchar(640) NOT NULL,
  `pending` tinyint(1) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_approval_targets_resource` (`tenant_id`,`approval_id`,`resource`),
  KEY `ix_approval_targets_pending` (`tenant_id`,`resource`,`pending`,`approval_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `approval_votes` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `approval_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `digest` char(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `user_name` varchar(100) NOT NULL,
  `token_id` bigint(20) NOT NULL DEFAULT 0,
  `creator_id` bigint(20) NOT NULL DEFAULT 0,
  `creator_name` varchar(100) NOT NULL DEFAULT '',
  `verdict` varchar(16) NOT NULL,
  `voted_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_approval_votes_version` (`tenant_id`,`approval_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `audit_entries` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `unit_id` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `request_id` varchar(128) NOT NULL DEFAULT '',
  `actor_kind` varchar(16) NOT NULL,
  `actor_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `actor_name` varchar(100) NOT NULL,
  `credential_id` varchar(64) NOT NULL DEFAULT '',
  `token_id` bigint(20) NOT NULL DEFAULT 0,
  `creator_id` bigint(20) NOT NULL DEFAULT 0,
  `creator_name` varchar(100) NOT NULL DEFAULT '',
  `action` varchar(64) NOT NULL,
  `resource` varchar(640) NOT NULL,
  `detail` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`detail`)),
  `changes` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`changes`)),
  `note` varchar(500) NOT NULL DEFAULT '',
  `created_time` datetime(6) NOT NULL,
  `on_behalf_of` varchar(128) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `idempotency_key` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  `place` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_audit_entries_unit` (`unit_id`,`resource`),
  UNIQUE KEY `uq_audit_entries_place` (`tenant_id`,`place`),
  KEY `ix_audit_entries_resource` (`tenant_id`,`resource`,`id`),
  KEY `ix_audit_entries_time` (`tenant_id`,`id`),
  KEY `ix_audit_entries_action` (`tenant_id`,`action`,`id`),
  KEY `ix_audit_entries_actor` (`tenant_id`,`actor_id`,`id`),
  KEY `ix_audit_entries_actor_name` (`tenant_id`,`actor_name`,`id`),
  KEY `ix_audit_entries_created` (`tenant_id`,`created_time`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `audit_targets` (
  `tenant_id` bigint(20) NOT NULL,
  `resource` varchar(640) NOT NULL,
  `entry_id` bigint(20) NOT NULL,
  PRIMARY KEY (`tenant_id`,`resource`,`entry_id`),
  KEY `ix_audit_targets_entry` (`entry_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `configs` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `key` varchar(200) NOT NULL,
  `value` mediumtext NOT NULL,
  `value_type` varchar(16) NOT NULL,
  `value_schema` mediumtext NOT NULL,
  `remark` varchar(500) NOT NULL,
  `protected` tinyint(1) NOT NULL DEFAULT 0,
  `proposed` bigint(20) NOT NULL DEFAULT 0,
  `secret` tinyint(1) NOT NULL DEFAULT 0,
  `sealed_value` mediumblob DEFAULT NULL,
  `value_key` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  `owners` varchar(2000) NOT NULL DEFAULT '',
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_configs_key` (`tenant_id`,`key`),
  KEY `ix_configs_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_configs_version` (`tenant_id`,`version`,`id`),
  KEY `ix_configs_type` (`tenant_id`,`value_type`,`key`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `config_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `config_id` bigint(20) NOT NULL,
  `key` varchar(200) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `value` mediumtext NOT NULL,
  `value_type` varchar(16) NOT NULL,
  `value_schema` mediumtext NOT NULL,
  `remark` varchar(500) NOT NULL,
  `note` varchar(500) NOT NULL,
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  `protected` tinyint(1) NOT NULL DEFAULT 0,
  `approval_id` bigint(20) NOT NULL DEFAULT 0,
  `place` bigint(20) DEFAULT NULL,
  `secret` tinyint(1) NOT NULL DEFAULT 0,
  `sealed_value` mediumblob DEFAULT NULL,
  `value_key` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  `owners` varchar(2000) NOT NULL DEFAULT '',
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_config_histories_version` (`config_id`,`version`),
  UNIQUE KEY `uq_config_histories_place` (`place`),
  KEY `ix_config_histories_key` (`tenant_id`,`key`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `conflict_counts` (
  `tenant_id` bigint(20) NOT NULL,
  `day` varchar(10) NOT NULL,
  `resource` varchar(64) NOT NULL,
  `code` varchar(64) NOT NULL,
  `conflicts` bigint(20) NOT NULL,
  PRIMARY KEY (`tenant_id`,`day`,`resource`,`code`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `coupons` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `campaign_id` bigint(20) NOT NULL,
  `code` varchar(32) NOT NULL,
  `user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `status` int(11) NOT NULL,
  `redeemed_by` varchar(128) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `order_id` bigint(20) DEFAULT NULL,
  `void_reason` varchar(500) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_coupons_code` (`tenant_id`,`code`),
  KEY `ix_coupons_id` (`tenant_id`,`id`),
  KEY `ix_coupons_campaign` (`tenant_id`,`campaign_id`,`status`,`id`),
  KEY `ix_coupons_user` (`tenant_id`,`user_id`,`id`),
  KEY `ix_coupons_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_coupons_status` (`tenant_id`,`status`,`id`),
  KEY `ix_coupons_created` (`tenant_id`,`created_time`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `coupon_campaigns` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `name` varchar(100) NOT NULL,
  `kind` varchar(16) NOT NULL,
  `value` bigint(20) NOT NULL,
  `minimum_amount` bigint(20) NOT NULL,
  `total` bigint(20) NOT NULL,
  `per_user` bigint(20) NOT NULL,
  `valid_from` datetime(6) NOT NULL,
  `valid_to` datetime(6) NOT NULL,
  `issued` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_coupon_campaigns_id` (`tenant_id`,`id`),
  KEY `ix_coupon_campaigns_valid_to` (`valid_to`),
  KEY `ix_coupon_campaigns_name` (`tenant_id`,`name`,`id`),
  KEY `ix_coupon_campaigns_starts` (`tenant_id`,`valid_from`,`id`),
  KEY `ix_coupon_campaigns_ends` (`tenant_id`,`valid_to`,`id`),
  KEY `ix_coupon_campaigns_created` (`tenant_id`,`created_time`,`id`),
  KEY `ix_coupon_campaigns_updated` (`tenant_id`,`updated_time`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `coupon_campaign_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `campaign_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `name` varchar(100) NOT NULL,
  `kind` varchar(16) NOT NULL,
  `value` bigint(20) NOT NULL,
  `minimum_amount` bigint(20) NOT NULL,
  `total` bigint(20) NOT NULL,
  `per_user` bigint(20) NOT NULL,
  `valid_from` datetime(6) NOT NULL,
  `valid_to` datetime(6) NOT NULL,
  `issued` bigint(20) NOT NULL,
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_coupon_campaign_histories_version` (`tenant_id`,`campaign_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `coupon_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `coupon_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `from_status` int(11) DEFAULT NULL,
  `to_status` int(11) NOT NULL,
  `detail` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`detail`)),
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_coupon_histories_version` (`tenant_id`,`coupon_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `coupon_holders` (
  `tenant_id` bigint(20) NOT NULL,
  `campaign_id` bigint(20) NOT NULL,
  `user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `held` bigint(20) NOT NULL,
  PRIMARY KEY (`tenant_id`,`campaign_id`,`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `customer_erasures` (
  `tenant_id` bigint(20) NOT NULL,
  `user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `pseudonym` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `secret` varbinary(32) NOT NULL,
  `begun_time` datetime(6) NOT NULL,
  PRIMARY KEY (`tenant_id`,`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `encryption_keys` (
  `id` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `check_value` varbinary(255) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `retired_time` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `flash_sales` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `name` varchar(100) NOT NULL,
  `sku` varchar(64) NOT NULL,
  `price` bigint(20) NOT NULL,
  `quantity` bigint(20) NOT NULL,
  `per_user_limit` bigint(20) NOT NULL,
  `starts_time` datetime(6) NOT NULL,
  `ends_time` datetime(6) NOT NULL,
  `queue_cap` bigint(20) DEFAULT NULL,
  `rate` bigint(20) DEFAULT NULL,
  `item_name` varchar(200) NOT NULL,
  `status` int(11) NOT NULL,
  `secret` varchar(64) NOT NULL,
  `proposed` bigint(20) NOT NULL DEFAULT 0,
  `replicas` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_flash_sales_id` (`tenant_id`,`id`),
  KEY `ix_flash_sales_starts` (`tenant_id`,`starts_time`,`id`),
  KEY `ix_flash_sales_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_flash_sales_status` (`status`,`id`),
  KEY `ix_flash_sales_active` (`tenant_id`,`status`,`id`),
  KEY `ix_flash_sales_name` (`tenant_id`,`name`,`id`),
  KEY `ix_flash_sales_ends` (`tenant_id`,`ends_time`,`id`),
  KEY `ix_flash_sales_created` (`tenant_id`,`created_time`,`id`),
  KEY `ix_flash_sales_sku` (`tenant_id`,`sku`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `flash_sale_arrivals` (
  `sale_id` bigint(20) NOT NULL,
  `tenant_id` bigint(20) NOT NULL,
  `accepted` bigint(20) NOT NULL,
  `sold_out` bigint(20) NOT NULL,
  `limit_reached` bigint(20) NOT NULL,
  `sale_not_open` bigint(20) NOT NULL,
  `queue_full` bigint(20) NOT NULL,
  PRIMARY KEY (`sale_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `flash_sale_buyers` (
  `sale_id` bigint(20) NOT NULL,
  `user_id` varchar(128) NOT NULL,
  `tenant_id` bigint(20) NOT NULL,
  `units` bigint(20) NOT NULL,
  `ticket` varchar(64) NOT NULL,
  PRIMARY KEY (`sale_id`,`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `flash_sale_gates` (
  `sale_id` bigint(20) NOT NULL,
  `tenant_id` bigint(20) NOT NULL,
  `epoch` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `stock_version` bigint(20) NOT NULL,
  `is_open` tinyint(1) NOT NULL,
  `starts` bigint(20) NOT NULL,
  `ends` bigint(20) NOT NULL,
  `user_limit` bigint(20) NOT NULL,
  `queue_cap` bigint(20) NOT NULL,
  `allotted` bigint(20) NOT NULL,
  `remaining` bigint(20) NOT NULL,
  `queued` bigint(20) NOT NULL,
  `processing` bigint(20) NOT NULL,
  `dead` bigint(20) NOT NULL,
  `confirmed` bigint(20) NOT NULL,
  `rejected` bigint(20) NOT NULL,
  `returned` bigint(20) NOT NULL,
  `waiting` bigint(20) NOT NULL,
  `epoch_floor` bigint(20) NOT NULL DEFAULT 0,
  `withheld` bigint(20) NOT NULL DEFAULT 0,
  `working` bigint(20) NOT NULL DEFAULT 0,
  `buried` bigint(20) NOT NULL DEFAULT 0,
  `revision` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`sale_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `flash_sale_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `sale_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `name` varchar(100) NOT NULL,
  `sku` varchar(64) NOT NULL,
  `price` bigint(20) NOT NULL,
  `quantity` bigint(20) NOT NULL,
  `per_user_limit` bigint(20) NOT NULL,
  `starts_time` datetime(6) NOT NULL,
  `ends_time` datetime(6) NOT NULL,
  `queue_cap` bigint(20) DEFAULT NULL,
  `rate` bigint(20) DEFAULT NULL,
  `item_name` varchar(200) NOT NULL,
  `status` int(11) NOT NULL,
  `note` varchar(500) NOT NULL,
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  `replicas` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_flash_sale_histories_version` (`tenant_id`,`sale_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `flash_sale_rejections` (
  `tenant_id` bigint(20) NOT NULL,
  `ticket` varchar(64) NOT NULL,
  `sale_id` bigint(20) NOT NULL,
  `user_id` varchar(128) NOT NULL,
  `units` bigint(20) NOT NULL,
  `reason` varchar(32) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`tenant_id`,`ticket`),
  KEY `ix_flash_sale_rejections_sale` (`tenant_id`,`sale_id`,`ticket`),
  KEY `ix_flash_sale_rejections_user` (`tenant_id`,`user_id`,`created_time`,`ticket`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `flash_sale_samples` (
  `sale_id` bigint(20) NOT NULL,
  `slot` bigint(20) NOT NULL,
  `tenant_id` bigint(20) NOT NULL,
  `taken_time` datetime(6) NOT NULL,
  `stats` text NOT NULL,
  PRIMARY KEY (`sale_id`,`slot`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `flash_sale_stocks` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `sale_id` bigint(20) NOT NULL,
  `allotted` bigint(20) NOT NULL,
  `sold` bigint(20) NOT NULL,
  `epoch` bigint(20) NOT NULL,
  `rejected` bigint(20) NOT NULL DEFAULT 0,
  `finished` tinyint(1) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_flash_sale_stocks_sale` (`tenant_id`,`sale_id`),
  KEY `ix_flash_sale_stocks_finished` (`finished`,`tenant_id`,`sale_id`),
  CONSTRAINT `ck_flash_sale_stocks_sold` CHECK (`sold` >= 0 and `sold` <= `allotted`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `flash_sale_tickets` (
  `sale_id` bigint(20) NOT NULL,
  `ticket` varchar(64) NOT NULL,
  `tenant_id` bigint(20) NOT NULL,
  `user_id` varchar(128) NOT NULL,
  `units` bigint(20) NOT NULL,
  `state` varchar(16) NOT NULL,
  `accepted` bigint(20) NOT NULL,
  `ahead` bigint(20) NOT NULL,
  `confirmed` bigint(20) NOT NULL,
  `order_id` bigint(20) NOT NULL,
  `order_no` varchar(32) NOT NULL,
  `reason` varchar(100) NOT NULL,
  PRIMARY KEY (`sale_id`,`ticket`),
  KEY `ix_flash_sale_tickets_accepted` (`sale_id`,`accepted`),
  KEY `ix_flash_sale_tickets_confirmed` (`sale_id`,`confirmed`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `idempotency_keys` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `scope` varchar(192) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `idempotency_key` varbinary(128) NOT NULL,
  `fingerprint` binary(32) NOT NULL,
  `method` varchar(8) NOT NULL,
  `path` varchar(1024) NOT NULL,
  `request_id` varchar(128) NOT NULL,
  `actor_kind` varchar(16) NOT NULL,
  `actor_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `actor_name` varchar(100) NOT NULL,
  `on_behalf_of` varchar(128) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `status` smallint(6) NOT NULL,
  `reply` mediumblob DEFAULT NULL,
  `location` varchar(1024) NOT NULL,
  `seal_key` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `duration_us` bigint(20) NOT NULL,
  `replays` bigint(20) NOT NULL,
  `last_replay_time` datetime(6) DEFAULT NULL,
  `created_time` datetime(6) NOT NULL,
  `expires_time` datetime(6) NOT NULL,
  `sealed_fingerprint` varbinary(255) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_idempotency_keys_key` (`tenant_id`,`scope`,`idempotency_key`),
  KEY `ix_idempotency_keys_search` (`tenant_id`,`idempotency_key`,`id`),
  KEY `ix_idempotency_keys_time` (`tenant_id`,`id`),
  KEY `ix_idempotency_keys_expires` (`expires_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `installation` (
  `id` tinyint(4) NOT NULL,
  `epoch` varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `begun_time` datetime(6) NOT NULL,
  `reason` varchar(500) NOT NULL,
  `device_key` varbinary(32) DEFAULT NULL,
  `backup_time` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `inventories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `sku` varchar(64) NOT NULL,
  `on_hand` bigint(20) NOT NULL,
  `reserved` bigint(20) NOT NULL,
  `available` bigint(20) GENERATED ALWAYS AS (`on_hand` - `reserved`) STORED,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_inventories_sku` (`tenant_id`,`sku`),
  KEY `ix_inventories_available` (`tenant_id`,`available`,`id`),
  KEY `ix_inventories_updated` (`tenant_id`,`updated_time`,`id`),
  CONSTRAINT `ck_inventories_reserved` CHECK (`reserved` >= 0 and `on_hand` >= `reserved`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `inventory_holds` (
  `tenant_id` bigint(20) NOT NULL,
  `holder` varchar(64) NOT NULL,
  `sku` varchar(64) NOT NULL,
  `quantity` bigint(20) NOT NULL,
  PRIMARY KEY (`tenant_id`,`holder`,`sku`),
  KEY `ix_inventory_holds_sku` (`tenant_id`,`sku`,`quantity`),
  CONSTRAINT `ck_inventory_holds_quantity` CHECK (`quantity` >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `inventory_movements` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `sku` varchar(64) NOT NULL,
  `version` bigint(20) NOT NULL,
  `kind` varchar(16) NOT NULL,
  `on_hand_delta` bigint(20) NOT NULL,
  `reserved_delta` bigint(20) NOT NULL,
  `on_hand` bigint(20) NOT NULL,
  `reserved` bigint(20) NOT NULL,
  `holder` varchar(64) NOT NULL,
  `reason` varchar(500) NOT NULL,
  `reference` varchar(100) NOT NULL,
  `created_by` bigint(20) NOT NULL,
  `created_by_name` varchar(100) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_inventory_movements_version` (`tenant_id`,`sku`,`version`),
  UNIQUE KEY `uq_inventory_movements_reference` (`tenant_id`,`sku`,`reference`),
  KEY `ix_inventory_movements_id` (`tenant_id`,`sku`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `items` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `sku` varchar(64) NOT NULL,
  `name` varchar(200) NOT NULL,
  `price` bigint(20) NOT NULL,
  `owned_by_user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `status` varchar(16) NOT NULL,
  `uses` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_items_sku` (`tenant_id`,`sku`),
  KEY `ix_items_name` (`tenant_id`,`name`,`id`),
  KEY `ix_items_price` (`tenant_id`,`price`,`id`),
  KEY `ix_items_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_items_status` (`tenant_id`,`status`,`sku`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `item_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `item_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `name` varchar(200) NOT NULL,
  `price` bigint(20) NOT NULL,
  `owned_by_user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `status` varchar(16) NOT NULL,
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_item_histories_version` (`tenant_id`,`item_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `log_places` (
  `name` varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `last` bigint(20) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `menus` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `parent_id` bigint(20) NOT NULL,
  `sort_key` bigint(20) NOT NULL,
  `title` varchar(100) NOT NULL,
  `path` varchar(500) NOT NULL,
  `icon` varchar(32) NOT NULL,
  `permission` varchar(100) NOT NULL,
  `hidden` tinyint(1) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_menus_parent` (`tenant_id`,`parent_id`,`sort_key`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `menu_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `menu_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `parent_id` bigint(20) NOT NULL,
  `sort_key` bigint(20) NOT NULL,
  `position` int(11) NOT NULL,
  `title` varchar(100) NOT NULL,
  `path` varchar(500) NOT NULL,
  `icon` varchar(32) NOT NULL,
  `permission` varchar(100) NOT NULL,
  `hidden` tinyint(1) NOT NULL,
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_menu_histories_version` (`tenant_id`,`menu_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `menu_revisions` (
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  PRIMARY KEY (`tenant_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `migration_lock` (
  `id` tinyint(4) NOT NULL,
  `holder` varchar(160) NOT NULL,
  `ends` datetime(6) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE `mq_batches` (
  `id` varchar(36) NOT NULL,
  `queue` varchar(100) NOT NULL,
  `settled` tinyint(1) NOT NULL,
  `lease_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_mq_batches_lease` (`queue`,`lease_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `mq_messages` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `queue` varchar(100) NOT NULL,
  `state` tinyint(4) NOT NULL,
  `message_id` varbinary(128) NOT NULL,
  `batch_id` varchar(36) NOT NULL,
  `due_time` datetime(6) NOT NULL,
  `attempts` int(11) NOT NULL,
  `crashes` int(11) NOT NULL,
  `enqueued_time` datetime(6) NOT NULL,
  `error` text NOT NULL,
  `trace` text NOT NULL,
  `body` mediumblob NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_mq_messages_due` (`queue`,`state`,`due_time`,`id`),
  KEY `ix_mq_messages_batch` (`batch_id`),
  KEY `ix_mq_messages_message` (`queue`,`message_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `mq_queues` (
  `name` varchar(100) NOT NULL,
  `rate_used` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `orders` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `order_no` varchar(32) NOT NULL,
  `user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `status` int(11) NOT NULL,
  `discount` bigint(20) NOT NULL,
  `amount` bigint(20) NOT NULL,
  `coupon_code` varchar(32) NOT NULL,
  `carrier` varchar(100) NOT NULL,
  `tracking_no` varchar(100) NOT NULL,
  `cancel_reason` varchar(500) NOT NULL,
  `sale_id` bigint(20) DEFAULT NULL,
  `ticket` varchar(64) DEFAULT NULL,
  `payment_due` datetime(6) DEFAULT NULL,
  `paid` bigint(20) NOT NULL DEFAULT 0,
  `refund_reserved` bigint(20) NOT NULL DEFAULT 0,
  `refunded` bigint(20) NOT NULL DEFAULT 0,
  `shipping` bigint(20) NOT NULL DEFAULT 0,
  `tax` bigint(20) NOT NULL DEFAULT 0,
  `payment_terms` varchar(16) NOT NULL DEFAULT 'prepaid',
  `paid_time` datetime(6) DEFAULT NULL,
  `shipped_time` datetime(6) DEFAULT NULL,
  `completed_time` datetime(6) DEFAULT NULL,
  `cancelled_time` datetime(6) DEFAULT NULL,
  `external_id` varchar(128) DEFAULT NULL,
  `content_hash` varchar(64) DEFAULT NULL,
  `email` varchar(254) NOT NULL DEFAULT '',
  `shipping_address` varchar(2000) NOT NULL DEFAULT '',
  `billing_address` varchar(2000) NOT NULL DEFAULT '',
  `note` text NOT NULL DEFAULT '',
  `tags` varchar(4000) NOT NULL DEFAULT '[]',
  `metadata` mediumtext NOT NULL DEFAULT '{}',
  `units_to_ship` bigint(20) NOT NULL DEFAULT 0,
  `fulfilment_status` varchar(16) NOT NULL DEFAULT 'none',
  `payment_status` varchar(16) GENERATED ALWAYS AS (case when `refunded` > 0 and `refunded` = `paid` then 'refunded' when `refunded` > 0 then 'partly_refunded' when `paid_time` is not null then 'paid' when `paid` > 0 then 'partly_paid' else 'unpaid' end) STORED,
  `shippable` int(11) GENERATED ALWAYS AS (case when `units_to_ship` > 0 and (`status` in (1,2) or `status` = 0 and `payment_terms` <> 'prepaid') then 1 else 0 end) STORED,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_orders_no` (`tenant_id`,`order_no`),
  UNIQUE KEY `uq_orders_external` (`tenant_id`,`external_id`),
  UNIQUE KEY `uq_orders_ticket` (`tenant_id`,`ticket`),
  KEY `ix_orders_id` (`tenant_id`,`id`),
  KEY `ix_orders_status` (`tenant_id`,`status`,`id`),
  KEY `ix_orders_user` (`tenant_id`,`user_id`,`id`,`sale_id`,`paid`,`refunded`),
  KEY `ix_orders_created` (`tenant_id`,`created_time`,`id`),
  KEY `ix_orders_amount` (`tenant_id`,`amount`,`id`),
  KEY `ix_orders_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_orders_sale` (`tenant_id`,`sale_id`,`id`),
  KEY `ix_orders_due` (`payment_due`),
  KEY `ix_orders_sale_user` (`tenant_id`,`sale_id`,`user_id`),
  KEY `ix_orders_tracking` (`tenant_id`,`tracking_no`,`id`),
  KEY `ix_orders_coupon` (`tenant_id`,`coupon_code`,`id`),
  KEY `ix_orders_email` (`tenant_id`,`email`,`id`),
  KEY `ix_orders_payment_status` (`tenant_id`,`payment_status`,`id`),
  KEY `ix_orders_fulfilment` (`tenant_id`,`fulfilment_status`,`id`),
  KEY `ix_orders_shippable` (`tenant_id`,`shippable`,`id`),
  KEY `ix_orders_paid` (`tenant_id`,`paid_time`,`id`),
  KEY `ix_orders_shipped` (`tenant_id`,`shipped_time`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `order_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `order_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `from_status` int(11) DEFAULT NULL,
  `to_status` int(11) NOT NULL,
  `detail` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`detail`)),
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_order_histories_version` (`tenant_id`,`order_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `order_lines` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `order_id` bigint(20) NOT NULL,
  `sku` varchar(64) NOT NULL,
  `name` varchar(200) NOT NULL,
  `price` bigint(20) NOT NULL,
  `quantity` bigint(20) NOT NULL,
  `to_ship` bigint(20) NOT NULL,
  `in_refund` bigint(20) NOT NULL,
  `shipped` bigint(20) NOT NULL,
  `returned` bigint(20) NOT NULL,
  `in_returns` bigint(20) NOT NULL DEFAULT 0,
  `written_off` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_order_lines_sku` (`tenant_id`,`order_id`,`sku`),
  KEY `ix_order_lines_sku` (`tenant_id`,`sku`,`order_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `order_tags` (
  `tenant_id` bigint(20) NOT NULL,
  `order_id` bigint(20) NOT NULL,
  `tag` varchar(50) NOT NULL,
  PRIMARY KEY (`tenant_id`,`order_id`,`tag`),
  KEY `ix_order_tags_tag` (`tenant_id`,`tag`,`order_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `payments` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `order_id` bigint(20) DEFAULT NULL,
  `named_order_id` bigint(20) NOT NULL,
  `order_no` varchar(32) NOT NULL,
  `user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `method` varchar(16) NOT NULL,
  `provider` varchar(64) NOT NULL,
  `reference` varchar(100) DEFAULT NULL,
  `amount` bigint(20) NOT NULL,
  `refund_reserved` bigint(20) NOT NULL DEFAULT 0,
  `refunded` bigint(20) NOT NULL DEFAULT 0,
  `status` int(11) NOT NULL,
  `reason` varchar(500) NOT NULL,
  `reason_code` varchar(32) NOT NULL DEFAULT '',
  `applied_time` datetime(6) DEFAULT NULL,
  `recorded_by` bigint(20) NOT NULL,
  `recorded_by_name` varchar(100) NOT NULL,
  `recorder_creator_id` bigint(20) NOT NULL DEFAULT 0,
  `proposed` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_payments_reference` (`tenant_id`,`provider`,`reference`),
  KEY `ix_payments_id` (`tenant_id`,`id`),
  KEY `ix_payments_order` (`tenant_id`,`order_id`,`id`),
  KEY `ix_payments_status` (`tenant_id`,`status`,`id`),
  KEY `ix_payments_user` (`tenant_id`,`user_id`,`id`),
  KEY `ix_payments_method` (`tenant_id`,`method`,`id`),
  KEY `ix_payments_provider` (`tenant_id`,`provider`,`id`),
  KEY `ix_payments_created` (`tenant_id`,`created_time`,`id`),
  KEY `ix_payments_amount` (`tenant_id`,`amount`,`id`),
  KEY `ix_payments_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_payments_reference` (`tenant_id`,`reference`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `payment_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `payment_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `from_status` int(11) DEFAULT NULL,
  `to_status` int(11) NOT NULL,
  `detail` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`detail`)),
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_payment_histories_version` (`tenant_id`,`payment_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `promise_keys` (
  `id` tinyint(4) NOT NULL,
  `seed` varbinary(32) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `promise_violations` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `name` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `subject` varchar(640) NOT NULL,
  `pass` bigint(20) NOT NULL,
  `found_time` datetime(6) NOT NULL,
  `kept_time` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_promise_violations_subject` (`tenant_id`,`name`,`subject`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `recovery_codes` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `code_hash` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_recovery_codes_code` (`tenant_id`,`user_id`,`code_hash`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `refunds` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `order_id` bigint(20) NOT NULL,
  `order_no` varchar(32) NOT NULL,
  `user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `payment_id` bigint(20) NOT NULL,
  `amount` bigint(20) NOT NULL,
  `method` varchar(16) NOT NULL,
  `origin` varchar(16) NOT NULL,
  `status` int(11) NOT NULL,
  `reason` varchar(500) NOT NULL,
  `requested_by` bigint(20) NOT NULL,
  `requested_by_name` varchar(100) NOT NULL,
  `requester_creator_id` bigint(20) NOT NULL DEFAULT 0,
  `approved_by` bigint(20) DEFAULT NULL,
  `approved_by_name` varchar(100) NOT NULL,
  `approved_time` datetime(6) DEFAULT NULL,
  `reference` varchar(100) DEFAULT NULL,
  `status_reason` varchar(500) NOT NULL,
  `proposed` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_refunds_reference` (`tenant_id`,`method`,`reference`),
  KEY `ix_refunds_id` (`tenant_id`,`id`),
  KEY `ix_refunds_order` (`tenant_id`,`order_id`,`id`),
  KEY `ix_refunds_payment` (`tenant_id`,`payment_id`,`id`),
  KEY `ix_refunds_status` (`tenant_id`,`status`,`id`),
  KEY `ix_refunds_user` (`tenant_id`,`user_id`,`id`),
  KEY `ix_refunds_created` (`tenant_id`,`created_time`,`id`),
  KEY `ix_refunds_amount` (`tenant_id`,`amount`,`id`),
  KEY `ix_refunds_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_refunds_reference` (`tenant_id`,`reference`,`id`),
  KEY `ix_refunds_settled` (`tenant_id`,`status`,`updated_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `refund_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `refund_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `from_status` int(11) DEFAULT NULL,
  `to_status` int(11) NOT NULL,
  `detail` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`detail`)),
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_refund_histories_version` (`tenant_id`,`refund_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `refund_lines` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `refund_id` bigint(20) NOT NULL,
  `order_id` bigint(20) NOT NULL,
  `sku` varchar(64) NOT NULL,
  `name` varchar(200) NOT NULL,
  `quantity` bigint(20) NOT NULL,
  `restock` tinyint(1) NOT NULL,
  `unshipped` bigint(20) NOT NULL,
  `worth` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_refund_lines_sku` (`tenant_id`,`refund_id`,`sku`),
  KEY `ix_refund_lines_order` (`tenant_id`,`order_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `retention_tallies` (
  `tenant_id` bigint(20) NOT NULL,
  `name` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `removed` bigint(20) NOT NULL,
  PRIMARY KEY (`tenant_id`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `returns` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `order_id` bigint(20) NOT NULL,
  `order_no` varchar(32) NOT NULL,
  `user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `status` int(11) NOT NULL,
  `reason` varchar(500) NOT NULL,
  `status_reason` varchar(500) NOT NULL,
  `refund_id` bigint(20) DEFAULT NULL,
  `exchange_order_id` bigint(20) DEFAULT NULL,
  `comments` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  KEY `ix_returns_id` (`tenant_id`,`id`),
  KEY `ix_returns_order` (`tenant_id`,`order_id`,`id`),
  KEY `ix_returns_order_no` (`tenant_id`,`order_no`,`id`),
  KEY `ix_returns_status` (`tenant_id`,`status`,`id`),
  KEY `ix_returns_user` (`tenant_id`,`user_id`,`id`),
  KEY `ix_returns_created` (`tenant_id`,`created_time`,`id`),
  KEY `ix_returns_updated` (`tenant_id`,`updated_time`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `return_comments` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `return_id` bigint(20) NOT NULL,
  `text` text NOT NULL,
  `created_by` bigint(20) NOT NULL,
  `created_by_name` varchar(100) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_return_comments_id` (`tenant_id`,`return_id`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `return_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `return_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `from_status` int(11) DEFAULT NULL,
  `to_status` int(11) NOT NULL,
  `detail` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`detail`)),
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_return_histories_version` (`tenant_id`,`return_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `return_lines` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `return_id` bigint(20) NOT NULL,
  `order_id` bigint(20) NOT NULL,
  `line_no` bigint(20) NOT NULL,
  `sku` varchar(64) NOT NULL,
  `name` varchar(200) NOT NULL,
  `quantity` bigint(20) NOT NULL,
  `received` bigint(20) NOT NULL,
  `restocked` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_return_lines_sku` (`tenant_id`,`return_id`,`sku`),
  KEY `ix_return_lines_order` (`tenant_id`,`order_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `roles` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `name` varchar(100) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_roles_name` (`tenant_id`,`name`),
  KEY `ix_roles_updated` (`tenant_id`,`updated_time`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `role_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `role_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `name` varchar(100) NOT NULL,
  `permissions` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`permissions`)),
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_role_histories_version` (`tenant_id`,`role_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `role_permissions` (
  `tenant_id` bigint(20) NOT NULL,
  `role_id` bigint(20) NOT NULL,
  `permission` varchar(100) NOT NULL,
  PRIMARY KEY (`role_id`,`permission`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `server_claims` (
  `id` tinyint(4) NOT NULL,
  `group_name` varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `run_id` varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `role` varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `host` varchar(255) NOT NULL,
  `machine` varchar(255) NOT NULL,
  `pid` bigint(20) NOT NULL,
  `process_start` bigint(20) NOT NULL,
  `since_time` datetime(6) NOT NULL,
  `heartbeat_time` datetime(6) NOT NULL,
  `lease_ends_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `sessions` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `token_hash` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `data` blob NOT NULL,
  `expires_time` datetime(6) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `address` varchar(64) NOT NULL DEFAULT '',
  `user_agent` varchar(255) NOT NULL DEFAULT '',
  `last_used_time` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_sessions_token_hash` (`token_hash`),
  KEY `ix_sessions_user` (`tenant_id`,`user_id`),
  KEY `ix_sessions_expires` (`expires_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `shipments` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `order_id` bigint(20) NOT NULL,
  `carrier` varchar(100) NOT NULL,
  `tracking_no` varchar(100) NOT NULL,
  `created_by` bigint(20) NOT NULL,
  `created_by_name` varchar(100) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_shipments_order` (`tenant_id`,`order_id`,`id`),
  KEY `ix_shipments_tracking` (`tenant_id`,`tracking_no`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `shipment_lines` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `shipment_id` bigint(20) NOT NULL,
  `order_id` bigint(20) NOT NULL,
  `line_id` bigint(20) NOT NULL,
  `sku` varchar(64) NOT NULL,
  `name` varchar(200) NOT NULL,
  `quantity` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_shipment_lines_sku` (`tenant_id`,`shipment_id`,`sku`),
  KEY `ix_shipment_lines_order` (`tenant_id`,`order_id`,`sku`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `sign_in_attempts` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `account` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `slot` int(11) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `network` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_sign_in_attempts_slot` (`account`,`network`,`slot`),
  KEY `ix_sign_in_attempts_time` (`created_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `sign_in_challenges` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `token_hash` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `expires_time` datetime(6) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `session_hash` varchar(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_sign_in_challenges_token_hash` (`token_hash`),
  KEY `ix_sign_in_challenges_user` (`tenant_id`,`user_id`),
  KEY `ix_sign_in_challenges_expires` (`expires_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `sign_in_flows` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `state_hash` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `browser_hash` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `provider` varchar(64) NOT NULL,
  `purpose` varchar(16) NOT NULL,
  `tenant` varchar(63) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `proof_hash` varchar(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `nonce` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `verifier` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `expires_time` datetime(6) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_sign_in_flows_state` (`state_hash`),
  KEY `ix_sign_in_flows_expires` (`expires_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `tenants` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `name` varchar(63) NOT NULL,
  `currency` varchar(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `disabled_time` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_tenants_name` (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `tenant_settings` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `protected` tinyint(1) NOT NULL DEFAULT 1,
  `proposed` bigint(20) NOT NULL DEFAULT 0,
  `approvals_required` int(11) NOT NULL,
  `approval_days` int(11) NOT NULL,
  `refund_approval_threshold` bigint(20) DEFAULT NULL,
  `wallet_approval_threshold` bigint(20) DEFAULT NULL,
  `self_approval` tinyint(1) NOT NULL DEFAULT 0,
  `time_zone` varchar(64) NOT NULL DEFAULT 'UTC',
  `unpaid_order_minutes` int(11) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_tenant_settings_tenant` (`tenant_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `tenant_setting_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `approvals_required` int(11) NOT NULL,
  `approval_days` int(11) NOT NULL,
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  `refund_approval_threshold` bigint(20) DEFAULT NULL,
  `wallet_approval_threshold` bigint(20) DEFAULT NULL,
  `self_approval` tinyint(1) NOT NULL DEFAULT 0,
  `time_zone` varchar(64) NOT NULL DEFAULT 'UTC',
  `unpaid_order_minutes` int(11) NOT NULL DEFAULT 0,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_tenant_setting_histories_version` (`tenant_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `users` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `username` varchar(64) NOT NULL,
  `display_name` varchar(100) NOT NULL,
  `password_hash` varchar(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `disabled` tinyint(1) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `second_factor` tinyint(1) NOT NULL DEFAULT 0,
  `invitation_hash` char(43) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `invitation_expires_time` datetime(6) DEFAULT NULL,
  `issued_time` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_users_username` (`tenant_id`,`username`),
  UNIQUE KEY `uq_users_invitation_hash` (`invitation_hash`),
  KEY `ix_users_display_name` (`tenant_id`,`display_name`,`id`),
  KEY `ix_users_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_users_disabled` (`tenant_id`,`disabled`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `user_factors` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `kind` varchar(16) NOT NULL,
  `name` varchar(100) NOT NULL,
  `secret` varbinary(255) NOT NULL,
  `secret_key` varchar(64) NOT NULL,
  `last_step` bigint(20) NOT NULL,
  `expires_time` datetime(6) DEFAULT NULL,
  `last_used_time` datetime(6) DEFAULT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_user_factors_user` (`tenant_id`,`user_id`),
  KEY `ix_user_factors_expires` (`expires_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `user_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `creator_id` bigint(20) NOT NULL DEFAULT 0,
  `username` varchar(64) NOT NULL,
  `display_name` varchar(100) NOT NULL,
  `disabled` tinyint(1) NOT NULL,
  `roles` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`roles`)),
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_user_histories_version` (`tenant_id`,`user_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `user_links` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `identity_hash` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `issuer` varchar(255) NOT NULL,
  `subject` varchar(255) NOT NULL,
  `last_used_time` datetime(6) DEFAULT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_user_links_identity` (`tenant_id`,`identity_hash`),
  KEY `ix_user_links_user` (`tenant_id`,`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `user_passkeys` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `factor_id` bigint(20) NOT NULL,
  `site` varchar(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `credential_hash` char(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `credential_id` varbinary(1023) NOT NULL,
  `public_key` varbinary(2048) NOT NULL,
  `user_handle` varbinary(64) NOT NULL,
  `counter` bigint(20) NOT NULL,
  `flags` smallint(6) NOT NULL,
  `transports` varchar(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `model` char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `clone_warning_time` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_user_passkeys_credential` (`credential_hash`),
  KEY `ix_user_passkeys_user` (`tenant_id`,`user_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `user_roles` (
  `tenant_id` bigint(20) NOT NULL,
  `user_id` bigint(20) NOT NULL,
  `role_id` bigint(20) NOT NULL,
  `link_id` bigint(20) NOT NULL DEFAULT 0,
  PRIMARY KEY (`user_id`,`role_id`,`link_id`),
  KEY `ix_user_roles_role` (`role_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `walks` (
  `kind` varchar(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `name` varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `version` bigint(20) NOT NULL,
  `position` varchar(500) NOT NULL,
  `passes` bigint(20) NOT NULL,
  `started_time` datetime(6) DEFAULT NULL,
  `ended_time` datetime(6) DEFAULT NULL,
  `checked` bigint(20) NOT NULL,
  `found` bigint(20) NOT NULL,
  `busy_us` bigint(20) NOT NULL,
  `last_started_time` datetime(6) DEFAULT NULL,
  `last_ended_time` datetime(6) DEFAULT NULL,
  `last_checked` bigint(20) NOT NULL,
  `last_found` bigint(20) NOT NULL,
  `last_busy_us` bigint(20) NOT NULL,
  `clean_time` datetime(6) DEFAULT NULL,
  `until_time` datetime(6) DEFAULT NULL,
  `total` bigint(20) NOT NULL,
  PRIMARY KEY (`kind`,`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `wallets` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `balance` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_wallets_user` (`tenant_id`,`user_id`),
  KEY `ix_wallets_balance` (`tenant_id`,`balance`,`id`),
  KEY `ix_wallets_updated` (`tenant_id`,`updated_time`,`id`),
  CONSTRAINT `ck_wallets_balance` CHECK (`balance` >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `wallet_entries` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `version` bigint(20) NOT NULL,
  `amount` bigint(20) NOT NULL,
  `balance` bigint(20) NOT NULL,
  `kind` varchar(32) NOT NULL,
  `reference` varchar(100) NOT NULL,
  `other_user_id` varchar(128) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `approval_id` bigint(20) NOT NULL DEFAULT 0,
  `creator_id` bigint(20) NOT NULL DEFAULT 0,
  `created_by` bigint(20) NOT NULL,
  `created_by_name` varchar(100) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_wallet_entries_version` (`tenant_id`,`user_id`,`version`),
  UNIQUE KEY `uq_wallet_entries_reference` (`tenant_id`,`user_id`,`reference`),
  KEY `ix_wallet_entries_id` (`tenant_id`,`user_id`,`id`),
  KEY `ix_wallet_entries_created` (`tenant_id`,`user_id`,`created_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `webhooks` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `url` varchar(2000) NOT NULL,
  `topics` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`topics`)),
  `filter` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`filter`)),
  `payload` varchar(16) NOT NULL,
  `enabled` tinyint(1) NOT NULL,
  `saved_by` bigint(20) NOT NULL,
  `saved_by_name` varchar(100) NOT NULL,
  `pause_reason` varchar(500) NOT NULL,
  `secret` varbinary(255) NOT NULL,
  `secret_key` varchar(64) NOT NULL,
  `old_secret` varbinary(255) DEFAULT NULL,
  `old_secret_until` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_webhooks_id` (`tenant_id`,`id`),
  KEY `ix_webhooks_enabled` (`enabled`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `webhook_deliveries` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `webhook_id` bigint(20) NOT NULL,
  `message_id` varchar(100) NOT NULL,
  `type` varchar(140) NOT NULL,
  `resource` varchar(700) NOT NULL,
  `position` bigint(20) NOT NULL,
  `attempt` bigint(20) NOT NULL,
  `status` int(11) NOT NULL,
  `duration_us` bigint(20) NOT NULL,
  `reply` varchar(3100) NOT NULL,
  `error` varchar(510) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_webhook_deliveries_webhook` (`tenant_id`,`webhook_id`,`id`),
  KEY `ix_webhook_deliveries_created` (`created_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `webhook_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `webhook_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `url` varchar(2000) NOT NULL,
  `topics` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`topics`)),
  `filter` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`filter`)),
  `payload` varchar(16) NOT NULL,
  `enabled` tinyint(1) NOT NULL,
  `pause_reason` varchar(500) NOT NULL,
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_webhook_histories_version` (`tenant_id`,`webhook_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `webhook_positions` (
  `webhook_id` bigint(20) NOT NULL,
  `tenant_id` bigint(20) NOT NULL,
  `generation` bigint(20) NOT NULL,
  `position` bigint(20) DEFAULT NULL,
  `attempts` bigint(20) NOT NULL,
  `failing_since` datetime(6) DEFAULT NULL,
  `next_time` datetime(6) DEFAULT NULL,
  PRIMARY KEY (`webhook_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `work_orders` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  `updated_time` datetime(6) NOT NULL,
  `updated_by` bigint(20) NOT NULL,
  `updated_by_name` varchar(100) NOT NULL,
  `created_by` bigint(20) NOT NULL,
  `created_by_name` varchar(100) NOT NULL,
  `title` varchar(200) NOT NULL,
  `body` text NOT NULL,
  `priority` int(11) NOT NULL,
  `status` int(11) NOT NULL,
  `due_time` datetime(6) DEFAULT NULL,
  `holder_id` bigint(20) DEFAULT NULL,
  `holder_name` varchar(100) NOT NULL,
  `held_time` datetime(6) DEFAULT NULL,
  `resolution` text NOT NULL,
  `comments` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_work_orders_id` (`tenant_id`,`id`),
  KEY `ix_work_orders_queue` (`tenant_id`,`status`,`priority`,`created_time`,`id`),
  KEY `ix_work_orders_priority` (`tenant_id`,`priority`,`id`),
  KEY `ix_work_orders_holder` (`tenant_id`,`holder_id`,`status`,`id`),
  KEY `ix_work_orders_due` (`tenant_id`,`due_time`,`id`),
  KEY `ix_work_orders_title` (`tenant_id`,`title`,`id`),
  KEY `ix_work_orders_created` (`tenant_id`,`created_time`,`id`),
  KEY `ix_work_orders_updated` (`tenant_id`,`updated_time`,`id`),
  KEY `ix_work_orders_status` (`tenant_id`,`status`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `work_order_comments` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `work_order_id` bigint(20) NOT NULL,
  `text` text NOT NULL,
  `created_by` bigint(20) NOT NULL,
  `created_by_name` varchar(100) NOT NULL,
  `created_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `ix_work_order_comments_id` (`tenant_id`,`work_order_id`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `work_order_histories` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `work_order_id` bigint(20) NOT NULL,
  `version` bigint(20) NOT NULL,
  `action` varchar(16) NOT NULL,
  `from_status` int(11) DEFAULT NULL,
  `to_status` int(11) NOT NULL,
  `detail` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL CHECK (json_valid(`detail`)),
  `changed_by` bigint(20) NOT NULL,
  `changed_by_name` varchar(100) NOT NULL,
  `changed_time` datetime(6) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_work_order_histories_version` (`tenant_id`,`work_order_id`,`version`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;

CREATE TABLE `work_order_links` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `tenant_id` bigint(20) NOT NULL,
  `work_order_id` bigint(20) NOT NULL,
  `resource` varchar(640) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uq_work_order_links` (`tenant_id`,`work_order_id`,`resource`),
  KEY `ix_work_order_links_resource` (`tenant_id`,`resource`,`work_order_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
