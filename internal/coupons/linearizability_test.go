package coupons_test

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

// asked is what a client asked of one coupon: redeem, void, or "" to read it.
type asked struct{ code, action string }

// told is what it was told: the status, and whether it was refused.
type told struct {
	status  string
	refused bool
}

// oneCoupon is what a coupon is by itself: unused until the first redeem or void,
// and then that for good.
var oneCoupon = racing.Model[asked, told, string]{
	Of:      func(in asked) any { return in.code },
	Initial: "unused",
	Step: func(state string, in asked, out told) (bool, string) {
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

// tell is what a client is told when its action leaves the row or is refused.
func tell(row *coupons.Coupon, err error) (told, error) {
	var refusal *apperr.Error
	switch {
	case errors.As(err, &refusal):
		status, _ := refusal.Members["currentStatus"].(string)
		return told{status, true}, nil
	case err != nil:
		return told{}, err
	}
	return told{status: coupons.Machine.Of(row.Status).Name}, nil
}

func (c *counter) voidAs(ctx context.Context, code string) (*coupons.Coupon, error) {
	var after *coupons.Coupon
	err := c.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		coupon, err := c.coupons.Coupon(ctx, code)
		if err != nil {
			return err
		}
		after, err = c.coupons.Void(ctx, u, coupon, coupons.Voiding{}, nil)
		return err
	})
	return after, err
}

func TestRacingRedemptionsAreLinearizable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, raced = 12, 10
		c := open(ctx, t, db)
		codes := c.issue(t, c.campaign(t, nil), object{"count": raced})
		var history racing.History[asked, told]
		racing.Together(clients, func(client int) {
			for _, code := range codes {
				in := asked{code, []string{"redeem", "redeem", "void", ""}[client%4]}
				history.Record(client, in, func() (told, error) {
					switch in.action {
					case "redeem":
						return tell(c.redeemAs(ctx, code, principal.CustomerID(fmt.Sprintf("user-%d", client))))
					case "void":
						return tell(c.voidAs(ctx, code))
					}
					return tell(c.coupons.Coupon(ctx, code))
				})
			}
		})
		require.Len(t, history.Told(), clients*raced)
		require.True(t, racing.Linearizable(t, &history, oneCoupon))
	})
}

func TestTheCheckerCatchesARedemptionWithoutItsPredicate(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		c := open(ctx, t, db)
		code := c.issue(t, c.campaign(t, nil), object{"count": 1})[0]
		var history racing.History[asked, told]
		bothHaveRead := racing.Meet(2)
		racing.Together(2, func(i int) {
			history.Record(i, asked{code, "redeem"}, func() (told, error) {
				var after *coupons.Coupon
				err := c.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					coupon, err := c.coupons.Coupon(ctx, code)
					if err != nil {
						return err
					}
					after, err = c.coupons.RedeemUnguarded(ctx, u, coupon, bothHaveRead)
					return err
				})
				return tell(after, err)
			})
		})
		require.False(t, racing.Linearizable(t, &history, oneCoupon), "both were told that they redeemed it")
	})
}
