-- Users and roles keep their versions, and a tenant counts the changes of who may do what:
-- rules that look at several rows need one row that each of those changes raises.
-- +goose Up
CREATE TABLE access_revisions (
  tenant_id INTEGER PRIMARY KEY,
  version   INTEGER NOT NULL
);
INSERT INTO access_revisions (tenant_id, version) SELECT id, 1 FROM tenants;

CREATE TABLE user_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  user_id         INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  username        TEXT     NOT NULL,
  display_name    TEXT     NOT NULL,
  disabled        BOOLEAN  NOT NULL,
  roles           TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_user_histories_version ON user_histories (tenant_id, user_id, version);
INSERT INTO user_histories (tenant_id, user_id, version, action, username, display_name, disabled, roles, changed_by, changed_by_name, changed_time)
  SELECT u.tenant_id, u.id, u.version, 'upgrade', u.username, u.display_name, u.disabled,
    (SELECT json_group_array(r.name) FROM user_roles h JOIN roles r ON r.id = h.role_id WHERE h.user_id = u.id),
    u.updated_by, u.updated_by_name, u.updated_time
  FROM users u;

CREATE TABLE role_histories (
  id              INTEGER  PRIMARY KEY AUTOINCREMENT,
  tenant_id       INTEGER  NOT NULL,
  role_id         INTEGER  NOT NULL,
  version         INTEGER  NOT NULL,
  action          TEXT     NOT NULL,
  name            TEXT     NOT NULL,
  permissions     TEXT     NOT NULL,
  changed_by      INTEGER  NOT NULL,
  changed_by_name TEXT     NOT NULL,
  changed_time    DATETIME NOT NULL
);
CREATE UNIQUE INDEX uq_role_histories_version ON role_histories (tenant_id, role_id, version);
INSERT INTO role_histories (tenant_id, role_id, version, action, name, permissions, changed_by, changed_by_name, changed_time)
  SELECT r.tenant_id, r.id, r.version, 'upgrade', r.name,
    (SELECT json_group_array(p.permission) FROM role_permissions p WHERE p.role_id = r.id),
    r.updated_by, r.updated_by_name, r.updated_time
  FROM roles r;

-- +goose Down
DROP TABLE role_histories;
DROP TABLE user_histories;
DROP TABLE access_revisions;
