package orders

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/payments"
)

// Receipt is money that was received for an order.
type Receipt struct {
	// The payment method: external, or the user's wallet.
	Method string `json:"method" validate:"required,oneof=external wallet"`
	// The payment provider, which scopes the reference. Not for `wallet`.
	Provider payments.Provider `json:"provider,omitempty" validate:"excluded_if=Method wallet,omitempty,pattern"`
	// The payment's name at its provider.
	Reference string `json:"reference" validate:"reference"`
	// In minor units. If absent: all that is due, or the order's amount if nothing is due.
	Amount *int64 `json:"amount,omitempty" min:"1"`
}

// Receive records a payment of the order with an id. An order that can take it is paid by it;
// otherwise money from outside is recorded as unmatched, also if there is no such order. existed is
// true if the request repeats a recorded payment, which is then returned unchanged.
//
// Errors: PayloadMismatch if the reference belongs to another payment; ValidationFailed at /amount
// if it is required; for a wallet, of which no money has moved: NotFound, TransitionNotAllowed,
// InsufficientBalance; lock.ErrNotAcquired if the order or the wallet was locked for too long.
func (s *Service) Receive(ctx context.Context, u *uow.Unit, id int64, r Receipt) (payment *payments.Payment, existed bool, err error) {
	if first, err := s.recorded(ctx, id, r); err != nil || first != nil {
		return first, true, err
	}
	ctx, order, err := s.lockPayments(ctx, u, id, r.Method)
	if err != nil {
		return nil, false, err
	}
	payment = Payment{Method: r.Method, Provider: r.Provider, Reference: r.Reference}.record(id)
	if payment.Amount, err = r.amount(id, order); err != nil {
		return nil, false, err
	}
	if order != nil {
		payment.OrderID, payment.OrderNo, payment.UserID = &order.ID, order.OrderNo, order.UserID
	}
	payment.ReasonCode, payment.Reason = order.rejectionReason(payment.Amount)
	switch {
	case payment.ReasonCode == "":
		err = s.take(ctx, u, order, payment.Amount, func(after *Order) error { return s.addPayment(ctx, u, after, payment) })
	case payment.ByWallet() && order == nil:
		err = apperr.MissingRow("order", strconv.FormatInt(id, 10))
	case payment.ByWallet():
		// The request that had the lock before may be the same one.
		if first, err := s.recorded(ctx, id, r); err != nil || first != nil {
			return first, true, err
		}
		err = s.untakeable(ctx, order, payment.Reason)
	default:
		if err = s.payments.Record(ctx, u, payment); err == nil {
			s.payments.AuditUnmatched(u, payment)
		}
	}
	if storage.IsDuplicate(err, "uq_payments_reference") {
		// The next run finds the payment of the concurrent unit.
		err = uow.Overtaken("reference")
	}
	return payment, false, err
}

// recorded returns the recorded payment that a request repeats, nil for none. Errors: PayloadMismatch
// if another payment has the reference.
func (s *Service) recorded(ctx context.Context, id int64, r Receipt) (*payments.Payment, error) {
	first, err := s.payments.Recorded(ctx, payments.ProviderOf(r.Method, string(r.Provider)), r.Reference)
	if err == nil && first != nil && !first.Same(id, r.Method, string(r.Provider), r.Reference, r.Amount) {
		err = mismatchWith(first).With("first", payments.ViewOf(ctx, *first))
	}
	return first, err
}

// lockPayments acquires the lock of an order's money, and that of the wallet of a wallet payment,
// and reads the order; nil if it does not exist.
func (s *Service) lockPayments(ctx context.Context, u *uow.Unit, id int64, method string) (context.Context, *Order, error) {
	ctx, err := s.LockMoney(ctx, u, id)
	if err != nil {
		return ctx, nil, err
	}
	order, err := s.Order(ctx, id)
	switch {
	case apperr.Has(err, apperr.NotFound):
		return ctx, nil, nil
	case err != nil:
		return ctx, nil, err
	case method == payments.FromWallet:
		ctx, err = s.wallets.Lock(ctx, u, lockWait, order.UserID)
	}
	return ctx, order, err
}

// amount returns the received amount. order is nil if it does not exist.
func (r Receipt) amount(id int64, order *Order) (int64, error) {
	required := func(reason string, args ...any) error {
		return apperr.Invalid(apperr.Field{Pointer: "/amount", Code: "required", Message: "is required: " + fmt.Sprintf(reason, args...)})
	}
	switch {
	case r.Amount != nil:
		return *r.Amount, nil
	case order == nil:
		return 0, required("order %d does not exist", id)
	case order.Due() > 0:
		return order.Due(), nil
	}
	if code, _ := order.rejectionReason(0); order.Amount == 0 && code != "" {
		return 0, required("nothing is due")
	}
	return order.Amount, nil
}

// rejectionReason returns the reason why an order cannot take a payment, and its description; "" if it
// can. A payment that exceeds the due amount is not divided.
func (o *Order) rejectionReason(amount int64) (code payments.UnmatchedReason, description string) {
	switch {
	case o == nil:
		return payments.UnknownOrder, "the order does not exist"
	case o.Cancelled():
		return payments.OrderCancelled, "the order was cancelled"
	case o.PaidTime != nil:
		return payments.AlreadyPaid, "the order is paid in full"
	case amount > o.Due():
		return payments.TooMuch, fmt.Sprintf("the amount exceeds the %d that are due", o.Due())
	}
	return "", ""
}

// untakeable is the error for a payment that an order cannot take. It contains the order if the
// caller may read it.
func (s *Service) untakeable(ctx context.Context, order *Order, reason string) error {
	rejection := apperr.New(apperr.TransitionNotAllowed, "%s cannot take the payment: %s. Nothing was changed.", order.Label(), reason)
	if !httpapi.MayReveal(ctx, ReadPermission) {
		return rejection
	}
	return s.impossible(order, Payment{}.action(), rejection)
}

// take adds an amount to the paid amount of an order that was just read and that can take it.
// settle makes the payment's other changes, in the same unit. The UPDATE is guarded by the status
// and the version that were read, so that concurrent payments never exceed the amount.
func (s *Service) take(ctx context.Context, u *uow.Unit, order *Order, amount int64, settle func(after *Order) error) error {
	after, action := *order, PaymentReceived
	after.receive(amount, u.Now())
	if after.PaidTime != nil {
		action = Payment{}.action()
		if to, possible := Machine.Next(action, Machine.Of(order.Status)); possible {
			after.Status = to.Code
		}
	}
	err := updateStatus(ctx, u, order, &after)
	if errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrDeleted) {
		return uow.Overtaken("order")
	}
	if err != nil {
		return err
	}
	if err := guard.Advance(ctx, u, &after); err != nil {
		return err
	}
	if err := settle(&after); err != nil {
		return err
	}
	_, detail := Payment{}.event(&after)
	return s.recordStep(ctx, u, order, &after, action, detail)
}

// Application applies an unmatched payment to an order.
type Application struct {
	OrderID int64 `json:"orderId" validate:"min=1"`
}

// ApplyPayment applies an unmatched payment that was just read to an order, in one unit; see
// change.Lifecycle for its errors. More errors: ValidationFailed at /orderId if the order does not
// exist; TransitionNotAllowed if it cannot take the payment; lock.ErrNotAcquired.
func (s *Service) ApplyPayment(
	ctx context.Context, u *uow.Unit, payment *payments.Payment, a Application, ifMatch *guard.Precondition,
) (applied *payments.Payment, err error) {
	if err := s.payments.CheckApplicable(ctx, payment, ifMatch); err != nil {
		return nil, err
	}
	ctx, order, err := s.lockPayments(ctx, u, a.OrderID, payments.External)
	if err != nil {
		return nil, err
	}
	if order == nil {
		return nil, apperr.Invalid(apperr.Field{Pointer: "/orderId", Code: "unknown", Message: "names no order"})
	}
	if code, reason := order.rejectionReason(payment.Amount); code != "" {
		return nil, s.untakeable(ctx, order, reason)
	}
	err = s.take(ctx, u, order, payment.Amount, func(after *Order) error {
		target := payments.Target{ID: order.ID, OrderNo: order.OrderNo, UserID: order.UserID}
		if applied, err = s.payments.Apply(ctx, u, payment, target, ifMatch); err == nil {
			after.Payments = append(after.Payments, *applied)
		}
		return err
	})
	return applied, err
}
