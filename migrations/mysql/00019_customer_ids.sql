-- Users are named by the shop: see principal.CustomerID. The numbers that were there
-- become their decimal text. Each statement can be run again, so an interrupted migration
-- goes on from its beginning.
-- +goose Up
ALTER TABLE items
  MODIFY COLUMN owned_by_user_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL; -- null: owned by nobody
ALTER TABLE item_histories
  MODIFY COLUMN owned_by_user_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL;
ALTER TABLE orders
  MODIFY COLUMN user_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
ALTER TABLE coupons
  MODIFY COLUMN user_id     VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL, -- null: whoever has the code may use it
  MODIFY COLUMN redeemed_by VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL; -- null: not used
ALTER TABLE coupon_holders
  MODIFY COLUMN user_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
ALTER TABLE wallets
  MODIFY COLUMN user_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
ALTER TABLE wallet_entries
  MODIFY COLUMN user_id       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  MODIFY COLUMN other_user_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL; -- null: no transfer

-- Actors are customers, and users of ours with their integers; their kind tells which.
ALTER TABLE actions
  MODIFY COLUMN actor_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;
ALTER TABLE idempotency_keys
  MODIFY COLUMN scope        VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  MODIFY COLUMN actor_id     VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  MODIFY COLUMN on_behalf_of VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NULL;
ALTER TABLE audit_entries
  MODIFY COLUMN actor_id     VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  MODIFY COLUMN on_behalf_of VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NULL,
  MODIFY COLUMN resource     VARCHAR(255) NOT NULL;

-- What histories and the audit log tell of users.
UPDATE coupon_histories SET detail = JSON_REPLACE(detail, '$.userId', CAST(JSON_EXTRACT(detail, '$.userId') AS CHAR))
  WHERE JSON_TYPE(JSON_EXTRACT(detail, '$.userId')) = 'INTEGER';
UPDATE audit_entries SET detail = JSON_REPLACE(detail, '$.userId', CAST(JSON_EXTRACT(detail, '$.userId') AS CHAR))
  WHERE action = 'order.create' AND JSON_TYPE(JSON_EXTRACT(detail, '$.userId')) = 'INTEGER';
UPDATE audit_entries SET detail = JSON_REPLACE(detail, '$.detail.userId', CAST(JSON_EXTRACT(detail, '$.detail.userId') AS CHAR))
  WHERE action = 'coupon.redeem' AND JSON_TYPE(JSON_EXTRACT(detail, '$.detail.userId')) = 'INTEGER';
UPDATE audit_entries SET detail = JSON_REPLACE(detail, '$.toUserId', CAST(JSON_EXTRACT(detail, '$.toUserId') AS CHAR))
  WHERE action = 'wallet.transfer' AND JSON_TYPE(JSON_EXTRACT(detail, '$.toUserId')) = 'INTEGER';
UPDATE audit_entries SET detail = JSON_REPLACE(detail, '$.content.ownedByUserId', CAST(JSON_EXTRACT(detail, '$.content.ownedByUserId') AS CHAR))
  WHERE action IN ('item.create', 'item.delete') AND JSON_TYPE(JSON_EXTRACT(detail, '$.content.ownedByUserId')) = 'INTEGER';
UPDATE audit_entries SET detail = JSON_REPLACE(detail, '$.before.ownedByUserId', CAST(JSON_EXTRACT(detail, '$.before.ownedByUserId') AS CHAR))
  WHERE action = 'item.update' AND JSON_TYPE(JSON_EXTRACT(detail, '$.before.ownedByUserId')) = 'INTEGER';
UPDATE audit_entries SET detail = JSON_REPLACE(detail, '$.after.ownedByUserId', CAST(JSON_EXTRACT(detail, '$.after.ownedByUserId') AS CHAR))
  WHERE action = 'item.update' AND JSON_TYPE(JSON_EXTRACT(detail, '$.after.ownedByUserId')) = 'INTEGER';

-- There is no way down from a user who is called by something else than a number: the
-- first statement that meets one fails, and nothing is lost.
-- +goose Down
ALTER TABLE audit_entries
  MODIFY COLUMN actor_id     BIGINT       NOT NULL,
  MODIFY COLUMN on_behalf_of BIGINT       NULL,
  MODIFY COLUMN resource     VARCHAR(191) NOT NULL;
ALTER TABLE idempotency_keys
  MODIFY COLUMN scope        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  MODIFY COLUMN actor_id     BIGINT      NOT NULL,
  MODIFY COLUMN on_behalf_of BIGINT      NULL;
ALTER TABLE actions MODIFY COLUMN actor_id BIGINT NOT NULL;
ALTER TABLE wallet_entries
  MODIFY COLUMN user_id       BIGINT NOT NULL,
  MODIFY COLUMN other_user_id BIGINT NULL;
ALTER TABLE wallets MODIFY COLUMN user_id BIGINT NOT NULL;
ALTER TABLE coupon_holders MODIFY COLUMN user_id BIGINT NOT NULL;
ALTER TABLE coupons
  MODIFY COLUMN user_id     BIGINT NULL,
  MODIFY COLUMN redeemed_by BIGINT NULL;
ALTER TABLE orders MODIFY COLUMN user_id BIGINT NOT NULL;
ALTER TABLE item_histories MODIFY COLUMN owned_by_user_id BIGINT NULL;
ALTER TABLE items MODIFY COLUMN owned_by_user_id BIGINT NULL;
