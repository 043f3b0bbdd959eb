-- +goose Up
CREATE TABLE IF NOT EXISTS coupon_campaigns (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  name            VARCHAR(100) NOT NULL,
  kind            VARCHAR(16)  NOT NULL,
  value           BIGINT       NOT NULL,
  minimum_amount  BIGINT       NOT NULL,
  total           BIGINT       NOT NULL,
  per_user        BIGINT       NOT NULL,
  valid_from      DATETIME(6)  NOT NULL,
  valid_to        DATETIME(6)  NOT NULL,
  issued          BIGINT       NOT NULL,
  PRIMARY KEY (id),
  KEY ix_coupon_campaigns_id (tenant_id, id),
  KEY ix_coupon_campaigns_valid_to (valid_to)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS coupon_campaign_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  campaign_id     BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  name            VARCHAR(100) NOT NULL,
  kind            VARCHAR(16)  NOT NULL,
  value           BIGINT       NOT NULL,
  minimum_amount  BIGINT       NOT NULL,
  total           BIGINT       NOT NULL,
  per_user        BIGINT       NOT NULL,
  valid_from      DATETIME(6)  NOT NULL,
  valid_to        DATETIME(6)  NOT NULL,
  issued          BIGINT       NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_coupon_campaign_histories_version (tenant_id, campaign_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS coupons (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  campaign_id     BIGINT       NOT NULL,
  code            VARCHAR(32)  NOT NULL,
  user_id         BIGINT           NULL, -- null: whoever has the code may use it
  status          INT          NOT NULL,
  redeemed_by     BIGINT           NULL, -- null: not used
  order_id        BIGINT           NULL, -- null: not used, or used without an order
  void_reason     VARCHAR(500) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_coupons_code (tenant_id, code),
  KEY ix_coupons_id (tenant_id, id),
  KEY ix_coupons_campaign (tenant_id, campaign_id, status, id),
  KEY ix_coupons_user (tenant_id, user_id, id),
  KEY ix_coupons_updated (tenant_id, updated_time, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS coupon_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  coupon_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  from_status     INT              NULL, -- null: the coupon was issued
  to_status       INT          NOT NULL,
  detail          JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_coupon_histories_version (tenant_id, coupon_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS coupon_holders (
  tenant_id   BIGINT NOT NULL,
  campaign_id BIGINT NOT NULL,
  user_id     BIGINT NOT NULL,
  held        BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, campaign_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE coupon_holders;
DROP TABLE coupon_histories;
DROP TABLE coupons;
DROP TABLE coupon_campaign_histories;
DROP TABLE coupon_campaigns;
