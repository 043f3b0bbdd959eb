-- From where a session was begun, with which program, and when it was used last.
-- +goose Up
ALTER TABLE sessions ADD COLUMN address TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN user_agent TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN last_used_time DATETIME;

-- +goose Down
ALTER TABLE sessions DROP COLUMN last_used_time;
ALTER TABLE sessions DROP COLUMN user_agent;
ALTER TABLE sessions DROP COLUMN address;
