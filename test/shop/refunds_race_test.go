package shop

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/lock/locktest"
	"interlock/internal/refunds"
	"interlock/test/racing"
	"interlock/test/tier"
)

// racers returns n admins of the tenant.
func (s *Shop) racers(n int) []*httpapitest.Caller {
	racers := make([]*httpapitest.Caller, n)
	for i := range racers {
		racers[i] = s.As(int64(100+i), fmt.Sprintf("Racer %d", i), "*")
	}
	return racers
}

// Proves G4.15.
func TestConcurrentRefundsNeverExceedThePayment(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 1000)
		for range 10 {
			order := s.paid(t, "external", Line("TEA-1", 1))
			statuses := make([]int, 2)
			racing.Together(2, func(i int) {
				a := s.Send(t, http.MethodPost, OrderPath(order)+"/refunds", object{"amount": 60, "reason": "raced"})
				if statuses[i] = a.Status; a.Status != http.StatusCreated && a.Pointer() != "/amount" {
					t.Errorf("%d %v", a.Status, a.Body)
				}
			})
			require.ElementsMatch(t, []int{http.StatusCreated, http.StatusUnprocessableEntity}, statuses)
			require.Equal(t, [4]float64{100, 60, 0, 40}, money(s.Get(t, OrderPath(order)).Body))
		}
		s.requireBooks(t)
	})
}

func TestRefundDuringAPaymentUsesItsPaymentMethod(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		s.Fund(t, Buyer, 1000)
		placed := s.Post(t, 201, "/orders", object{"userId": Buyer, "items": []object{Line("TEA-1", 1)}})
		unpaid, err := s.Orders.Order(s.Ctx, int64(placed["id"].(float64)))
		require.NoError(t, err)
		s.Post(t, 200, OrderPath(placed)+"/pay", object{"method": "wallet"})
		amount := int64(60)
		err = s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := s.Refunds.Request(ctx, u, unpaid, refunds.Request{Amount: &amount, Reason: "raced"})
			return err
		})
		require.Error(t, err, "the order as read has no payment method")
		require.Equal(t, [4]float64{100, 0, 0, 100}, money(s.Get(t, OrderPath(placed)).Body))
		s.requireBooks(t)
	})
}

// Proves G4.20.
func TestConcurrentRefundsOfALineRefundUnitsOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 33, 1000)
		order := s.paid(t, "external", Line("TEA-1", 5))
		var made atomic.Int64
		racing.Together(12, func(int) {
			a := s.Send(t, http.MethodPost, OrderPath(order)+"/refunds", object{"lines": []object{Line("TEA-1", 1)}, "reason": "raced"})
			switch {
			case a.Status == http.StatusCreated:
				made.Add(1)
			case a.Pointer() != "/lines/0/quantity":
				t.Errorf("%d %v", a.Status, a.Body)
			}
		})
		require.EqualValues(t, 5, made.Load())
		require.Equal(t, [4]float64{165, 165, 0, 0}, money(s.Get(t, OrderPath(order)).Body))
		s.requireBooks(t)
	})
}

// The locker excludes no caller, so that the version of the order decides.
// Proves G4.20.
func TestUnitsAreRefundedOnceWithoutALock(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := OpenWith(ctx, t, db, Options{Locks: &locktest.Unreliable{}})
		s.Stock(t, "TEA-1", 33, 1000)
		for range 4 {
			order := s.paid(t, "external", Line("TEA-1", 3))
			var made atomic.Int64
			racing.Together(12, func(int) {
				a := s.Send(t, http.MethodPost, OrderPath(order)+"/refunds", object{"lines": []object{Line("TEA-1", 1)}, "amount": 1, "reason": "raced"})
				switch {
				case a.Status == http.StatusCreated:
					made.Add(1)
				case a.Status == http.StatusLocked, a.Status == http.StatusServiceUnavailable, a.Pointer() == "/lines/0/quantity":
				default:
					t.Errorf("%d %v", a.Status, a.Body)
				}
			})
			require.Positive(t, made.Load())
			require.LessOrEqual(t, made.Load(), int64(3))
		}
		s.requireBooks(t)
	})
}

// Proves G4.17.
func TestOnlyOneOfConcurrentApproversCreditsTheWallet(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 1000)
		s.Fund(t, Buyer, 1000)
		racers := s.racers(16)
		for round := range 3 {
			refund := s.request(t, s.paid(t, "wallet", Line("TEA-1", 1)), object{"amount": 100})
			statuses := make([]int, len(racers))
			racing.Together(len(statuses), func(i int) {
				step, body := "approve", any(nil)
				if i%4 == 3 {
					step, body = "reject", object{"reason": "raced"}
				}
				a := racers[i].Send(t, http.MethodPost, RefundPath(refund)+"/"+step, body)
				if statuses[i] = a.Status; a.Status == http.StatusConflict {
					if a.Body["changedBy"].(object)["id"] == 7.0 || a.Body["current"] == nil {
						t.Errorf("no winner reported: %v", a.Body)
					}
				}
			})
			won := 0
			for _, status := range statuses {
				require.Contains(t, []int{http.StatusOK, http.StatusConflict}, status)
				if status == http.StatusOK {
					won++
				}
			}
			require.Equal(t, 1, won, "round %d", round)
		}
		s.requireBooks(t)
	})
}

// Clients refund parts of one order of 100 and approve the refunds of others, while some clients cancel
// the order.
// Proves G4.15.
func TestConcurrentRefundsAndCancellationsNeverExceedThePayment(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 25, 10_000)
		rounds := tier.Rounds(2, 200)
		s.Fund(t, Buyer, 100*int64(rounds))
		clients := s.racers(64)
		for round := range rounds {
			method := []string{"wallet", "external"}[round%2]
			order := s.paid(t, method, Line("TEA-1", 4))
			var cancelled atomic.Int64
			racing.Together(len(clients), func(i int) {
				caller := clients[i]
				if i%16 == 15 {
					a := caller.Send(t, http.MethodPost, OrderPath(order)+"/cancel", object{"reason": "raced"})
					if a.Status == http.StatusOK {
						cancelled.Add(1)
					} else if a.Status != http.StatusConflict && a.Status != http.StatusLocked {
						t.Errorf("a cancellation had status %d %v", a.Status, a.Body)
					}
					return
				}
				body := object{"amount": 1 + i%7, "reason": "raced"}
				if i%3 == 0 {
					body = object{"lines": []object{{"sku": "TEA-1", "quantity": 1, "restock": i%2 == 0}}, "reason": "raced"}
				}
				a := caller.Send(t, http.MethodPost, OrderPath(order)+"/refunds", body)
				switch a.Status {
				case http.StatusCreated:
					approved := s.boss().Send(t, http.MethodPost, RefundPath(a.Body)+"/approve", nil)
					takenOver := approved.Status == http.StatusConflict && approved.Body["currentStatus"] == "rejected"
					if approved.Status != http.StatusOK && approved.Status != http.StatusLocked && !takenOver {
						t.Errorf("an approval had status %d %v", approved.Status, approved.Body)
					}
				case http.StatusUnprocessableEntity, http.StatusLocked:
				default:
					t.Errorf("a request had status %d %v", a.Status, a.Body)
				}
			})
			t.Logf("cancelled: %d", cancelled.Load())
			require.LessOrEqual(t, cancelled.Load(), int64(1))
			final := s.Get(t, OrderPath(order)).Body
			require.LessOrEqual(t, final["refundReserved"].(float64)+final["refunded"].(float64), 100.0)
			if cancelled.Load() == 1 {
				require.Equal(t, "cancelled", final["status"])
				require.Zero(t, final["refundable"])
			}
		}
		s.requireBooks(t)
	})
}
