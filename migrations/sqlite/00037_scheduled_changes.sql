-- An approval can wait for a time: what is scheduled is applied when the time has come.
-- +goose Up
ALTER TABLE approvals ADD COLUMN effective_time DATETIME NULL; -- null: as soon as it has its votes
CREATE INDEX ix_approvals_due ON approvals (status, effective_time);
-- proposed counts the proposals that named a flash sale since its last change.
ALTER TABLE flash_sales ADD COLUMN proposed INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE flash_sales DROP COLUMN proposed;
DROP INDEX ix_approvals_due;
ALTER TABLE approvals DROP COLUMN effective_time;
