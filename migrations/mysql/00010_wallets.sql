-- The entries of a wallet add up to its balance, in minor units.
-- +goose Up
CREATE TABLE IF NOT EXISTS wallets (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  user_id         BIGINT       NOT NULL,
  balance         BIGINT       NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_wallets_user (tenant_id, user_id),
  KEY ix_wallets_balance (tenant_id, balance, id),
  KEY ix_wallets_updated (tenant_id, updated_time, id),
  CONSTRAINT ck_wallets_balance CHECK (balance >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS wallet_entries (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  user_id         BIGINT       NOT NULL,
  version         BIGINT       NOT NULL, -- that of the wallet since the entry
  amount          BIGINT       NOT NULL,
  balance         BIGINT       NOT NULL, -- since the entry
  kind            VARCHAR(32)  NOT NULL,
  reference       VARCHAR(100) NOT NULL,
  other_user_id   BIGINT           NULL, -- null: no transfer
  created_by      BIGINT       NOT NULL,
  created_by_name VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_wallet_entries_version (tenant_id, user_id, version),
  UNIQUE KEY uq_wallet_entries_reference (tenant_id, user_id, reference),
  KEY ix_wallet_entries_id (tenant_id, user_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE wallet_entries;
DROP TABLE wallets;
