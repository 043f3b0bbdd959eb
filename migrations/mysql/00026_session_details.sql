-- From where a session was begun, with which program, and when it was used last.
-- +goose Up
ALTER TABLE sessions
  ADD COLUMN address VARCHAR(64) NOT NULL DEFAULT '',
  ADD COLUMN user_agent VARCHAR(255) NOT NULL DEFAULT '',
  ADD COLUMN last_used_time DATETIME(6) NULL;

-- +goose Down
ALTER TABLE sessions DROP COLUMN last_used_time, DROP COLUMN user_agent, DROP COLUMN address;
