// Package payments stores the payments of orders: one record for each receipt of money.
//
// Invariants:
//
//   - Money from outside is recorded even if no order can take it. It is then unmatched until it is
//     applied to an order or sent back.
//   - A reference is unique per tenant and provider. The amount, method, provider and reference of
//     a payment never change.
//   - The paid amount of an order is the sum of its applied payments. Package orders applies a
//     payment in the unit that adds its amount to the order.
//   - 0 <= refund reserved + refunded <= amount. Only units that have written the row of the
//     payment's order change these amounts.
//   - An applied payment is refunded when refunds have repaid its amount; an unmatched one when it
//     was sent back. A payment that was sent back was never applied.
//   - The users behind the recording of a payment may not send it back. Above the tenant's refund
//     threshold, sending back needs votes; see gate.go.
//   - Version n of a payment has exactly one row in payment_histories.
package payments

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

// Permissions to read, to record and apply, and to send back payments.
const (
	ReadPermission   = "payments:read"
	WritePermission  = "payments:write"
	RefundPermission = "payments:refund"
)

// The methods of payment: from the user's wallet, or outside of this service.
const (
	FromWallet = "wallet"
	External   = "external"
)

// Payment is one receipt of money.
type Payment struct {
	guard.Row
	// OrderID is the order that it pays, or while it is unmatched the order that its recorder
	// named; nil if that order does not exist. OrderNo and UserID are those of the order, or "".
	OrderID *int64
	// NamedOrderID is the order in the request that recorded it.
	NamedOrderID int64
	OrderNo      string
	UserID       principal.CustomerID
	// Method is FromWallet or External.
	Method string
	// Provider scopes the reference: "wallet" for wallets, "" for an unnamed provider.
	Provider string
	// Reference is the payment's name at its provider; nil for a wallet payment without one.
	Reference *string
	// Amount is in minor units. RefundReserved is its part that open refunds have reserved, and
	// Refunded its part that was refunded.
	Amount, RefundReserved, Refunded int64
	Status                           int
	// Reason is the reason why it was recorded as unmatched, or why it was sent back.
	Reason string
	// ReasonCode is that of an unmatched payment; "" otherwise.
	ReasonCode UnmatchedReason
	// AppliedTime is nil for a payment that was never applied.
	AppliedTime    *time.Time
	RecordedBy     int64
	RecordedByName string
	// RecorderCreatorID is the creator of the recorder's API token; 0 for none.
	RecorderCreatorID int64
}

// Proposable implements guard.Proposable.
func (Payment) Proposable() {}

// Label returns a name for messages.
func (p *Payment) Label() string {
	if p.Reference != nil {
		return fmt.Sprintf("payment %d with reference %q", p.ID, *p.Reference)
	}
	return fmt.Sprintf("payment %d", p.ID)
}

// Path returns the path of the payment's representation.
func (p *Payment) Path() string { return fmt.Sprintf("%s/%d", Topic, p.ID) }

// WalletReference is the idempotency reference of the debit of a wallet.
func (p *Payment) WalletReference() string { return "@" + p.Path() }

// Applied reports whether its amount is part of an order's paid amount.
func (p *Payment) Applied() bool { return p.AppliedTime != nil }

// ByWallet reports whether it debited a wallet.
func (p *Payment) ByWallet() bool { return p.Method == FromWallet }

// Refundable returns the part of an applied payment that can still be refunded, in minor units.
func (p *Payment) Refundable() int64 {
	if !p.Applied() {
		return 0
	}
	return p.Amount - p.RefundReserved - p.Refunded
}

// UnmatchedReason is the reason why an order could not take a payment.
type UnmatchedReason string

// The reasons.
const (
	UnknownOrder   UnmatchedReason = "unknown_order"
	OrderCancelled UnmatchedReason = "order_cancelled"
	AlreadyPaid    UnmatchedReason = "already_paid"
	TooMuch        UnmatchedReason = "too_much"
)

// Enum returns the values in the contract.
func (UnmatchedReason) Enum() []string {
	return []string{string(UnknownOrder), string(OrderCancelled), string(AlreadyPaid), string(TooMuch)}
}

// SchemaName returns the name in the contract.
func (UnmatchedReason) SchemaName() string { return "UnmatchedReason" }

// Same reports whether a request records this payment again. amount is nil if the request has
// none.
func (p *Payment) Same(order int64, method, provider, reference string, amount *int64) bool {
	return p.NamedOrderID == order && p.Method == method && p.Provider == ProviderOf(method, provider) &&
		p.Reference != nil && *p.Reference == reference && (amount == nil || *amount == p.Amount)
}

// Provider is the name of a payment provider in a request, such as stripe.
type Provider string

// reservedProviders are names of the service's own entries.
var reservedProviders = []string{"payment", "refund", "transfer", FromWallet}

const maxProviderLength = 64

var providerPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// Valid reports whether the name is allowed. "" is an unnamed provider.
func (p Provider) Valid() bool {
	return p == "" || len(p) <= maxProviderLength && providerPattern.MatchString(string(p)) && !slices.Contains(reservedProviders, string(p))
}

// Rule describes the allowed names.
func (Provider) Rule() string {
	return "must have 1 to 64 characters of a-z, 0-9, '.', '_' and '-', start with a letter or digit, and not be payment, refund, transfer or wallet"
}

// Pattern returns the pattern and the maximum length, for the contract.
func (Provider) Pattern() (expression string, maxLength int) {
	return providerPattern.String(), maxProviderLength
}

// ProviderOf returns the stored provider of a payment.
func ProviderOf(method, provider string) string {
	if method == FromWallet {
		return FromWallet
	}
	return provider
}

// ErrNotRefundable is returned if a refund exceeds the rest of its payment.
var ErrNotRefundable = errors.New("payments: the refund exceeds the rest of the payment")

// Event is one row of a payment's history.
type Event struct {
	ID        int64
	TenantID  int64
	PaymentID int64
	change.Event
}

// TableName implements gorm's Tabler.
func (Event) TableName() string { return "payment_histories" }
