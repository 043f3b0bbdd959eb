-- The invitation by which a user who has no password yet chooses one, once.
-- +goose Up
ALTER TABLE users
  ADD COLUMN invitation_hash CHAR(43) CHARACTER SET ascii COLLATE ascii_bin NULL,
  ADD COLUMN invitation_expires_time DATETIME(6) NULL,
  ADD UNIQUE KEY uq_users_invitation_hash (invitation_hash);

-- +goose Down
ALTER TABLE users
  DROP KEY uq_users_invitation_hash,
  DROP COLUMN invitation_expires_time,
  DROP COLUMN invitation_hash;
