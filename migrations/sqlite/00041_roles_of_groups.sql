-- Roles that a user has by a group of a provider, beside those that were given by hand.
-- +goose Up
CREATE TABLE user_roles_by_source (
  tenant_id INTEGER NOT NULL,
  user_id   INTEGER NOT NULL,
  role_id   INTEGER NOT NULL,
  link_id   INTEGER NOT NULL DEFAULT 0, -- the link whose provider gives it; 0: it was given by hand
  PRIMARY KEY (user_id, role_id, link_id)
);
INSERT INTO user_roles_by_source (tenant_id, user_id, role_id) SELECT tenant_id, user_id, role_id FROM user_roles;
DROP TABLE user_roles;
ALTER TABLE user_roles_by_source RENAME TO user_roles;
CREATE INDEX ix_user_roles_role ON user_roles (role_id);
-- What it was told of the index went with the table.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('user_roles', 'ix_user_roles_role', '1000000 1000');
ANALYZE sqlite_schema;

-- +goose Down
CREATE TABLE user_roles_by_hand (
  tenant_id INTEGER NOT NULL,
  user_id   INTEGER NOT NULL,
  role_id   INTEGER NOT NULL,
  PRIMARY KEY (user_id, role_id)
);
INSERT INTO user_roles_by_hand (tenant_id, user_id, role_id) SELECT tenant_id, user_id, role_id FROM user_roles WHERE link_id = 0;
DROP TABLE user_roles;
ALTER TABLE user_roles_by_hand RENAME TO user_roles;
CREATE INDEX ix_user_roles_role ON user_roles (role_id);
-- What it was told of the index went with the table.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('user_roles', 'ix_user_roles_role', '1000000 1000');
ANALYZE sqlite_schema;
