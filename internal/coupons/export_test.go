package coupons

import (
	"context"

	"interlock/internal/base/status"
	"interlock/internal/core/uow"
)

// What the tests of this package see of its inside.
var DrawCode = drawCode

// Discount is the terms' discount.
func (t Terms) Discount(total int64) int64 { return t.discount(total) }

// RedeemUnguarded is Redeem as it must not be: its UPDATE leaves the predicates on
// status and version out. between runs after the status was read and before it is
// written.
func (s *Service) RedeemUnguarded(ctx context.Context, u *uow.Unit, coupon *Coupon, between func()) (*Coupon, error) {
	u.Audit(uow.Entry{Action: "coupon.redeem", Resource: Topic})
	return s.lifecycle(u.Now()).Transition(ctx, u, coupon, "redeem", nil, func(to status.State) (*Coupon, error) {
		between()
		tx, err := u.Tx(ctx)
		if err != nil {
			return nil, err
		}
		after := *coupon
		after.Status = to.Code
		return &after, tx.Exec("UPDATE coupons SET status = ?, version = version + 1 WHERE tenant_id = ? AND id = ?",
			to.Code, coupon.TenantID, coupon.ID).Error
	})
}
