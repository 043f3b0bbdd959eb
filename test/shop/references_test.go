package shop

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
	"interlock/test/racing"
	"interlock/test/world"
)

// Proves G4.10.
func TestPaymentReferencePaysOneOrder(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		first, second := s.Place(t), s.Place(t)
		payment := object{"method": "external", "reference": "PSP-1"}
		paid := s.Post(t, http.StatusOK, OrderPath(first)+"/pay", payment)
		audited := s.Count(t, &uow.AuditRow{}, "1 = 1")

		require.Equal(t, paid, s.Post(t, http.StatusOK, OrderPath(first)+"/pay", payment), "the repeated callback")
		s.Post(t, http.StatusPreconditionFailed, OrderPath(first)+"/pay", payment, "If-Match", first["etag"].(string))
		refused := s.Post(t, http.StatusConflict, OrderPath(second)+"/pay", payment)
		require.Equal(t, []any{"payload_mismatch", paid}, world.Members(refused, "code", "first"))
		require.Contains(t, refused["detail"], fmt.Sprintf("belongs to order %q", first["orderNo"]))
		batch := s.Post(t, http.StatusOK, "/order-batches", object{"action": "pay", "method": "external", "reference": "PSP-1", "ids": []any{first["id"], second["id"]}})
		require.Equal(t, []any{"done", "payload_mismatch", "conflict"}, []any{
			batch["items"].([]any)[0].(object)["verdict"], batch["items"].([]any)[1].(object)["code"], batch["items"].([]any)[1].(object)["verdict"],
		})
		require.Equal(t, second, s.Get(t, OrderPath(second)).Body)
		require.Equal(t, audited, s.Count(t, &uow.AuditRow{}, "1 = 1"))

		s.Post(t, http.StatusConflict, OrderPath(first)+"/pay", object{"method": "external", "reference": "PSP-2"})
		cancelled := s.Post(t, http.StatusOK, OrderPath(first)+"/cancel", object{"reason": "late"})
		require.Equal(t, cancelled, s.Post(t, http.StatusOK, OrderPath(first)+"/pay", payment), "the callback after the cancellation")
		s.Fund(t, Buyer, 100)
		s.Post(t, http.StatusOK, OrderPath(second)+"/pay", object{"method": "wallet", "reference": "PSP-1"})
	})
}

// Proves G4.10.
func TestSettlementReferenceSettlesOneRefund(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		approved := func() object {
			refund := s.request(t, s.paid(t, "external", Line("TEA-1", 1)), object{"amount": 60})
			return s.boss().Post(t, http.StatusOK, RefundPath(refund)+"/approve", nil)
		}
		first, second := approved(), approved()
		settlement := object{"reference": "RF-1"}
		settled := s.boss().Post(t, http.StatusOK, RefundPath(first)+"/settle", settlement)
		audited := s.Count(t, &uow.AuditRow{}, "1 = 1")

		require.Equal(t, settled, s.boss().Post(t, http.StatusOK, RefundPath(first)+"/settle", settlement), "the repeated callback")
		refused := s.boss().Post(t, http.StatusConflict, RefundPath(second)+"/settle", settlement)
		require.Equal(t, []any{"payload_mismatch", settled}, world.Members(refused, "code", "first"))
		require.Contains(t, refused["detail"], fmt.Sprintf("of order %q", first["orderNo"]))
		require.Equal(t, second, s.Get(t, RefundPath(second)).Body)
		require.Equal(t, audited, s.Count(t, &uow.AuditRow{}, "1 = 1"))
		s.boss().Post(t, http.StatusConflict, RefundPath(first)+"/settle", object{"reference": "RF-2"})
		s.boss().Post(t, http.StatusOK, RefundPath(second)+"/settle", object{"reference": "RF-2"})
		s.requireBooks(t)
	})
}

// Proves G4.10.
func TestOvertakenCallbackFindsItsPayment(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		id, payment, runs := world.ID(s.Place(t)), outside(), 0
		var after *orders.Order
		err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			order, err := s.Orders.Order(ctx, id)
			if err != nil {
				return err
			}
			switch runs++; runs {
			case 1:
				// The unit runs again with its statements one by one.
				s.bumpVersion(t, order)
			case 2:
				_, err := s.move(ctx, id, payment, nil)
				require.NoError(t, err)
			}
			after, err = s.Orders.Transition(ctx, u, order, payment, nil)
			return err
		})
		require.NoError(t, err)
		require.Equal(t, 3, runs)
		require.EqualValues(t, 3, after.Version)
	})
}

// Proves G4.10.
func TestRacingCallbacksOfAPaymentAllSucceed(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const racers = 12
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		first, second := world.ID(s.Place(t)), world.ID(s.Place(t))
		payment := outside()
		errs := make([]error, racers)
		racing.Together(racers, func(i int) {
			_, errs[i] = s.move(ctx, []int64{first, second}[i%2], payment, nil)
		})
		var rows []orders.Order
		require.NoError(t, db.Read(ctx).Where("status = 1").Find(&rows).Error)
		require.Len(t, rows, 1)
		for i, err := range errs {
			if rows[0].ID == []int64{first, second}[i%2] {
				require.NoError(t, err)
				continue
			}
			require.ErrorContains(t, err, rows[0].OrderNo)
		}
		s.requireBalanced(t)
	})
}
