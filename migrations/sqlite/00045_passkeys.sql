-- Passkeys: second factors that are shown by a signature.
-- +goose Up
CREATE TABLE user_passkeys (
  id                 INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id          INTEGER  NOT NULL,
  user_id            INTEGER  NOT NULL,
  factor_id          INTEGER  NOT NULL, -- the row of user_factors, which has the name and the times
  site               TEXT     NOT NULL, -- the host that it is good for
  credential_hash    TEXT     NOT NULL, -- digest of site and credential_id
  credential_id      BLOB     NOT NULL,
  public_key         BLOB     NOT NULL, -- in COSE's form
  user_handle        BLOB     NOT NULL, -- random; by what the authenticator knows the user
  counter            INTEGER  NOT NULL, -- the highest that was seen; 0 where the authenticator does not count
  flags              INTEGER  NOT NULL, -- what the authenticator said last (WebAuthn, 6.1): 8 can be backed up, 16 is
  transports         TEXT     NOT NULL,
  model              TEXT     NOT NULL, -- AAGUID
  clone_warning_time DATETIME     NULL  -- when its counter was last seen to go back
);
CREATE UNIQUE INDEX uq_user_passkeys_credential ON user_passkeys (credential_hash);
CREATE INDEX ix_user_passkeys_user ON user_passkeys (tenant_id, user_id);

-- Empty for a sign-in; the digest of the session that shows a factor afresh.
ALTER TABLE sign_in_challenges ADD COLUMN session_hash TEXT NOT NULL DEFAULT '';

-- +goose Down
DELETE FROM sign_in_challenges WHERE session_hash <> '';
ALTER TABLE sign_in_challenges DROP COLUMN session_hash;
DELETE FROM user_factors WHERE kind = 'passkey';
UPDATE users SET second_factor = 0
WHERE second_factor = 1 AND NOT EXISTS (SELECT 1 FROM user_factors f WHERE f.user_id = users.id AND f.expires_time IS NULL);
DELETE FROM recovery_codes WHERE user_id IN (SELECT id FROM users WHERE second_factor = 0);
DROP TABLE user_passkeys;
