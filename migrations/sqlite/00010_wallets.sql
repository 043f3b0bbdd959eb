-- The entries of a wallet add up to its balance, in minor units.
-- +goose Up
CREATE TABLE wallets (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL,
  user_id         INTEGER  NOT NULL,
  balance         INTEGER  NOT NULL,
  CONSTRAINT ck_wallets_balance CHECK (balance >= 0)
);
CREATE UNIQUE INDEX uq_wallets_user ON wallets (tenant_id, user_id);
CREATE INDEX ix_wallets_balance ON wallets (tenant_id, balance, id);
CREATE INDEX ix_wallets_updated ON wallets (tenant_id, updated_time, id);

CREATE TABLE wallet_entries (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  user_id         INTEGER  NOT NULL,
  version         INTEGER  NOT NULL, -- that of the wallet since the entry
  amount          INTEGER  NOT NULL,
  balance         INTEGER  NOT NULL, -- since the entry
  kind            TEXT     NOT NULL,
  reference       TEXT     NOT NULL,
  other_user_id   INTEGER      NULL, -- null: no transfer
  created_by      INTEGER  NOT NULL,
  created_by_name TEXT     NOT NULL,
  created_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_wallet_entries_version ON wallet_entries (tenant_id, user_id, version);
CREATE UNIQUE INDEX uq_wallet_entries_reference ON wallet_entries (tenant_id, user_id, reference);
CREATE INDEX ix_wallet_entries_id ON wallet_entries (tenant_id, user_id, id);

-- +goose Down
DROP TABLE wallet_entries;
DROP TABLE wallets;
