// Package approvalstest has a Tenancy for tests of domains that propose changes.
package approvalstest

import (
	"context"
	"time"

	"gorm.io/gorm"

	"interlock/internal/approvals"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// OneVote is a Tenancy in which a change needs one vote of any user.
type OneVote struct {
	// Above are the tenant's thresholds; see approvals.Rules.
	Above map[string]int64
	// Since is the time of the last change of these rules; nil for never.
	Since *time.Time
	// SelfApproved are the kinds that requesters decide on; see approvals.Rules. Nil for none.
	SelfApproved *[]string
}

// Rules implements approvals.Tenancy.
func (o OneVote) Rules(context.Context, *gorm.DB) (approvals.Rules, error) {
	rules := approvals.Rules{Required: 1, Lasts: time.Hour, Above: o.Above}
	if o.Since != nil {
		rules.Since = *o.Since
	}
	if o.SelfApproved != nil {
		rules.SelfApproved = *o.SelfApproved
	}
	return rules, nil
}

// Resets implements approvals.Tenancy.
func (OneVote) Resets(context.Context, *uow.Unit, []int64, time.Time) ([]principal.Reset, error) {
	return nil, nil
}

// Disabled implements approvals.Tenancy.
func (OneVote) Disabled(context.Context, int) ([]int64, error) { return nil, nil }

// DisabledAmong implements approvals.Tenancy.
func (OneVote) DisabledAmong(context.Context, []int64) ([]int64, error) { return nil, nil }

// StillMay implements approvals.Tenancy.
func (OneVote) StillMay(_ context.Context, _ *uow.Unit, users []int64, _ string) (map[int64]bool, error) {
	may := map[int64]bool{}
	for _, user := range users {
		may[user] = true
	}
	return may, nil
}
