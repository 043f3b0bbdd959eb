package app

import (
	"context"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/tenantsettings"
	"interlock/internal/access/users"
	"interlock/internal/approvals"
	"interlock/internal/payments"
	"interlock/internal/refunds"
	"interlock/internal/wallets"
)

// tenancyOfApprovals adapts users and settings to approvals.Tenancy.
type tenancyOfApprovals struct {
	*users.Service
	settings *tenantsettings.Service
}

// Rules implements approvals.Tenancy.
func (t tenancyOfApprovals) Rules(_ context.Context, db *gorm.DB) (approvals.Rules, error) {
	rules, since, err := t.settings.RulesIn(db)
	above := map[string]int64{}
	if rules.RefundApprovalThreshold != nil {
		above[refunds.ApprovalKind] = *rules.RefundApprovalThreshold
		above[payments.ApprovalKind] = *rules.RefundApprovalThreshold
	}
	if rules.WalletApprovalThreshold != nil {
		above[wallets.ApprovalKind] = *rules.WalletApprovalThreshold
	}
	var selfApproved []string
	if rules.SelfApproval {
		selfApproved = []string{refunds.ApprovalKind}
	}
	return approvals.Rules{
		Required: rules.ApprovalsRequired, Lasts: time.Duration(rules.ApprovalDays) * 24 * time.Hour, Above: above, SelfApproved: selfApproved, Since: since,
	}, err
}
