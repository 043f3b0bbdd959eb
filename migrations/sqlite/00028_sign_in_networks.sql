-- Wrong passwords are counted for an account from one network, so that nobody can keep the
-- owner of an account out from somewhere else.
-- +goose Up
ALTER TABLE sign_in_attempts ADD COLUMN network TEXT NOT NULL DEFAULT '';
DROP INDEX uq_sign_in_attempts_slot;
CREATE UNIQUE INDEX uq_sign_in_attempts_slot ON sign_in_attempts (account, network, slot);

-- +goose Down
DELETE FROM sign_in_attempts;
DROP INDEX uq_sign_in_attempts_slot;
ALTER TABLE sign_in_attempts DROP COLUMN network;
CREATE UNIQUE INDEX uq_sign_in_attempts_slot ON sign_in_attempts (account, slot);
