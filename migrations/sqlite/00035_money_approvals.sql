-- Refunds and wallet entries above a tenant's threshold wait for votes. A threshold that is null
-- is none.
-- +goose Up
ALTER TABLE tenant_settings ADD COLUMN refund_approval_threshold INTEGER NULL;
ALTER TABLE tenant_settings ADD COLUMN wallet_approval_threshold INTEGER NULL;
ALTER TABLE tenant_setting_histories ADD COLUMN refund_approval_threshold INTEGER NULL;
ALTER TABLE tenant_setting_histories ADD COLUMN wallet_approval_threshold INTEGER NULL;
-- party_id: a user who does not decide beside who writes it, such as who requested the refund.
ALTER TABLE approvals ADD COLUMN party_id INTEGER NOT NULL DEFAULT 0;
-- proposed counts the proposals that named a refund since its last change.
ALTER TABLE refunds ADD COLUMN proposed INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE refunds DROP COLUMN proposed;
ALTER TABLE approvals DROP COLUMN party_id;
ALTER TABLE tenant_setting_histories DROP COLUMN wallet_approval_threshold;
ALTER TABLE tenant_setting_histories DROP COLUMN refund_approval_threshold;
ALTER TABLE tenant_settings DROP COLUMN wallet_approval_threshold;
ALTER TABLE tenant_settings DROP COLUMN refund_approval_threshold;
