package orders

import (
	"context"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// The methods of payment: from the user's wallet, or outside of this service.
const (
	fromWallet = "wallet"
	external   = "external"
)

// Payment pays an order. A wallet is debited once. An outside payment has a reference, and a
// reference pays one order.
type Payment struct {
	// The payment method: external, or the user's wallet.
	Method string `json:"method" validate:"required,oneof=external wallet"`
	// The payment's name in the external system. Required for `external`.
	Reference string `json:"reference,omitempty" validate:"required_if=Method external,omitempty,reference"`
}

func (Payment) action() string { return "pay" }

// SchemaName returns the name in the contract.
func (Payment) SchemaName() string { return "Payment" }

func (p Payment) fill(o *Order) {
	o.PaymentMethod, o.PaymentReference, o.Paid, o.PaymentDue = p.Method, httpapi.OrNull(p.Reference), o.Amount, nil
}

// payment returns the order's payment.
func (o *Order) payment() Payment {
	p := Payment{Method: o.PaymentMethod}
	if o.PaymentReference != nil {
		p.Reference = *o.PaymentReference
	}
	return p
}

// repeats reports whether a step equals the order's payment, such as a repeated callback of a
// payment provider.
func repeats(step Step, o *Order) bool {
	p, isPayment := step.(Payment)
	return isPayment && p.Reference != "" && p == o.payment()
}

func (Payment) possible(*Order) *apperr.Error { return nil }

func (Payment) prepare(context.Context, *uow.Unit, *Service, *Order) error { return nil }

func (p Payment) locks(*Order) locks { return locks{wallet: p.Method == fromWallet} }

func (p Payment) apply(ctx context.Context, u *uow.Unit, s *Service, _, paid *Order) error {
	if p.Method != fromWallet || paid.Amount == 0 {
		return nil
	}
	return s.wallets.Pay(ctx, u, paid.UserID, paid.Amount, paid.reference("pay"))
}
