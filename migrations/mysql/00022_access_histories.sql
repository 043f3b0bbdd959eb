-- Users and roles keep their versions, and a tenant counts the changes of who may do what:
-- rules that look at several rows need one row that each of those changes raises. Each
-- statement can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
CREATE TABLE IF NOT EXISTS access_revisions (
  tenant_id BIGINT NOT NULL,
  version   BIGINT NOT NULL,
  PRIMARY KEY (tenant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO access_revisions (tenant_id, version)
  SELECT t.id, 1 FROM tenants t WHERE NOT EXISTS (SELECT 1 FROM access_revisions a WHERE a.tenant_id = t.id);

CREATE TABLE IF NOT EXISTS user_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  user_id         BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  username        VARCHAR(64)  NOT NULL,
  display_name    VARCHAR(100) NOT NULL,
  disabled        BOOLEAN      NOT NULL,
  roles           JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_user_histories_version (tenant_id, user_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO user_histories (tenant_id, user_id, version, action, username, display_name, disabled, roles, changed_by, changed_by_name, changed_time)
  SELECT u.tenant_id, u.id, u.version, 'upgrade', u.username, u.display_name, u.disabled,
    COALESCE((SELECT JSON_ARRAYAGG(r.name) FROM user_roles h JOIN roles r ON r.id = h.role_id WHERE h.user_id = u.id), JSON_ARRAY()),
    u.updated_by, u.updated_by_name, u.updated_time
  FROM users u
  WHERE NOT EXISTS (SELECT 1 FROM user_histories v WHERE v.user_id = u.id);

CREATE TABLE IF NOT EXISTS role_histories (
  id              BIGINT       NOT NULL AUTO_INCREMENT,
  tenant_id       BIGINT       NOT NULL,
  role_id         BIGINT       NOT NULL,
  version         BIGINT       NOT NULL,
  action          VARCHAR(16)  NOT NULL,
  name            VARCHAR(100) NOT NULL,
  permissions     JSON         NOT NULL,
  changed_by      BIGINT       NOT NULL,
  changed_by_name VARCHAR(100) NOT NULL,
  changed_time    DATETIME(6)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uq_role_histories_version (tenant_id, role_id, version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO role_histories (tenant_id, role_id, version, action, name, permissions, changed_by, changed_by_name, changed_time)
  SELECT r.tenant_id, r.id, r.version, 'upgrade', r.name,
    COALESCE((SELECT JSON_ARRAYAGG(p.permission) FROM role_permissions p WHERE p.role_id = r.id), JSON_ARRAY()),
    r.updated_by, r.updated_by_name, r.updated_time
  FROM roles r
  WHERE NOT EXISTS (SELECT 1 FROM role_histories v WHERE v.role_id = r.id);

-- +goose Down
DROP TABLE role_histories;
DROP TABLE user_histories;
DROP TABLE access_revisions;
