-- +goose Up
CREATE TABLE tenants (
  id           INTEGER  PRIMARY KEY AUTOINCREMENT,
  name         TEXT     NOT NULL,
  created_time DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_tenants_name ON tenants (name);

CREATE TABLE users (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  username        TEXT     NOT NULL,
  display_name    TEXT     NOT NULL,
  password_hash   TEXT     NOT NULL,
  disabled        BOOLEAN  NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL
);
CREATE UNIQUE INDEX uq_users_username ON users (tenant_id, username);

CREATE TABLE roles (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  name            TEXT     NOT NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL
);
CREATE UNIQUE INDEX uq_roles_name ON roles (tenant_id, name);

CREATE TABLE role_permissions (
  tenant_id  INTEGER NOT NULL,
  role_id    INTEGER NOT NULL,
  permission TEXT    NOT NULL,
  PRIMARY KEY (role_id, permission)
);

CREATE TABLE user_roles (
  tenant_id INTEGER NOT NULL,
  user_id   INTEGER NOT NULL,
  role_id   INTEGER NOT NULL,
  PRIMARY KEY (user_id, role_id)
);
CREATE INDEX ix_user_roles_role ON user_roles (role_id);

CREATE TABLE api_tokens (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  user_id         INTEGER  NOT NULL,
  name            TEXT     NOT NULL,
  token_hash      TEXT     NOT NULL,
  scopes          TEXT     NOT NULL,
  expires_time    DATETIME NULL,
  last_used_time  DATETIME NULL,
  created_time    DATETIME NOT NULL,
  updated_time    DATETIME NOT NULL,
  updated_by      INTEGER  NOT NULL,
  updated_by_name TEXT     NOT NULL
);
CREATE UNIQUE INDEX uq_api_tokens_hash ON api_tokens (token_hash);
CREATE INDEX ix_api_tokens_user ON api_tokens (tenant_id, user_id, id);

CREATE TABLE sessions (
  id           INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id    INTEGER  NOT NULL,
  user_id      INTEGER  NOT NULL,
  token_hash   TEXT     NOT NULL,
  data         BLOB     NOT NULL,
  expires_time DATETIME NOT NULL,
  created_time DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_sessions_token_hash ON sessions (token_hash);
CREATE INDEX ix_sessions_user ON sessions (tenant_id, user_id);
CREATE INDEX ix_sessions_expires ON sessions (expires_time);

CREATE TABLE sign_in_attempts (
  id           INTEGER  PRIMARY KEY AUTOINCREMENT,
  account      TEXT     NOT NULL,
  slot         INTEGER  NOT NULL,
  created_time DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_sign_in_attempts_slot ON sign_in_attempts (account, slot);
CREATE INDEX ix_sign_in_attempts_time ON sign_in_attempts (created_time);

-- +goose Down
DROP TABLE sign_in_attempts;
DROP TABLE sessions;
DROP TABLE api_tokens;
DROP TABLE user_roles;
DROP TABLE role_permissions;
DROP TABLE roles;
DROP TABLE users;
DROP TABLE tenants;
