-- The invitation by which a user who has no password yet chooses one, once.
-- +goose Up
ALTER TABLE users ADD COLUMN invitation_hash TEXT NULL; -- digest of its secret; null: there is none
ALTER TABLE users ADD COLUMN invitation_expires_time DATETIME NULL;
CREATE UNIQUE INDEX uq_users_invitation_hash ON users (invitation_hash);

-- +goose Down
DROP INDEX uq_users_invitation_hash;
ALTER TABLE users DROP COLUMN invitation_expires_time;
ALTER TABLE users DROP COLUMN invitation_hash;
