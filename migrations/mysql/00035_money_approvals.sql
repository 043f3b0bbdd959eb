-- Refunds and wallet entries above a tenant's threshold wait for votes. A threshold that is null
-- is none. Each statement can be run again, so an interrupted migration goes on from its beginning.
-- +goose Up
SET @threshold_settings = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE tenant_settings ADD COLUMN refund_approval_threshold BIGINT NULL, ADD COLUMN wallet_approval_threshold BIGINT NULL')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'tenant_settings' AND column_name = 'refund_approval_threshold');
PREPARE threshold_settings FROM @threshold_settings;
EXECUTE threshold_settings;
DEALLOCATE PREPARE threshold_settings;
SET @threshold_histories = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE tenant_setting_histories ADD COLUMN refund_approval_threshold BIGINT NULL, ADD COLUMN wallet_approval_threshold BIGINT NULL')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'tenant_setting_histories' AND column_name = 'refund_approval_threshold');
PREPARE threshold_histories FROM @threshold_histories;
EXECUTE threshold_histories;
DEALLOCATE PREPARE threshold_histories;
-- party_id: a user who does not decide beside who writes it, such as who requested the refund.
SET @party_approvals = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE approvals ADD COLUMN party_id BIGINT NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'approvals' AND column_name = 'party_id');
PREPARE party_approvals FROM @party_approvals;
EXECUTE party_approvals;
DEALLOCATE PREPARE party_approvals;
-- proposed counts the proposals that named a refund since its last change.
SET @propose_refunds = (SELECT IF(COUNT(*) > 0, 'DO 0',
    'ALTER TABLE refunds ADD COLUMN proposed BIGINT NOT NULL DEFAULT 0')
  FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'refunds' AND column_name = 'proposed');
PREPARE propose_refunds FROM @propose_refunds;
EXECUTE propose_refunds;
DEALLOCATE PREPARE propose_refunds;
-- The path of a wallet has its customer percent-encoded.
ALTER TABLE approvals MODIFY COLUMN resource VARCHAR(255) NOT NULL;
ALTER TABLE approval_targets MODIFY COLUMN resource VARCHAR(255) NOT NULL;

-- +goose Down
DELETE FROM approval_targets WHERE CHAR_LENGTH(resource) > 191;
ALTER TABLE approval_targets MODIFY COLUMN resource VARCHAR(191) NOT NULL;
UPDATE approvals SET resource = LEFT(resource, 191);
ALTER TABLE approvals MODIFY COLUMN resource VARCHAR(191) NOT NULL;
ALTER TABLE refunds DROP COLUMN proposed;
ALTER TABLE approvals DROP COLUMN party_id;
ALTER TABLE tenant_setting_histories DROP COLUMN refund_approval_threshold, DROP COLUMN wallet_approval_threshold;
ALTER TABLE tenant_settings DROP COLUMN refund_approval_threshold, DROP COLUMN wallet_approval_threshold;
