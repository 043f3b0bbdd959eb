package app

import (
	"context"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access"
	"interlock/internal/approvals"
)

// tenancyOfApprovals has what approvals ask of tenants and users in their words.
type tenancyOfApprovals struct{ *access.Service }

// Rules implements approvals.Tenancy.
func (t tenancyOfApprovals) Rules(_ context.Context, db *gorm.DB) (approvals.Rules, error) {
	rules, err := t.RulesIn(db)
	return approvals.Rules{Required: rules.ApprovalsRequired, Lasts: time.Duration(rules.ApprovalDays) * 24 * time.Hour}, err
}
