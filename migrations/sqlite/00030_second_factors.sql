-- Second factors of users, their recovery codes, and sign-ins that wait for one.
-- +goose Up
CREATE TABLE user_factors (
  id             INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id      INTEGER  NOT NULL,
  user_id        INTEGER  NOT NULL,
  kind           TEXT     NOT NULL,
  name           TEXT     NOT NULL,
  secret         BLOB     NOT NULL,
  secret_key     TEXT     NOT NULL, -- id of the key that encrypts the secret; empty: it is in clear
  last_step      INTEGER  NOT NULL, -- the newest step whose code was accepted
  expires_time   DATETIME     NULL, -- when one that is not confirmed ends; null: it is confirmed
  last_used_time DATETIME     NULL,
  created_time   DATETIME NOT NULL
);
CREATE INDEX ix_user_factors_user ON user_factors (tenant_id, user_id);
CREATE INDEX ix_user_factors_expires ON user_factors (expires_time);

CREATE TABLE recovery_codes (
  id           INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id    INTEGER  NOT NULL,
  user_id      INTEGER  NOT NULL,
  code_hash    TEXT     NOT NULL,
  created_time DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_recovery_codes_code ON recovery_codes (tenant_id, user_id, code_hash);

CREATE TABLE sign_in_challenges (
  id           INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id    INTEGER  NOT NULL,
  user_id      INTEGER  NOT NULL,
  token_hash   TEXT     NOT NULL,
  expires_time DATETIME NOT NULL,
  created_time DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_sign_in_challenges_token_hash ON sign_in_challenges (token_hash);
CREATE INDEX ix_sign_in_challenges_user ON sign_in_challenges (tenant_id, user_id);
CREATE INDEX ix_sign_in_challenges_expires ON sign_in_challenges (expires_time);

-- True for a user who has a confirmed factor.
ALTER TABLE users ADD COLUMN second_factor BOOLEAN NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE users DROP COLUMN second_factor;
DROP TABLE sign_in_challenges;
DROP TABLE recovery_codes;
DROP TABLE user_factors;
