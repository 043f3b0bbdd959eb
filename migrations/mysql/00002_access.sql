-- +goose Up
-- IF NOT EXISTS: each statement commits by itself, so this may be run again.
-- ASCII is for what the program computes. What people type is compared with a
-- utf8mb4 column, also where only ASCII is let in: with an ASCII one a name of
-- other letters is an error (1267) and not "no such row".
CREATE TABLE IF NOT EXISTS tenants (
  id           BIGINT      NOT NULL AUTO_INCREMENT,
  name         VARCHAR(63) NOT NULL,
  created_time DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_tenants_name (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS users (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  username        VARCHAR(64)  NOT NULL,
  display_name    VARCHAR(100) NOT NULL,
  password_hash   VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  disabled        BOOLEAN      NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_users_username (tenant_id, username)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS roles (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  name            VARCHAR(100) NOT NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_roles_name (tenant_id, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS role_permissions (
  tenant_id  BIGINT       NOT NULL,
  role_id    BIGINT       NOT NULL,
  permission VARCHAR(100) NOT NULL,
  PRIMARY KEY (role_id, permission)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS user_roles (
  tenant_id BIGINT NOT NULL,
  user_id   BIGINT NOT NULL,
  role_id   BIGINT NOT NULL,
  PRIMARY KEY (user_id, role_id),
  KEY ix_user_roles_role (role_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS api_tokens (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  user_id         BIGINT       NOT NULL,
  name            VARCHAR(100) NOT NULL,
  token_hash      CHAR(43)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  scopes          JSON         NOT NULL,
  expires_time    DATETIME(6)  NULL,
  last_used_time  DATETIME(6)  NULL,
  created_time    DATETIME(6)  NOT NULL,
  updated_time    DATETIME(6)  NOT NULL,
  updated_by      BIGINT       NOT NULL,
  updated_by_name VARCHAR(100) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_api_tokens_hash (token_hash),
  KEY ix_api_tokens_user (tenant_id, user_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS sessions (
  id           BIGINT      NOT NULL AUTO_INCREMENT,
  tenant_id    BIGINT      NOT NULL,
  user_id      BIGINT      NOT NULL,
  token_hash   CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  data         BLOB        NOT NULL,
  expires_time DATETIME(6) NOT NULL,
  created_time DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_sessions_token_hash (token_hash),
  KEY ix_sessions_user (tenant_id, user_id),
  KEY ix_sessions_expires (expires_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS sign_in_attempts (
  id           BIGINT      NOT NULL AUTO_INCREMENT,
  account      CHAR(43)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  slot         INT         NOT NULL,
  created_time DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_sign_in_attempts_slot (account, slot),
  KEY ix_sign_in_attempts_time (created_time)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- +goose Down
DROP TABLE sign_in_attempts;
DROP TABLE sessions;
DROP TABLE api_tokens;
DROP TABLE user_roles;
DROP TABLE role_permissions;
DROP TABLE roles;
DROP TABLE users;
DROP TABLE tenants;
