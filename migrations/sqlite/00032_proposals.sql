-- proposed counts the proposals that named a config since its last change.
-- +goose Up
ALTER TABLE configs ADD COLUMN proposals BIGINT NOT NULL DEFAULT 0;
UPDATE configs SET proposals = 1 WHERE proposed;
ALTER TABLE configs DROP COLUMN proposed;
ALTER TABLE configs RENAME COLUMN proposals TO proposed;

-- +goose Down
ALTER TABLE configs ADD COLUMN proposals BOOLEAN NOT NULL DEFAULT 0;
UPDATE configs SET proposals = 1 WHERE proposed > 0;
ALTER TABLE configs DROP COLUMN proposed;
ALTER TABLE configs RENAME COLUMN proposals TO proposed;
