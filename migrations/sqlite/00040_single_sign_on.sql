-- Whom the providers of single sign-on name, and sign-ins that wait for their answer.
-- +goose Up
CREATE TABLE user_links (
  id             INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id      INTEGER  NOT NULL,
  user_id        INTEGER  NOT NULL,
  identity_hash  TEXT     NOT NULL, -- digest of issuer and subject, which are compared byte for byte
  issuer         TEXT     NOT NULL,
  subject        TEXT     NOT NULL,
  last_used_time DATETIME     NULL,
  created_time   DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_user_links_identity ON user_links (tenant_id, identity_hash);
CREATE INDEX ix_user_links_user ON user_links (tenant_id, user_id);

CREATE TABLE sign_in_flows (
  id           INTEGER  PRIMARY KEY AUTOINCREMENT,
  state_hash   TEXT     NOT NULL,
  browser_hash TEXT     NOT NULL, -- digest of the cookie of the browser that asked
  provider     TEXT     NOT NULL,
  purpose      TEXT     NOT NULL,
  tenant       TEXT     NOT NULL, -- the name, as it was typed: there may be no such tenant
  user_id      INTEGER  NOT NULL, -- 0 for a sign-in: the answer says whose it is
  proof_hash   TEXT     NOT NULL, -- digest of the invitation or of the session that it was begun with
  nonce        TEXT     NOT NULL,
  verifier     TEXT     NOT NULL,
  expires_time DATETIME NOT NULL,
  created_time DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_sign_in_flows_state ON sign_in_flows (state_hash);
CREATE INDEX ix_sign_in_flows_expires ON sign_in_flows (expires_time);

-- +goose Down
DROP TABLE sign_in_flows;
DROP TABLE user_links;
