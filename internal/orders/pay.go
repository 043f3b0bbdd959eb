package orders

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/payments"
)

// PaymentReceived is the verb of a payment in the history of an order that leaves an amount due.
const PaymentReceived = "payment"

// Payment pays the due amount of an order. A wallet is debited once. An outside payment has a
// reference, and a reference pays one order.
type Payment struct {
	// The payment method: external, or the user's wallet.
	Method string `json:"method" validate:"required,oneof=external wallet"`
	// The payment provider, which scopes the reference. Not for `wallet`.
	Provider payments.Provider `json:"provider,omitempty" validate:"excluded_if=Method wallet,omitempty,pattern"`
	// The payment's name at its provider. Required for `external`.
	Reference string `json:"reference,omitempty" validate:"required_if=Method external,omitempty,reference"`
}

func (Payment) action() string { return "pay" }

// SchemaName returns the name in the contract.
func (Payment) SchemaName() string { return "Payment" }

// latestPayment returns the order's latest applied payment, nil for none.
func (o *Order) latestPayment() *Payment {
	var latest *payments.Payment
	for i := range o.Payments {
		if p := &o.Payments[i]; p.Applied() && (latest == nil || !p.AppliedTime.Before(*latest.AppliedTime)) {
			latest = p
		}
	}
	if latest == nil {
		return nil
	}
	payment := &Payment{Method: latest.Method}
	if !latest.ByWallet() {
		payment.Provider = payments.Provider(latest.Provider)
	}
	if latest.Reference != nil {
		payment.Reference = *latest.Reference
	}
	return payment
}

// repeats reports whether a step equals a payment of the order, such as a repeated callback of a
// payment provider.
func repeats(step Step, o *Order) bool {
	requested, isPayment := step.(Payment)
	if !isPayment || requested.Reference == "" {
		return false
	}
	for _, p := range o.Payments {
		if p.Applied() && p.Same(o.ID, requested.Method, string(requested.Provider), requested.Reference, nil) {
			return true
		}
	}
	return false
}

// applied returns the sum of the order's applied payments, in minor units. It differs from Paid if a
// payment was applied between the reads of the order and of its payments.
func (o *Order) applied() (sum int64) {
	for _, p := range o.Payments {
		if p.Applied() {
			sum += p.Amount
		}
	}
	return sum
}

func (Payment) possible(*Order) *apperr.Error { return nil }

// prepare adds all that is due to the paid amount.
func (Payment) prepare(_ context.Context, u *uow.Unit, _ *Service, order *Order) error {
	order.receive(order.Due(), u.Now())
	return nil
}

// receive adds an amount, in minor units, to the paid amount.
func (o *Order) receive(amount int64, now time.Time) {
	o.Paid += amount
	if o.Due() == 0 {
		o.PaidTime, o.PaymentDue = &now, nil
	}
}

func (p Payment) locks(*Order) locks { return locks{wallet: p.Method == payments.FromWallet} }

// event describes the payment that the unit has added to the order.
func (p Payment) event(after *Order) (verb string, detail any) {
	recorded := after.Payments[len(after.Payments)-1]
	return p.action(), paymentDetail{PaymentID: recorded.ID, Amount: recorded.Amount, Method: recorded.Method, Reference: recorded.Reference}
}

// paymentDetail is the detail of an order's history row for a payment.
type paymentDetail struct {
	PaymentID int64   `json:"paymentId"`
	Amount    int64   `json:"amount"`
	Method    string  `json:"method"`
	Reference *string `json:"reference,omitempty"`
}

func (p Payment) apply(ctx context.Context, u *uow.Unit, s *Service, before, paid *Order) error {
	payment := p.record(before.ID)
	payment.Amount = paid.Paid - before.Paid
	return s.explainDuplicate(s.addPayment(ctx, u, paid, payment), payment)
}

// record returns the record of a payment that names an order.
func (p Payment) record(order int64) *payments.Payment {
	return &payments.Payment{
		NamedOrderID: order, Method: p.Method, Provider: payments.ProviderOf(p.Method, string(p.Provider)), Reference: httpapi.OrNull(p.Reference),
	}
}

// addPayment records a payment that its unit has added to the paid amount of an order, and debits
// the wallet of a wallet payment. Errors: those of payments.Service.Record.
func (s *Service) addPayment(ctx context.Context, u *uow.Unit, order *Order, payment *payments.Payment) error {
	now := u.Now()
	payment.OrderID, payment.OrderNo, payment.UserID, payment.AppliedTime = &order.ID, order.OrderNo, order.UserID, &now
	if err := s.payments.Record(ctx, u, payment); err != nil {
		return err
	}
	order.Payments = append(order.Payments, *payment)
	if !payment.ByWallet() || payment.Amount == 0 {
		return nil
	}
	return s.wallets.Pay(ctx, u, order.UserID, payment.Amount, payment.WalletReference())
}

// explainDuplicate converts the error of a payment with a recorded reference to PayloadMismatch with
// the order that it paid, and returns other errors unchanged. If the reference is free again, the
// unit is retried.
func (s *Service) explainDuplicate(err error, payment *payments.Payment) error {
	if !storage.IsDuplicate(err, "uq_payments_reference") {
		return err
	}
	return uow.Explain(func(ctx context.Context) error {
		first, err := s.payments.Recorded(ctx, payment.Provider, *payment.Reference)
		switch {
		case err != nil:
			return err
		case first == nil:
			return uow.Overtaken("reference")
		}
		mismatch := mismatchWith(first)
		if httpapi.MayReveal(ctx, payments.ReadPermission) {
			mismatch = mismatch.With("payment", payments.ViewOf(ctx, *first))
		}
		if !first.Applied() {
			return mismatch
		}
		order, err := s.Order(ctx, *first.OrderID)
		if err != nil {
			return err
		}
		mismatch.Detail = fmt.Sprintf("Reference %q belongs to %s already. Nothing was changed; check which of both it is for.", *first.Reference, order.Label())
		return mismatch.With("first", viewOf(ctx, *order))
	})
}

// mismatchWith is the error for a request with the reference of another payment.
func mismatchWith(first *payments.Payment) *apperr.Error {
	detail := "Reference %q is recorded as %s already, with another order, method or amount. Nothing was changed; check which of both it is for."
	if !first.Applied() {
		detail = "Reference %q is recorded as unmatched %s already. Nothing was changed; apply that payment to the order with POST /payments/{id}/apply."
	}
	return apperr.New(apperr.PayloadMismatch, detail, *first.Reference, first.Label())
}
