-- +goose Up
CREATE TABLE coupon_campaigns (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  name            TEXT     NOT NULL,
  kind            TEXT     NOT NULL,
  value           INTEGER  NOT NULL,
  minimum_amount  INTEGER  NOT NULL,
  total           INTEGER  NOT NULL,
  per_user        INTEGER  NOT NULL,
  valid_from      DATETIME NOT NULL,
  valid_to        DATETIME NOT NULL,
  issued          INTEGER  NOT NULL
);
CREATE INDEX ix_coupon_campaigns_id ON coupon_campaigns (tenant_id, id);
CREATE INDEX ix_coupon_campaigns_valid_to ON coupon_campaigns (valid_to);

CREATE TABLE coupon_campaign_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  campaign_id     INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  name            TEXT     NOT NULL,
  kind            TEXT     NOT NULL,
  value           INTEGER  NOT NULL,
  minimum_amount  INTEGER  NOT NULL,
  total           INTEGER  NOT NULL,
  per_user        INTEGER  NOT NULL,
  valid_from      DATETIME NOT NULL,
  valid_to        DATETIME NOT NULL,
  issued          INTEGER  NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_coupon_campaign_histories_version ON coupon_campaign_histories (tenant_id, campaign_id, version);

CREATE TABLE coupons (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  campaign_id     INTEGER  NOT NULL,
  code            TEXT     NOT NULL,
  user_id         INTEGER      NULL, -- null: whoever has the code may use it
  status          INTEGER  NOT NULL,
  redeemed_by     INTEGER      NULL, -- null: not used
  order_id        INTEGER      NULL, -- null: not used, or used without an order
  void_reason     TEXT     NOT NULL
);
CREATE UNIQUE INDEX uq_coupons_code ON coupons (tenant_id, code);
CREATE INDEX ix_coupons_id ON coupons (tenant_id, id);
CREATE INDEX ix_coupons_campaign ON coupons (tenant_id, campaign_id, status, id);
CREATE INDEX ix_coupons_user ON coupons (tenant_id, user_id, id);
CREATE INDEX ix_coupons_updated ON coupons (tenant_id, updated_time, id);

CREATE TABLE coupon_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  coupon_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  from_status     INTEGER      NULL, -- null: the coupon was issued
  to_status       INTEGER  NOT NULL,
  detail          TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_coupon_histories_version ON coupon_histories (tenant_id, coupon_id, version);

CREATE TABLE coupon_holders (
  tenant_id   INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  user_id     INTEGER NOT NULL,
  held        INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, campaign_id, user_id)
);

-- +goose Down
DROP TABLE coupon_holders;
DROP TABLE coupon_histories;
DROP TABLE coupons;
DROP TABLE coupon_campaign_histories;
DROP TABLE coupon_campaigns;
