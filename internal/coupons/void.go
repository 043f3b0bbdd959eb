package coupons

import (
	"context"

	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Voiding is the reason for voiding a coupon.
type Voiding struct {
	Reason string `json:"reason,omitempty" validate:"max=500"`
}

// SchemaName returns the name in the contract.
func (Voiding) SchemaName() string { return "Voiding" }

// Void voids an unused coupon that was just read. It still counts as issued and as a coupon of its
// user. Errors: TransitionNotAllowed, StatusChanged.
func (s *Service) Void(ctx context.Context, u *uow.Unit, coupon *Coupon, v Voiding, ifMatch *guard.Precondition) (*Coupon, error) {
	after, err := s.transition(ctx, u, coupon, "void", ifMatch, func(c *Coupon) { c.VoidReason = v.Reason })
	if err != nil {
		return nil, err
	}
	return after, s.record(ctx, u, coupon, after, "void", v)
}
