package coupons_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"interlock/internal/apperr"
	"interlock/internal/coupons"
	"interlock/internal/storage"
	"interlock/internal/storage/storagetest"
	"interlock/internal/uow"
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
var oneCoupon = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byCode := map[string][]porcupine.Operation{}
		for _, operation := range history {
			code := operation.Input.(asked).code
			byCode[code] = append(byCode[code], operation)
		}
		var partitions [][]porcupine.Operation
		for _, partition := range byCode {
			partitions = append(partitions, partition)
		}
		return partitions
	},
	Init: func() any { return "unused" },
	Step: func(state, input, output any) (bool, any) {
		in, out := input.(asked), output.(told)
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

// recorder keeps what many clients asked and were told, in the order of one
// counter.
type recorder struct {
	now        atomic.Int64
	mu         sync.Mutex
	operations []porcupine.Operation
}

func (r *recorder) record(client int, in asked, do func() (*coupons.Coupon, error)) error {
	call := r.now.Add(1)
	row, err := do()
	back := r.now.Add(1)
	var out told
	var refusal *apperr.Error
	switch {
	case err == nil:
		out.status = coupons.Machine.Of(row.Status).Name
	case errors.As(err, &refusal):
		out.refused = true
		out.status, _ = refusal.Members["currentStatus"].(string)
	default:
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: back})
	return nil
}

func (r *recorder) check() porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(oneCoupon, r.operations, time.Minute)
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
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, raced = 12, 10
		c := open(ctx, t, db)
		codes := c.issue(t, c.campaign(t, nil), object{"count": raced})
		var r recorder
		errs := make([]error, clients)
		race(clients, func(client int) {
			for _, code := range codes {
				in := asked{code, []string{"redeem", "redeem", "void", ""}[client%4]}
				errs[client] = errors.Join(errs[client], r.record(client, in, func() (*coupons.Coupon, error) {
					switch in.action {
					case "redeem":
						return c.redeemAs(ctx, code, int64(1+client))
					case "void":
						return c.voidAs(ctx, code)
					}
					return c.coupons.Coupon(ctx, code)
				}))
			}
		})
		require.NoError(t, errors.Join(errs...))
		require.Len(t, r.operations, clients*raced)
		require.Equal(t, porcupine.Ok, r.check())
	})
}

func TestTheCheckerCatchesARedemptionWithoutItsPredicate(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		c := open(ctx, t, db)
		code := c.issue(t, c.campaign(t, nil), object{"count": 1})[0]
		var r recorder
		var read sync.WaitGroup
		read.Add(2)
		errs := make([]error, 2)
		race(2, func(i int) {
			errs[i] = r.record(i, asked{code, "redeem"}, func() (after *coupons.Coupon, err error) {
				err = c.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					coupon, err := c.coupons.Coupon(ctx, code)
					if err != nil {
						return err
					}
					after, err = c.coupons.RedeemUnguarded(ctx, u, coupon, func() { read.Done(); read.Wait() })
					return err
				})
				return after, err
			})
		})
		require.NoError(t, errors.Join(errs...))
		require.Equal(t, porcupine.Illegal, r.check(), "both were told that they redeemed it")
	})
}
