-- Second factors of users, their recovery codes, and sign-ins that wait for one. Each
-- statement can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
-- secret_key is the id of the key that encrypts the secret, empty when it is in clear; last_step
-- the newest step whose code was accepted; expires_time when one that is not confirmed ends,
-- null when it is.
CREATE TABLE IF NOT EXISTS user_factors (
  id             BIGINT         NOT NULL AUTO_INCREMENT,
  tenant_id      BIGINT         NOT NULL,
  user_id        BIGINT         NOT NULL,
  kind           VARCHAR(16)    NOT NULL,
  name           VARCHAR(100)   NOT NULL,
  secret         VARBINARY(255) NOT NULL,
  secret_key     VARCHAR(64)    NOT NULL,
  last_step      BIGINT         NOT NULL,
  expires_time   DATETIME(6)    NULL,
  last_used_time DATETIME(6)    NULL,
  created_time   DATETIME(6)    NOT NULL,
  PRIMARY KEY (id),
  KEY ix_user_factors_user (tenant_id, user_id),
  KEY ix_user_factors_expires (expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS recovery_codes (
  id           BIGINT      NOT NULL AUTO_INCREMENT,
  tenant_id    BIGINT      NOT NULL,
  user_id      BIGINT      NOT NULL,
  code_hash    CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_time DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_recovery_codes_code (tenant_id, user_id, code_hash)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS sign_in_challenges (
  id           BIGINT      NOT NULL AUTO_INCREMENT,
  tenant_id    BIGINT      NOT NULL,
  user_id      BIGINT      NOT NULL,
  token_hash   CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  expires_time DATETIME(6) NOT NULL,
  created_time DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_sign_in_challenges_token_hash (token_hash),
  KEY ix_sign_in_challenges_user (tenant_id, user_id),
  KEY ix_sign_in_challenges_expires (expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- True for a user who has a confirmed factor.
SET @mark_users = (SELECT IF(COUNT(*) > 0, 'DO 0', 'ALTER TABLE users ADD COLUMN second_factor TINYINT(1) NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'users' AND column_name = 'second_factor');
PREPARE mark_users FROM @mark_users;
EXECUTE mark_users;
DEALLOCATE PREPARE mark_users;

-- +goose Down
ALTER TABLE users DROP COLUMN second_factor;
DROP TABLE sign_in_challenges;
DROP TABLE recovery_codes;
DROP TABLE user_factors;
