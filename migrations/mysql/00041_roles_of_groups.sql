-- Roles that a user has by a group of a provider, beside those that were given by hand: link_id is
-- the link whose provider gives it, 0 for one that was given by hand.
-- +goose Up
ALTER TABLE user_roles
  ADD COLUMN link_id BIGINT NOT NULL DEFAULT 0,
  DROP PRIMARY KEY,
  ADD PRIMARY KEY (user_id, role_id, link_id);

-- +goose Down
DELETE FROM user_roles WHERE link_id <> 0;
ALTER TABLE user_roles
  DROP PRIMARY KEY,
  DROP COLUMN link_id,
  ADD PRIMARY KEY (user_id, role_id);
