-- Wrong passwords are counted for an account from one network, so that nobody can keep the
-- owner of an account out from somewhere else.
-- +goose Up
ALTER TABLE sign_in_attempts
  ADD COLUMN network VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  DROP KEY uq_sign_in_attempts_slot,
  ADD UNIQUE KEY uq_sign_in_attempts_slot (account, network, slot);

-- +goose Down
DELETE FROM sign_in_attempts;
ALTER TABLE sign_in_attempts
  DROP KEY uq_sign_in_attempts_slot,
  DROP COLUMN network,
  ADD UNIQUE KEY uq_sign_in_attempts_slot (account, slot);
