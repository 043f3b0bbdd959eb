package shop

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/inventory"
	"interlock/internal/lock"
	"interlock/internal/lock/locktest"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/wallets"
	"interlock/test/racing"
	"interlock/test/world"
)

func (s *Shop) stockOf(t *testing.T, sku string) (onHand, reserved float64) {
	t.Helper()
	a := s.Get(t, "/inventory/"+sku)
	return a.Body["onHand"].(float64), a.Body["reserved"].(float64)
}

// requireBalanced requires that the ledgers add up: each version has one entry, the entries add up
// to the balance or stock, a pending or paid order has exactly its units reserved, and an order
// that is not cancelled has withdrawn exactly its amount.
func (s *Shop) requireBalanced(t *testing.T) {
	t.Helper()
	db := s.DB.Read(s.Ctx)
	var stocks []inventory.Inventory
	require.NoError(t, db.Find(&stocks).Error)
	for _, stock := range stocks {
		var sum struct{ N, OnHand, Reserved, Held int64 }
		require.NoError(t, db.Model(&inventory.Movement{}).Where("sku = ?", stock.SKU).
			Select("COUNT(*) AS n, SUM(on_hand_delta) AS on_hand, SUM(reserved_delta) AS reserved").Scan(&sum).Error)
		require.NoError(t, db.Model(&inventory.Hold{}).Where("sku = ?", stock.SKU).Select("COALESCE(SUM(quantity), 0) AS held").Scan(&sum.Held).Error)
		require.Equal(t, [4]int64{stock.Version, stock.OnHand, stock.Reserved, stock.Reserved}, [4]int64{sum.N, sum.OnHand, sum.Reserved, sum.Held}, stock.SKU)
	}
	var rows []wallets.Wallet
	require.NoError(t, db.Find(&rows).Error)
	for _, wallet := range rows {
		var sum struct{ N, Balance int64 }
		require.NoError(t, db.Model(&wallets.Entry{}).Where("user_id = ?", wallet.UserID).Select("COUNT(*) AS n, SUM(amount) AS balance").Scan(&sum).Error)
		require.Equal(t, [2]int64{wallet.Version, wallet.Balance}, [2]int64{sum.N, sum.Balance}, wallet.UserID)
	}
	listing, err := s.Orders.List(s.Ctx, orders.Filter{}, storage.Page{Limit: storage.MaxLimit})
	require.NoError(t, err)
	require.Nil(t, listing.Next)
	for _, order := range listing.Rows {
		s.requireSettled(t, order)
	}
}

func (s *Shop) requireSettled(t *testing.T, order orders.Order) {
	t.Helper()
	status := orders.Machine.Of(order.Status).Name
	expected := map[string]int64{}
	for _, line := range order.Lines {
		if status == "pending" || status == "paid" {
			expected[line.SKU] = line.Quantity
		}
	}
	held, err := s.Inventory.Held(s.Ctx, fmt.Sprintf("orders/%d", order.ID))
	require.NoError(t, err)
	require.Equal(t, expected, held, "%s is %s", order.OrderNo, status)
	var references []string
	require.NoError(t, s.DB.Read(s.Ctx).Model(&refunds.Refund{}).Where("order_id = ? AND method = 'wallet'", order.ID).Pluck("reference", &references).Error)
	var sum, owed int64
	for _, payment := range order.Payments {
		if !payment.Applied() {
			continue
		}
		sum += payment.Amount
		if payment.ByWallet() {
			references = append(references, payment.WalletReference())
			owed += payment.Amount - payment.Refunded
		}
	}
	require.Equal(t, order.Paid, sum, "%s is %s", order.OrderNo, status)
	require.LessOrEqual(t, order.Paid, order.Amount)
	var taken int64
	require.NoError(t, s.DB.Read(s.Ctx).Model(&wallets.Entry{}).Where("reference IN ?", references).Select("COALESCE(-SUM(amount), 0)").Scan(&taken).Error)
	require.Equal(t, owed, taken, "%s is %s", order.OrderNo, status)
	if status == "cancelled" {
		require.Zero(t, order.Refundable(), "%s: a cancellation refunds the rest", order.OrderNo)
	}
}

func TestOrderReservesStockAndShippingRemovesIt(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		require.Equal(t, http.StatusNotFound, s.Send(t, http.MethodGet, "/inventory/TEA-2", nil).Status)
		body := object{"userId": Buyer, "items": []object{{"sku": "TEA-1", "quantity": 3}}}
		steps := func(order object, actions ...string) {
			for _, action := range actions {
				brings := object{"pay": Outside(), "ship": object{"carrier": "DHL", "trackingNo": "1"}, "cancel": object{"reason": "x"}}[action]
				s.Post(t, http.StatusOK, OrderPath(order)+"/"+action, brings)
			}
		}
		requireStock := func(onHand, reserved float64) {
			t.Helper()
			gotOnHand, gotReserved := s.stockOf(t, "TEA-1")
			require.Equal(t, [2]float64{onHand, reserved}, [2]float64{gotOnHand, gotReserved})
		}
		shipped, cancelled := s.Create(t, "/orders", body), s.Create(t, "/orders", body)
		requireStock(10, 6)
		steps(shipped, "pay", "ship")
		requireStock(7, 3)
		steps(cancelled, "cancel")
		requireStock(7, 0)
		steps(shipped, "complete")
		requireStock(7, 0)
		movements := s.Send(t, http.MethodGet, "/inventory/TEA-1/movements", nil).Items()
		kinds := []string{}
		for _, m := range movements {
			kinds = append(kinds, m["kind"].(string))
		}
		require.Equal(t, []string{"return", "consume", "reserve", "reserve", "adjust"}, kinds)
		s.requireBalanced(t)
	})
}

// Proves G4.3.
func TestOrderBeyondStockNamesItsLines(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 2)
		s.Stock(t, "TEA-2", 100, 5)
		s.Create(t, "/items", object{"sku": "TEA-3", "name": "Never in stock", "price": 1})
		before := s.Count(t, &uow.AuditRow{}, "1 = 1")
		a := s.Send(t, http.MethodPost, "/orders", object{"userId": Buyer, "items": []object{
			{"sku": "TEA-3", "quantity": 1}, {"sku": "TEA-2", "quantity": 5}, {"sku": "TEA-1", "quantity": 3},
		}})
		require.Equal(t, http.StatusConflict, a.Status)
		require.Equal(t, "insufficient_stock", a.Body["code"])
		require.Equal(t, []any{
			object{"sku": "TEA-1", "wanted": 3.0, "available": 2.0}, object{"sku": "TEA-3", "wanted": 1.0, "available": 0.0},
		}, a.Body["lines"])
		_, reserved := s.stockOf(t, "TEA-2")
		require.Zero(t, reserved)
		require.Zero(t, s.Count(t, &orders.Order{}, "1 = 1"))
		require.Equal(t, before, s.Count(t, &uow.AuditRow{}, "1 = 1"))
		s.requireBalanced(t)
	})
}

// Proves G4.3.
func TestConcurrentOrdersMatchTheStock(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		const clients, pieces = 32, 20
		s.Stock(t, "TEA-1", 100, pieces)
		s.Stock(t, "TEA-2", 100, pieces)
		var placed, refused atomic.Int64
		statuses := make([]int, clients)
		racing.Together(clients, func(i int) {
			items := []object{{"sku": "TEA-1", "quantity": 1}, {"sku": "TEA-2", "quantity": 1}}
			if i%2 == 1 {
				items[0], items[1] = items[1], items[0]
			}
			statuses[i] = s.Send(t, http.MethodPost, "/orders", object{"userId": i + 1, "items": items}).Status
			switch statuses[i] {
			case http.StatusCreated:
				placed.Add(1)
			case http.StatusConflict:
				refused.Add(1)
			}
		})
		require.EqualValues(t, pieces, placed.Load(), statuses)
		require.EqualValues(t, clients-pieces, refused.Load(), statuses)
		s.requireBalanced(t)
	})
}

// Proves G4.4.
func TestCancellationRefundsAWalletPaymentOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 300, Plenty)
		s.Fund(t, Buyer, 500)
		order := s.Place(t)
		paid := s.Post(t, http.StatusOK, OrderPath(order)+"/pay", object{"method": "wallet"})
		require.Equal(t, []any{"ship", "cancel"}, paid["allowedTransitions"])
		require.EqualValues(t, 200, s.Balance(t, Buyer))

		poor := s.Place(t)
		refused := s.Post(t, http.StatusConflict, OrderPath(poor)+"/pay", object{"method": "wallet"})
		require.Equal(t, "insufficient_balance", refused["code"])
		require.Equal(t, [2]any{200.0, 300.0}, [2]any{refused["balance"], refused["wanted"]})
		require.Equal(t, poor, s.Send(t, http.MethodGet, OrderPath(poor), nil).Body)

		const racers = 12
		statuses := make([]int, racers)
		racing.Together(racers, func(i int) {
			statuses[i] = s.Send(t, http.MethodPost, OrderPath(order)+"/cancel", object{"reason": "changed my mind"}).Status
		})
		require.Len(t, without(statuses, http.StatusConflict), 1, statuses)
		require.EqualValues(t, 500, s.Balance(t, Buyer))
		require.EqualValues(t, 3, s.Count(t, &uow.AuditRow{}, "resource = ?", fmt.Sprintf("orders/%d", world.ID(order))), "placed, paid, cancelled")
		require.EqualValues(t, 3, s.Count(t, &wallets.Entry{}, "user_id = ?", Buyer))
		s.requireBalanced(t)
	})
}

func without(statuses []int, status int) []int {
	var others []int
	for _, s := range statuses {
		if s != status {
			others = append(others, s)
		}
	}
	return others
}

// Proves G4.4.
func TestConcurrentStepsLeaveConsistentLedgers(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 350)
		for range 8 {
			order := s.Place(t)
			racing.Together(9, func(i int) {
				action := []string{"pay", "cancel", "ship"}[i%3]
				body := object{"pay": object{"method": "wallet"}, "cancel": object{"reason": "x"}, "ship": object{"carrier": "DHL", "trackingNo": "1"}}[action]
				if status := s.Send(t, http.MethodPost, OrderPath(order)+"/"+action, body).Status; status != http.StatusOK && status != http.StatusConflict {
					t.Errorf("%s has status %d", action, status)
				}
			})
		}
		s.requireBalanced(t)
	})
}

// Proves G4.39.
func TestOrderLocksEncloseTheTransaction(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := locktest.NewAround(lock.NewInProcess(lock.Observer{}), db)
		s := OpenWith(ctx, t, db, Options{Locks: locks})
		caller, _ := principal.From(ctx)
		tea, cup := fmt.Sprintf("inventory:%d:TEA-1", caller.TenantID), fmt.Sprintf("inventory:%d:CUP-1", caller.TenantID)
		purse := fmt.Sprintf("wallet:%d:%s", caller.TenantID, Buyer)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Stock(t, "CUP-1", 100, Plenty)
		s.Fund(t, Buyer, 1000)
		locks.Taken(t)
		step := func(order object, action string, brings object, taken ...string) {
			t.Helper()
			s.Post(t, http.StatusOK, OrderPath(order)+"/"+action, brings)
			require.Equal(t, taken, locks.Taken(t), action)
		}
		body := object{"userId": Buyer, "items": []object{{"sku": "TEA-1", "quantity": 1}, {"sku": "CUP-1", "quantity": 1}}}
		order := s.Create(t, "/orders", body)
		require.Equal(t, []string{cup, tea}, locks.Taken(t), "place")
		step(order, "cancel", object{"reason": "x"}, cup, tea)
		order = s.Create(t, "/orders", body)
		locks.Taken(t)
		step(order, "pay", object{"method": "wallet"}, purse)
		step(order, "cancel", object{"reason": "x"}, cup, tea, purse)
		order = s.Create(t, "/orders", body)
		locks.Taken(t)
		step(order, "pay", Outside())
		step(order, "ship", object{"carrier": "DHL", "trackingNo": "1"}, cup, tea)
	})
}

// Proves G4.19.
func TestCancelledExternalPaymentRefundsTheRest(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		order := s.Place(t)
		paid := s.Send(t, http.MethodPost, OrderPath(order)+"/pay", Outside()).Body
		require.Equal(t, []any{"ship", "cancel"}, paid["allowedTransitions"])
		require.Equal(t, []any{100.0, 0.0, 0.0, 100.0}, []any{paid["paid"], paid["refundReserved"], paid["refunded"], paid["refundable"]})
		cancelled := s.Post(t, http.StatusOK, OrderPath(order)+"/cancel", object{"reason": "late"})
		require.Equal(t, []any{"cancelled", 100.0, 100.0, 0.0, 0.0},
			[]any{cancelled["status"], cancelled["paid"], cancelled["refundReserved"], cancelled["refunded"], cancelled["refundable"]})
		made := s.Send(t, http.MethodGet, fmt.Sprintf("/refunds?orderId=%d", world.ID(order)), nil).Items()
		require.Len(t, made, 1)
		require.Equal(t, []any{"requested", 100.0, "external", "cancellation", "late"},
			[]any{made[0]["status"], made[0]["amount"], made[0]["method"], made[0]["origin"], made[0]["reason"]})
		require.EqualValues(t, 3, s.Count(t, &uow.AuditRow{}, "resource = ?", fmt.Sprintf("orders/%d", world.ID(order))), "placed, paid, cancelled")
		require.Zero(t, s.Count(t, &wallets.Entry{}, "1 = 1"))
		s.requireBalanced(t)
	})
}

func TestNextUnpaidOrderIsTheEarliestPending(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		next := func() time.Time {
			t.Helper()
			due, err := s.Orders.NextUnpaid(ctx)
			require.NoError(t, err)
			return due
		}
		caller, _ := principal.From(ctx)
		var placed []object
		for range 3 {
			placed = append(placed, s.Place(t))
		}
		require.True(t, next().IsZero(), "none of them is in a hurry")
		for i, order := range placed[:2] {
			require.NoError(t, db.Write(ctx).Exec("UPDATE orders SET payment_due = ? WHERE tenant_id = ? AND id = ?", world.Opening.Add(time.Duration(i+1)*time.Minute), caller.TenantID, order["id"]).Error)
		}
		require.Equal(t, world.Opening.Add(time.Minute), next())
		require.NoError(t, s.Orders.CancelUnpaid(ctx, world.Opening.Add(time.Minute), 10))
		require.Equal(t, world.Opening.Add(2*time.Minute), next())
	})
}

// The order is paid after the sweeper has found it and before the sweeper cancels it.
// Proves G4.19.
func TestOrderPaidBeforeItsTimeoutStaysPaid(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 100)
		order := s.Place(t)
		caller, _ := principal.From(ctx)
		require.NoError(t, db.Write(ctx).Exec("UPDATE orders SET payment_due = ? WHERE tenant_id = ?", world.Opening, caller.TenantID).Error)
		payOnce := sync.OnceFunc(func() {
			s.Post(t, http.StatusOK, OrderPath(order)+"/pay", object{"method": "wallet"})
		})
		require.NoError(t, db.Read(ctx).Callback().Query().After("gorm:query").Register("test:pay", func(tx *gorm.DB) {
			if _, found := tx.Statement.Dest.(*[]orders.Order); found {
				payOnce()
			}
		}))
		require.NoError(t, s.Orders.CancelUnpaid(ctx, world.Opening, 10))
		require.Equal(t, "paid", s.Send(t, http.MethodGet, OrderPath(order), nil).Body["status"])
		s.requireBalanced(t)
	})
}

func TestBatchOfWalletPaymentsReportsUnpaidOrders(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 100, Plenty)
	s.Fund(t, Buyer, 150)
	first, second := s.Place(t), s.Place(t)
	a := s.Send(t, http.MethodPost, "/order-batches", object{"action": "pay", "method": "wallet", "ids": []any{first["id"], second["id"]}})
	require.Equal(t, http.StatusOK, a.Status, a.Body)
	verdicts := a.Items()
	require.Equal(t, "done", verdicts[0]["verdict"])
	require.Equal(t, []any{"conflict", "insufficient_balance"}, []any{verdicts[1]["verdict"], verdicts[1]["code"]})
	s.requireBalanced(t)
}
