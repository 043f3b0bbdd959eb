package shop

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/test/racing"
)

// couponRequest is a request for one coupon: redeem, void, or "" to read it.
type couponRequest struct{ code, action string }

// couponReply is the status in the response, and whether the action was rejected.
type couponReply struct {
	status  string
	refused bool
}

// oneCoupon is the sequential model of a coupon: unused until the first redeem or void, and then in
// that status for good.
var oneCoupon = racing.Model[couponRequest, couponReply, string]{
	Of:      func(in couponRequest) any { return in.code },
	Initial: "unused",
	Step: func(state string, in couponRequest, out couponReply) (bool, string) {
		switch {
		case in.action == "":
			return out.status == state, state
		case out.refused:
			return state != "unused" && out.status == state, state
		}
		to := map[string]string{"redeem": "used", "void": "void"}[in.action]
		return state == "unused" && out.status == to, to
	},
}

// couponReplyOf returns the reply to an action that returned row and err.
func couponReplyOf(row *coupons.Coupon, err error) (couponReply, error) {
	var refusal *apperr.Error
	switch {
	case errors.As(err, &refusal):
		status, _ := refusal.Members["currentStatus"].(string)
		return couponReply{status, true}, nil
	case err != nil:
		return couponReply{}, err
	}
	return couponReply{status: coupons.Machine.Of(row.Status).Name}, nil
}

func (s *Shop) voidAs(ctx context.Context, code string) (*coupons.Coupon, error) {
	var after *coupons.Coupon
	err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		coupon, err := s.Coupons.Coupon(ctx, code)
		if err != nil {
			return err
		}
		after, err = s.Coupons.Void(ctx, u, coupon, coupons.Voiding{}, nil)
		return err
	})
	return after, err
}

// Proves G2.9.
func TestRacingRedemptionsAreLinearizable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, raced = 12, 10
		s := Open(ctx, t, db)
		codes := s.Issue(t, s.Campaign(t, nil), object{"count": raced})
		var history racing.History[couponRequest, couponReply]
		racing.Together(clients, func(client int) {
			for _, code := range codes {
				in := couponRequest{code, []string{"redeem", "redeem", "void", ""}[client%4]}
				history.Record(client, in, func() (couponReply, error) {
					switch in.action {
					case "redeem":
						return couponReplyOf(s.redeemAs(ctx, code, principal.CustomerID(fmt.Sprintf("user-%d", client))))
					case "void":
						return couponReplyOf(s.voidAs(ctx, code))
					}
					return couponReplyOf(s.Coupons.Coupon(ctx, code))
				})
			}
		})
		require.Len(t, history.Results(), clients*raced)
		require.True(t, racing.Linearizable(t, &history, oneCoupon))
	})
}

// Proves G2.9.
func TestCheckerDetectsARedemptionWithoutItsPredicate(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		code := s.Issue(t, s.Campaign(t, nil), object{"count": 1})[0]
		var history racing.History[couponRequest, couponReply]
		bothHaveRead := racing.Meet(2)
		racing.Together(2, func(i int) {
			history.Record(i, couponRequest{code, "redeem"}, func() (couponReply, error) {
				var after *coupons.Coupon
				err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					coupon, err := s.Coupons.Coupon(ctx, code)
					if err != nil {
						return err
					}
					after, err = s.redeemUnguarded(ctx, u, coupon, bothHaveRead)
					return err
				})
				return couponReplyOf(after, err)
			})
		})
		require.False(t, racing.Linearizable(t, &history, oneCoupon), "both were couponReply that they redeemed it")
	})
}

// redeemUnguarded redeems without the predicates on status and version. between runs after the read
// and before the write.
func (s *Shop) redeemUnguarded(ctx context.Context, u *uow.Unit, coupon *coupons.Coupon, between func()) (*coupons.Coupon, error) {
	to, ok := coupons.Machine.Next("redeem", coupons.Machine.Of(coupon.Status))
	if !ok {
		return nil, errors.New("the coupon was not read as unused")
	}
	between()
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	u.Audit(uow.Entry{Action: "coupon.redeem", Resource: coupons.Topic})
	after := *coupon
	after.Status = to.Code
	return &after, tx.Exec("UPDATE coupons SET status = ?, version = version + 1 WHERE tenant_id = ? AND id = ?",
		to.Code, coupon.TenantID, coupon.ID).Error
}
