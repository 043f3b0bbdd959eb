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
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/orders"
	"interlock/internal/payments"
	"interlock/internal/refunds"
	"interlock/internal/wallets"
	"interlock/test/racing"
	"interlock/test/tier"
	"interlock/test/world"
)

func paymentPath(payment object) string { return fmt.Sprintf("/payments/%d", world.ID(payment)) }

// receipt is the request to record a payment from outside.
func receipt(reference string, amount int64) object {
	return object{"method": "external", "provider": "stripe", "reference": reference, "amount": amount}
}

// requirePayments requires that the payments, the orders and the refunds agree.
func (s *Shop) requirePayments(t *testing.T) {
	t.Helper()
	db := s.DB.Read(s.Ctx)
	var all []payments.Payment
	require.NoError(t, db.Find(&all).Error)
	paid := map[int64]int64{}
	for _, payment := range all {
		require.Equal(t, payment.Version, s.Count(t, &payments.Event{}, "payment_id = ?", payment.ID), "each version has one row of history")
		state := payments.Machine.Of(payment.Status).Name
		require.Equal(t, state == "refunded", payment.Refunded > 0 && payment.Refunded == payment.Amount, payment.Label())
		if !payment.Applied() {
			require.NotEqual(t, "applied", state)
			continue
		}
		paid[*payment.OrderID] += payment.Amount
		order, err := s.Orders.Order(s.Ctx, *payment.OrderID)
		require.NoError(t, err)
		var reserved, refunded int64
		var repaid []refunds.Refund
		require.NoError(t, db.Where("payment_id = ?", payment.ID).Find(&repaid).Error)
		for _, refund := range repaid {
			switch name := refunds.Machine.Of(refund.Status).Name; {
			case name == "settled":
				refunded += refund.Amount
			case name == "requested", name == "approved", name == "unknown", name == "failed" && order.Cancelled():
				reserved += refund.Amount
			}
		}
		require.Equal(t, [2]int64{reserved, refunded}, [2]int64{payment.RefundReserved, payment.Refunded}, payment.Label())
		require.LessOrEqual(t, reserved+refunded, payment.Amount, payment.Label())
		if payment.ByWallet() && payment.Amount > 0 {
			require.EqualValues(t, 1, s.Count(t, &wallets.Entry{}, "reference = ? AND amount = ?", payment.WalletReference(), -payment.Amount))
		}
	}
	var rows []orders.Order
	require.NoError(t, db.Find(&rows).Error)
	for _, order := range rows {
		require.Equal(t, paid[order.ID], order.Paid, order.OrderNo)
		require.LessOrEqual(t, order.Paid, order.Amount, order.OrderNo)
		require.Equal(t, order.PaidTime != nil, order.Status != 0 && order.Paid == order.Amount && order.CancelledTime == nil || order.CancelledTime != nil && order.PaidTime != nil, order.OrderNo)
	}
}

// Proves G4.40.
func TestPartialPaymentsPayAnOrder(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 30)
		order := s.Place(t)
		path := OrderPath(order) + "/payments"
		first := s.Create(t, path, receipt("pi-1", 20))
		require.Equal(t, []any{"applied", 20.0, order["id"], order["orderNo"], Buyer, "stripe", nil},
			[]any{first["status"], first["amount"], first["orderId"], first["orderNo"], any(Buyer), first["provider"], first["reason"]})
		partly := s.Get(t, OrderPath(order)).Body
		require.Equal(t, []any{"pending", "partly_paid", 20.0, 80.0, nil}, world.Members(partly, "status", "paymentStatus", "paid", "due", "paidTime"))
		s.Create(t, path, object{"method": "wallet", "reference": "w-1", "amount": 30})
		require.Zero(t, s.Balance(t, Buyer))
		last := s.Create(t, path, object{"method": "external", "reference": "pi-1"})
		require.Equal(t, 50.0, last["amount"], "all that is due; another provider has other references")
		paid := s.Get(t, OrderPath(order)).Body
		require.Equal(t, []any{"paid", "paid", 100.0, 0.0}, world.Members(paid, "status", "paymentStatus", "paid", "due"))
		require.NotNil(t, paid["paidTime"])
		require.Equal(t, object{"method": "external", "reference": "pi-1"}, paid["payment"])
		actions := []any{}
		for _, event := range s.Send(t, http.MethodGet, OrderPath(order)+"/history", nil).Items() {
			actions = append(actions, event["action"])
		}
		require.Equal(t, []any{"pay", "payment", "payment", "create"}, actions)
		require.Len(t, s.Send(t, http.MethodGet, path, nil).Items(), 3)
		require.EqualValues(t, 4, s.Count(t, &uow.AuditRow{}, "resource = ?", fmt.Sprintf("orders/%d", world.ID(order))))
		s.requirePayments(t)
		s.requireBalanced(t)
	})
}

// Proves G4.40.
func TestPayPaysTheRestOfAPartlyPaidOrder(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 75)
		order := s.Place(t)
		s.Create(t, OrderPath(order)+"/payments", receipt("pi-1", 25))
		paid := s.Post(t, http.StatusOK, OrderPath(order)+"/pay", object{"method": "wallet"})
		require.Equal(t, []any{"paid", 100.0, 0.0}, world.Members(paid, "status", "paid", "due"))
		require.Zero(t, s.Balance(t, Buyer))
		refused := s.Post(t, http.StatusConflict, OrderPath(order)+"/pay", object{"method": "external", "reference": "late"})
		require.Equal(t, "transition_not_allowed", refused["code"])
		s.requirePayments(t)
	})
}

// Proves G4.40.
func TestPaymentOfAShippedOrderLeavesItsStatus(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		for _, route := range []string{"/pay", "/payments"} {
			order := s.Place(t)
			require.NoError(t, db.Write(ctx).Exec("UPDATE orders SET status = 2, payment_terms = 'invoice' WHERE tenant_id = ? AND id = ?", s.Tenant(), order["id"]).Error)
			require.Contains(t, s.Get(t, OrderPath(order)).Body["allowedTransitions"], "pay")
			require.Less(t, s.Send(t, http.MethodPost, OrderPath(order)+route, Outside()).Status, 300)
			paid := s.Get(t, OrderPath(order)).Body
			require.Equal(t, []any{"shipped", "paid", 0.0}, world.Members(paid, "status", "paymentStatus", "due"))
			require.NotContains(t, paid["allowedTransitions"], "pay")
		}
		s.requirePayments(t)
	})
}

// Proves G4.41.
func TestPaymentWithoutAnAcceptingOrderIsUnmatched(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		cancelled, paid, pending := s.Place(t), s.paid(t, "external", Line("TEA-1", 1)), s.Place(t)
		s.Post(t, http.StatusOK, OrderPath(cancelled)+"/cancel", object{"reason": "late"})
		unknown := object{"id": float64(world.ID(pending) + 1000)}
		for i, c := range []struct {
			order  object
			body   object
			amount float64
			code   string
			reason string
		}{
			{cancelled, object{"method": "external", "reference": "u-1"}, 100, "order_cancelled", "the order was cancelled"},
			{paid, object{"method": "external", "reference": "u-2"}, 100, "already_paid", "the order is paid in full"},
			{pending, receipt("u-3", 101), 101, "too_much", "the amount exceeds the 100 that are due"},
			{unknown, receipt("u-4", 70), 70, "unknown_order", "the order does not exist"},
		} {
			a := s.Send(t, http.MethodPost, OrderPath(c.order)+"/payments", c.body)
			require.Equal(t, http.StatusAccepted, a.Status, a.Body)
			require.Equal(t, []any{"unmatched", c.amount, c.code, c.reason, 0.0}, world.Members(a.Body, "status", "amount", "reasonCode", "reason", "refundable"))
			require.Equal(t, []any{"apply", "refund"}, a.Body["allowedTransitions"])
			require.Equal(t, c.order["orderNo"], a.Body["orderNo"])
			require.Contains(t, a.Header.Get("Location"), paymentPath(a.Body))
			again := s.Send(t, http.MethodPost, OrderPath(c.order)+"/payments", c.body)
			require.Equal(t, http.StatusOK, again.Status)
			require.Equal(t, a.Body, again.Body)
			require.Len(t, s.Send(t, http.MethodGet, "/payments?status=unmatched", nil).Items(), i+1)
		}
		required := s.Post(t, http.StatusUnprocessableEntity, OrderPath(unknown)+"/payments", object{"method": "external", "reference": "u-5"})
		require.Equal(t, "/amount", required["fields"].([]any)[0].(object)["pointer"])
		require.Equal(t, "pending", s.Get(t, OrderPath(pending)).Body["status"])
		s.requirePayments(t)
	})
}

// Proves G4.41.
func TestWalletPaymentOfAnUnpayableOrderIsRejected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 500)
		paid, pending := s.paid(t, "wallet", Line("TEA-1", 1)), s.Place(t)
		wallet := func(amount int64) object { return object{"method": "wallet", "reference": "w-1", "amount": amount} }
		refused := s.Post(t, http.StatusConflict, OrderPath(paid)+"/payments", wallet(1))
		require.Equal(t, []any{"transition_not_allowed", paid}, world.Members(refused, "code", "current"))
		s.Post(t, http.StatusConflict, OrderPath(pending)+"/payments", wallet(101))
		s.Post(t, http.StatusNotFound, fmt.Sprintf("/orders/%d/payments", world.ID(pending)+1000), wallet(1))
		s.Post(t, http.StatusUnprocessableEntity, OrderPath(pending)+"/payments", object{"method": "wallet", "reference": "w-1", "provider": "stripe"})
		require.EqualValues(t, 400, s.Balance(t, Buyer))
		require.EqualValues(t, 1, s.Count(t, &payments.Payment{}, "1 = 1"))
		s.requirePayments(t)
	})
}

// Proves G4.10.
func TestPaymentReferenceIsUniquePerProvider(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		first, second := s.Place(t), s.Place(t)
		payment := s.Create(t, OrderPath(first)+"/payments", receipt("pi-1", 40))
		audited := s.Count(t, &uow.AuditRow{}, "1 = 1")
		require.Equal(t, payment, s.Post(t, http.StatusOK, OrderPath(first)+"/payments", receipt("pi-1", 40)))
		require.Equal(t, payment, s.Post(t, http.StatusOK, OrderPath(first)+"/payments", object{"method": "external", "provider": "stripe", "reference": "pi-1"}))
		for path, body := range map[string]object{
			OrderPath(second) + "/payments": receipt("pi-1", 40),
			OrderPath(first) + "/payments":  receipt("pi-1", 41),
		} {
			refused := s.Post(t, http.StatusConflict, path, body)
			require.Equal(t, []any{"payload_mismatch", payment}, world.Members(refused, "code", "first"))
		}
		refused := s.Post(t, http.StatusConflict, OrderPath(second)+"/pay", object{"method": "external", "provider": "stripe", "reference": "pi-1"})
		require.Equal(t, []any{"payload_mismatch", payment}, world.Members(refused, "code", "payment"))
		require.Equal(t, audited, s.Count(t, &uow.AuditRow{}, "1 = 1"))
		for _, body := range []object{
			{"method": "external", "reference": "@orders/1/pay"},
			{"method": "external", "provider": "refund", "reference": "x"},
			{"method": "external", "provider": "wallet", "reference": "x"},
			{"method": "external", "provider": "Stripe", "reference": "x"},
			{"method": "external"},
		} {
			s.Post(t, http.StatusUnprocessableEntity, OrderPath(second)+"/payments", body)
		}
		s.Create(t, OrderPath(second)+"/payments", object{"method": "external", "provider": "adyen", "reference": "pi-1"})
		s.requirePayments(t)
	})
}

// The amount is due only once, so the requests that wait for the lock find it paid.
// Proves G4.10.
func TestRacingWalletPaymentIsRecordedOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 1000)
		for range tier.Rounds(5, 15) {
			order := s.Place(t)
			answers := make([]httpapitest.Answer, 8)
			racing.Together(len(answers), func(i int) {
				answers[i] = s.Send(t, http.MethodPost, OrderPath(order)+"/payments", object{"method": "wallet", "reference": fmt.Sprint("w-", order["id"]), "amount": 60})
			})
			require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusOK: 7}, world.Tally(answers))
			for _, answer := range answers {
				require.Equal(t, answers[0].Body, answer.Body)
			}
		}
		s.requirePayments(t)
	})
}

// A rejection about a payment and an order contains the one that its caller may read.
func TestRejectedPaymentShowsOnlyReadableRecords(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		cashier, clerk := s.As(9, "Cem", "payments:write"), s.As(10, "Dia", "orders:write")
		paid, open := s.paid(t, "external", Line("TEA-1", 1)), s.Place(t)
		stray := s.Post(t, http.StatusAccepted, "/orders/999999/payments", receipt("pi-1", 60))
		rejections := []object{
			cashier.Post(t, http.StatusConflict, OrderPath(paid)+"/payments", object{"method": "wallet", "reference": "w-1", "amount": 1}),
			cashier.Post(t, http.StatusConflict, paymentPath(stray)+"/apply", object{"orderId": paid["id"]}),
			clerk.Post(t, http.StatusConflict, OrderPath(open)+"/pay", object{"method": "external", "provider": "stripe", "reference": "pi-1"}),
		}
		for _, rejected := range rejections {
			require.NotContains(t, rejected, "current")
			require.NotContains(t, rejected, "payment")
			require.Contains(t, rejected["detail"], "Nothing was changed")
		}
	})
}

// Proves G4.41.
func TestUnmatchedPaymentIsAppliedOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const racers = 8
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		stray := s.Post(t, http.StatusAccepted, "/orders/999999/payments", receipt("pi-1", 60))
		s.Post(t, http.StatusUnprocessableEntity, paymentPath(stray)+"/apply", object{"orderId": 999999})
		paid := s.paid(t, "external", Line("TEA-1", 1))
		refused := s.Post(t, http.StatusConflict, paymentPath(stray)+"/apply", object{"orderId": paid["id"]})
		require.Equal(t, []any{"transition_not_allowed", paid}, world.Members(refused, "code", "current"))
		require.Equal(t, stray, s.Get(t, paymentPath(stray)).Body)
		var placed []object
		for range racers {
			placed = append(placed, s.Place(t))
		}
		statuses := make([]int, racers)
		racing.Together(racers, func(i int) {
			statuses[i] = s.Send(t, http.MethodPost, paymentPath(stray)+"/apply", object{"orderId": placed[i]["id"]}).Status
		})
		require.Len(t, without(statuses, http.StatusConflict), 1, statuses)
		applied := s.Get(t, paymentPath(stray)).Body
		require.Equal(t, []any{"applied", 60.0, nil, nil}, world.Members(applied, "status", "refundable", "reason", "reasonCode"))
		require.Equal(t, applied, s.Post(t, http.StatusOK, "/orders/999999/payments", receipt("pi-1", 60)), "the repeated callback")
		require.Equal(t, 60.0, s.Get(t, fmt.Sprintf("/orders/%v", applied["orderId"])).Body["paid"])
		require.EqualValues(t, 1, s.Count(t, &orders.Order{}, "paid = 60"))
		s.requirePayments(t)
		s.requireBalanced(t)
	})
}

// Proves G4.42.
func TestUnmatchedPaymentIsRefundedByAnotherUser(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		stray := s.Post(t, http.StatusAccepted, "/orders/999999/payments", receipt("pi-1", 60))
		own := s.Post(t, http.StatusForbidden, paymentPath(stray)+"/refund", object{"reason": "paid twice"})
		require.Equal(t, "four_eyes", own["reason"])
		back := s.boss().Post(t, http.StatusOK, paymentPath(stray)+"/refund", object{"reason": "paid twice"})
		require.Equal(t, []any{"refunded", 60.0, "paid twice", nil, nil}, world.Members(back, "status", "refunded", "reason", "reasonCode", "appliedTime"))
		s.boss().Post(t, http.StatusConflict, paymentPath(stray)+"/refund", object{"reason": "again"})
		order := s.Place(t)
		s.Post(t, http.StatusConflict, paymentPath(stray)+"/apply", object{"orderId": order["id"]})
		require.Equal(t, back, s.Post(t, http.StatusOK, "/orders/999999/payments", receipt("pi-1", 60)))

		s.paid(t, "external", Line("TEA-1", 1))
		applied := s.Send(t, http.MethodGet, "/payments?status=applied", nil).Items()[0]
		refused := s.boss().Post(t, http.StatusConflict, paymentPath(applied)+"/refund", object{"reason": "x"})
		require.Equal(t, "transition_not_allowed", refused["code"])
		require.Contains(t, refused["detail"], "/refunds")
		s.requirePayments(t)
	})
}

// Proves G8.28.
func TestAboveTheThresholdVotesSendAPaymentBack(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		s.Above[payments.ApprovalKind] = 50
		proposed := func(reference string) (stray object, a proposal) {
			stray = s.Post(t, http.StatusAccepted, "/orders/999999/payments", receipt(reference, 60))
			made := s.boss().Post(t, http.StatusAccepted, paymentPath(stray)+"/refund", object{"reason": "paid twice"})
			require.Equal(t, "pending", made["status"])
			return stray, proposal{fmt.Sprintf("/approvals/%d", world.ID(made)), made["etag"].(string)}
		}
		stray, a := proposed("pi-1")
		require.Equal(t, stray, s.Get(t, paymentPath(stray)).Body)
		require.Equal(t, http.StatusForbidden, vote(t, s.Caller, a).Status, "the recorder has no vote")
		require.Equal(t, http.StatusOK, vote(t, wu, a).Status)
		require.Equal(t, []any{"refunded", 60.0, "paid twice"}, world.Members(s.Get(t, paymentPath(stray)).Body, "status", "refunded", "reason"))

		stray, a = proposed("pi-2")
		order := s.Place(t)
		s.Post(t, http.StatusOK, paymentPath(stray)+"/apply", object{"orderId": order["id"]})
		require.Equal(t, "stale", s.Get(t, a.path).Body["status"])
		require.Equal(t, http.StatusConflict, vote(t, wu, a).Status)
		s.requirePayments(t)
	})
}

// Proves G4.10.
func TestRacingPaymentsWithOneReferenceApplyOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const racers = 50
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		order := s.Place(t)
		statuses := make([]int, racers)
		racing.Together(racers, func(i int) {
			statuses[i] = s.Send(t, http.MethodPost, OrderPath(order)+"/payments", receipt("pi-1", 60)).Status
		})
		require.Equal(t, []int{http.StatusCreated}, without(statuses, http.StatusOK), statuses)
		require.EqualValues(t, 1, s.Count(t, &payments.Payment{}, "1 = 1"))
		require.Equal(t, 60.0, s.Get(t, OrderPath(order)).Body["paid"])
		s.requirePayments(t)
	})
}

// Proves G4.40.
func TestRacingPaymentsNeverExceedTheDueAmount(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const racers, part = 15, 30
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 10_000)
		order := s.Place(t)
		statuses := make([]int, racers)
		racing.Together(racers, func(i int) {
			body := receipt(fmt.Sprintf("pi-%d", i), part)
			if i%3 == 0 {
				body = object{"method": "wallet", "reference": fmt.Sprintf("w-%d", i), "amount": part}
			}
			statuses[i] = s.Send(t, http.MethodPost, OrderPath(order)+"/payments", body).Status
		})
		applied := 0
		for i, status := range statuses {
			switch {
			case status == http.StatusCreated:
				applied++
			case i%3 == 0:
				require.Equal(t, http.StatusConflict, status, "a wallet is not debited for an order that cannot take it")
			default:
				require.Equal(t, http.StatusAccepted, status, "money from outside is not rejected")
			}
		}
		require.Equal(t, 3, applied, statuses)
		require.EqualValues(t, 90, s.Get(t, OrderPath(order)).Body["paid"])
		s.requirePayments(t)
		s.requireBalanced(t)
	})
}

// Proves G4.41.
func TestPaymentOrCancellationLosesNoMoney(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 10_000)
		for round := range 6 {
			order := s.Place(t)
			stray := s.Post(t, http.StatusAccepted, "/orders/999999/payments", receipt(fmt.Sprintf("stray-%d", round), 20))
			racing.Together(5, func(i int) {
				requests := []struct {
					path string
					body object
				}{
					{OrderPath(order) + "/payments", receipt(fmt.Sprintf("pi-%d", round), 40)},
					{OrderPath(order) + "/payments", object{"method": "wallet", "reference": fmt.Sprintf("w-%d", round), "amount": 30}},
					{OrderPath(order) + "/pay", object{"method": "wallet"}},
					{paymentPath(stray) + "/apply", object{"orderId": order["id"]}},
					{OrderPath(order) + "/cancel", object{"reason": "x"}},
				}
				if status := s.Send(t, http.MethodPost, requests[i].path, requests[i].body).Status; status >= 300 && status != http.StatusConflict {
					t.Errorf("%s responded %d", requests[i].path, status)
				}
			})
			require.EqualValues(t, 1, s.Count(t, &payments.Payment{}, "reference = ?", fmt.Sprintf("pi-%d", round)), "the money from outside is recorded")
		}
		s.requirePayments(t)
		s.requireBooks(t)
		s.requireBalanced(t)
	})
}

// Proves G4.43.
func TestCancellationRefundsTheRestOfEachPayment(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 30)
		order := s.Place(t)
		outside := s.Create(t, OrderPath(order)+"/payments", receipt("pi-1", 50))
		wallet := s.Create(t, OrderPath(order)+"/payments", object{"method": "wallet", "reference": "w-1", "amount": 30})
		open := s.request(t, order, object{"amount": 10})
		require.Equal(t, outside["id"], open["paymentId"])
		cancelled := s.Post(t, http.StatusOK, OrderPath(order)+"/cancel", object{"reason": "late"})
		require.Equal(t, [4]float64{80, 50, 30, 0}, money(cancelled))
		require.Equal(t, []any{"partly_refunded", 0.0}, world.Members(cancelled, "paymentStatus", "due"))
		require.NotNil(t, cancelled["cancelledTime"])
		require.EqualValues(t, 30, s.Balance(t, Buyer))
		require.Equal(t, []any{"refunded", 30.0}, world.Members(s.Get(t, paymentPath(wallet)).Body, "status", "refunded"))
		require.Equal(t, []any{"applied", 50.0, 0.0}, world.Members(s.Get(t, paymentPath(outside)).Body, "status", "refundReserved", "refunded"))
		for _, refund := range s.Send(t, http.MethodGet, fmt.Sprintf("/refunds?orderId=%d&status=requested", world.ID(order)), nil).Items() {
			s.boss().Post(t, http.StatusOK, RefundPath(refund)+"/approve", nil)
			s.boss().Post(t, http.StatusOK, RefundPath(refund)+"/settle", object{"reference": "re-1"})
		}
		require.Equal(t, "refunded", s.Get(t, paymentPath(outside)).Body["status"])
		require.Equal(t, "refunded", s.Get(t, OrderPath(order)).Body["paymentStatus"])
		s.requirePayments(t)
		s.requireBooks(t)
		s.requireBalanced(t)
	})
}

// Proves G4.43.
func TestOverdueOrderRefundsItsDeposit(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 40)
		order := s.Place(t)
		require.NoError(t, db.Write(ctx).Exec("UPDATE orders SET payment_due = ? WHERE tenant_id = ?", world.Opening, s.Tenant()).Error)
		s.Create(t, OrderPath(order)+"/payments", object{"method": "wallet", "reference": "w-1", "amount": 40})
		require.NotNil(t, s.Get(t, OrderPath(order)).Body["paymentDue"], "a part is paid")
		require.NoError(t, s.Orders.CancelUnpaid(ctx, world.Opening, 10))
		require.Equal(t, []any{"cancelled", "refunded", nil}, world.Members(s.Get(t, OrderPath(order)).Body, "status", "paymentStatus", "paymentDue"))
		require.EqualValues(t, 40, s.Balance(t, Buyer))
		s.requirePayments(t)
		s.requireBooks(t)
	})
}

// Proves G4.43.
func TestRefundsNeverExceedTheirPayment(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 60)
		order := s.Place(t)
		outside := s.Create(t, OrderPath(order)+"/payments", receipt("pi-1", 40))
		wallet := s.Create(t, OrderPath(order)+"/payments", object{"method": "wallet", "reference": "w-1"})
		refused := s.Post(t, http.StatusUnprocessableEntity, OrderPath(order)+"/refunds", object{"amount": 61, "reason": "late"})
		require.Equal(t, 60.0, refused["refundable"])
		require.Contains(t, refused["fields"].([]any)[0].(object)["message"], "a refund for each payment")
		refused = s.Post(t, http.StatusUnprocessableEntity, OrderPath(order)+"/refunds", object{"amount": 41, "paymentId": outside["id"], "reason": "late"})
		require.Equal(t, 40.0, refused["refundable"])
		other := s.paid(t, "external", Line("TEA-1", 1))
		refused = s.Post(t, http.StatusUnprocessableEntity, OrderPath(other)+"/refunds", object{"amount": 1, "paymentId": outside["id"], "reason": "late"})
		require.Equal(t, "/paymentId", refused["fields"].([]any)[0].(object)["pointer"])

		statuses := make([]int, 12)
		racing.Together(len(statuses), func(i int) {
			statuses[i] = s.Send(t, http.MethodPost, OrderPath(order)+"/refunds", object{"amount": 10, "paymentId": outside["id"], "reason": "late"}).Status
		})
		require.Len(t, without(statuses, http.StatusUnprocessableEntity), 4, statuses)
		require.Equal(t, [4]float64{100, 40, 0, 60}, money(s.Get(t, OrderPath(order)).Body), "the wallet payment is not touched")
		chosen := s.request(t, order, object{"amount": 60})
		require.Equal(t, []any{wallet["id"], "wallet"}, world.Members(chosen, "paymentId", "method"))
		s.boss().Post(t, http.StatusOK, RefundPath(chosen)+"/approve", nil)
		require.EqualValues(t, 60, s.Balance(t, Buyer))
		require.Equal(t, "refunded", s.Get(t, paymentPath(wallet)).Body["status"])
		s.requirePayments(t)
		s.requireBooks(t)
	})
}

func TestOrderWithoutAmountIsPaidByARecord(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "FREE-1", 0, Plenty)
	for _, route := range []string{"/pay", "/payments"} {
		order := s.Place(t, Line("FREE-1", 1))
		require.Equal(t, "unpaid", order["paymentStatus"])
		require.Less(t, s.Send(t, http.MethodPost, OrderPath(order)+route, Outside()).Status, 300)
		require.Equal(t, []any{"paid", "paid"}, world.Members(s.Get(t, OrderPath(order)).Body, "status", "paymentStatus"))
		required := s.Post(t, http.StatusUnprocessableEntity, OrderPath(order)+"/payments", Outside())
		require.Equal(t, "/amount", required["fields"].([]any)[0].(object)["pointer"])
		s.Post(t, http.StatusAccepted, OrderPath(order)+"/payments", receipt("stray"+route, 1))
	}
	s.requirePayments(t)
}

func TestPaymentsAreListedByFilterAndFoundByReference(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 100, Plenty)
	s.Fund(t, Buyer, 1000)
	order := s.Place(t)
	s.Create(t, OrderPath(order)+"/payments", receipt("pi-1", 40))
	s.Create(t, OrderPath(order)+"/payments", object{"method": "wallet", "reference": "w-1", "amount": 10})
	s.Post(t, http.StatusAccepted, "/orders/999999/payments", receipt("pi-2", 60))
	for query, want := range map[string]int{
		"": 3, "?status=applied": 2, "?status=unmatched": 1, "?q=pi-": 2, "?provider=stripe": 2, "?method=wallet": 1, "?status=refunded": 0,
		fmt.Sprintf("?orderId=%d", world.ID(order)): 2, "?to=2001-01-01T00:00:00Z": 0, "?method=wallet&status=unmatched": 0,
	} {
		require.Len(t, s.Send(t, http.MethodGet, "/payments"+query, nil).Items(), want, query)
	}
	require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodGet, "/payments?method=cash", nil).Status)
	var exported []string
	require.NoError(t, s.Payments.Export(s.Ctx, payments.Filter{Provider: "stripe"}, func(p payments.Payment) error {
		exported = append(exported, *p.Reference)
		return nil
	}))
	require.Equal(t, []string{"pi-1", "pi-2"}, exported)
	found, err := s.Payments.ByReference(s.Ctx, "PI-2", 5)
	require.NoError(t, err)
	require.Len(t, found, 1)
}
