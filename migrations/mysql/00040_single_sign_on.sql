-- Whom the providers of single sign-on name, and sign-ins that wait for their answer. Each
-- statement can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
-- identity_hash is the digest of issuer and subject, which are compared byte for byte.
CREATE TABLE IF NOT EXISTS user_links (
  id             BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id      BIGINT       NOT NULL,
  user_id        BIGINT       NOT NULL,
  identity_hash  CHAR(43)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  issuer         VARCHAR(255) NOT NULL,
  subject        VARCHAR(255) NOT NULL,
  last_used_time DATETIME(6)  NULL,
  created_time   DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_user_links_identity (tenant_id, identity_hash),
  KEY ix_user_links_user (tenant_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- browser_hash is the digest of the cookie of the browser that asked; tenant the name, as it was
-- typed: there may be no such tenant; user_id 0 for a sign-in, whose answer says whose it is;
-- proof_hash the digest of the invitation or of the session that it was begun with.
CREATE TABLE IF NOT EXISTS sign_in_flows (
  id           BIGINT      NOT NULL AUTO_INCREMENT,
  state_hash   CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  browser_hash CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  provider     VARCHAR(64) NOT NULL,
  purpose      VARCHAR(16) NOT NULL,
  tenant       VARCHAR(63) NOT NULL,
  user_id      BIGINT      NOT NULL,
  proof_hash   VARCHAR(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  nonce        CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  verifier     CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  expires_time DATETIME(6) NOT NULL,
  created_time DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_sign_in_flows_state (state_hash),
  KEY ix_sign_in_flows_expires (expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE sign_in_flows;
DROP TABLE user_links;
