-- An approval can wait for a time: what is scheduled is applied when the time has come. Each
-- statement can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
-- effective_time: null for as soon as it has its votes.
SET @schedule_approvals = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE approvals ADD COLUMN effective_time DATETIME(6) NULL, ADD KEY ix_approvals_due (status, effective_time)')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'approvals' AND column_name = 'effective_time');
PREPARE schedule_approvals FROM @schedule_approvals;
EXECUTE schedule_approvals;
DEALLOCATE PREPARE schedule_approvals;
-- proposed counts the proposals that named a flash sale since its last change.
SET @propose_sales = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE flash_sales ADD COLUMN proposed BIGINT NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'flash_sales' AND column_name = 'proposed');
PREPARE propose_sales FROM @propose_sales;
EXECUTE propose_sales;
DEALLOCATE PREPARE propose_sales;

-- +goose Down
ALTER TABLE flash_sales DROP COLUMN proposed;
ALTER TABLE approvals DROP KEY ix_approvals_due, DROP COLUMN effective_time;
