-- Passkeys: second factors that are shown by a signature. Each statement can be run again, so an
-- interrupted migration goes on from its beginning.
-- +goose Up
-- factor_id is the row of user_factors, which has the name and the times; site the host that the
-- passkey is good for; credential_hash the digest of site and credential_id; public_key is in COSE's
-- form; user_handle random, by what the authenticator knows the user; counter the highest that was
-- seen, 0 where the authenticator does not count; flags what it said last (WebAuthn, 6.1): 8 can be
-- backed up, 16 is; model the AAGUID; clone_warning_time when its counter was last seen to go back.
CREATE TABLE IF NOT EXISTS user_passkeys (
  id                 BIGINT          NOT NULL AUTO_INCREMENT,
  tenant_id          BIGINT          NOT NULL,
  user_id            BIGINT          NOT NULL,
  factor_id          BIGINT          NOT NULL,
  site               VARCHAR(253)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  credential_hash    CHAR(43)        CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  credential_id      VARBINARY(1023) NOT NULL,
  public_key         VARBINARY(2048) NOT NULL,
  user_handle        VARBINARY(64)   NOT NULL,
  counter            BIGINT          NOT NULL,
  flags              SMALLINT        NOT NULL,
  transports         VARCHAR(255)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  model              CHAR(36)        CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  clone_warning_time DATETIME(6)     NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_user_passkeys_credential (credential_hash),
  KEY ix_user_passkeys_user (tenant_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Empty for a sign-in; the digest of the session that shows a factor afresh.
SET @bind_challenges = (SELECT IF(COUNT(*) > 0, 'DO 0', 'ALTER TABLE sign_in_challenges ADD COLUMN session_hash VARCHAR(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''''')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'sign_in_challenges' AND column_name = 'session_hash');
PREPARE bind_challenges FROM @bind_challenges;
EXECUTE bind_challenges;
DEALLOCATE PREPARE bind_challenges;

-- +goose Down
DELETE FROM sign_in_challenges WHERE session_hash <> '';
ALTER TABLE sign_in_challenges DROP COLUMN session_hash;
DELETE FROM user_factors WHERE kind = 'passkey';
UPDATE users SET second_factor = 0
WHERE second_factor = 1 AND NOT EXISTS (SELECT 1 FROM user_factors f WHERE f.user_id = users.id AND f.expires_time IS NULL);
DELETE FROM recovery_codes WHERE user_id IN (SELECT id FROM users WHERE second_factor = 0);
DROP TABLE user_passkeys;
