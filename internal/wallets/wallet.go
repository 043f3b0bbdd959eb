// Package wallets stores the balances of users at the shop.
//
// Invariants:
//
//   - A balance is never negative and never beyond an int64, in minor units.
//   - Version n of a wallet has exactly one entry, in the same transaction. Entries are
//     only added, and the balance is the sum of their amounts.
//   - A reference is unique among the entries of a wallet.
//   - A transfer is two entries of one unit: it changes no total.
//   - An entry or a transfer by hand that raises the sum of the author's entries on a wallet
//     within 24 hours above the tenant's threshold is made only in a unit that applies an
//     approval; see gate.go.
//
// Each change first acquires the locks of its wallets, in sorted order, so that writers run one
// after the other and opposite transfers do not deadlock. A lock can be lost unnoticed; then the
// guard rejects the write, because the version has changed:
//
//	UPDATE wallets SET balance = balance + ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND version = ? AND balance + ? >= 0
package wallets

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
)

// Permissions to read and to change wallets.
const (
	ReadPermission  = "wallets:read"
	writePermission = "wallets:write"
)

// Wallet is the balance of one user. A user without entries has a Wallet with ID and version 0, and
// no row.
type Wallet struct {
	guard.Row
	UserID principal.CustomerID
	// Balance is in minor units.
	Balance int64
}

// Label returns a name for messages.
func (w *Wallet) Label() string { return fmt.Sprintf("the wallet of user %q", w.UserID) }

// The kinds of the service's entries: payments of orders, refunds and transfers. Entries by hand
// have other kinds.
const (
	Paid        = "payment"
	Refunded    = "refund"
	Transferred = "transfer"
)

// Entry is one row of a wallet's ledger.
type Entry struct {
	ID       int64
	TenantID int64
	UserID   principal.CustomerID
	// Version is the wallet's version after the entry.
	Version int64
	// Amount is in minor units: positive for a credit, negative for a debit.
	Amount int64
	// Balance is the balance after the entry.
	Balance int64
	Kind    string
	// Reference names the cause of the entry, unique per wallet. References that start with @ are
	// reserved for this service.
	Reference string
	// OtherUserID is the user of a transfer's other entry; nil for other entries.
	OtherUserID *principal.CustomerID
	// ApprovalID is the approval that made the entry; 0 for none.
	ApprovalID int64
	// CreatorID is the creator of the API token that made the entry; 0 for none.
	CreatorID     int64
	CreatedBy     int64
	CreatedByName string
	CreatedTime   time.Time
}

// TableName implements gorm's Tabler.
func (Entry) TableName() string { return "wallet_entries" }

// same reports whether two entries were requested with the same content.
func (e *Entry) same(requested *Entry) bool {
	return e.Amount == requested.Amount && e.Kind == requested.Kind && e.other() == requested.other()
}

// other returns the user at the other end of a transfer, "" for other entries.
func (e *Entry) other() principal.CustomerID {
	if e.OtherUserID == nil {
		return ""
	}
	return *e.OtherUserID
}

// byHand reports whether a user makes the entry directly. The references of the service's entries
// start with @.
func (e *Entry) byHand() bool { return !strings.HasPrefix(e.Reference, "@") }

// check reports whether the wallet can book an amount. Errors: InsufficientBalance;
// ValidationFailed if the balance would exceed an int64.
func (w *Wallet) check(ctx context.Context, amount int64) error {
	switch {
	case amount > math.MaxInt64-w.Balance:
		return apperr.Invalid(apperr.Field{Pointer: "/amount", Code: "overflow", Message: "makes the balance exceed the largest possible amount"})
	case w.Balance+amount < 0:
		return apperr.New(apperr.InsufficientBalance, "%s has %d, and %d are needed. Nothing was changed.", w.Label(), w.Balance, debitSize(amount)).
			With("userId", w.UserID).With("balance", w.Balance).With("wanted", debitSize(amount)).With("currency", principal.CurrencyOf(ctx))
	}
	return nil
}

// debitSize returns the absolute value of a debit. math.MinInt64 has no positive counterpart, so it
// returns math.MaxInt64.
func debitSize(amount int64) int64 {
	if amount == math.MinInt64 {
		return math.MaxInt64
	}
	return -amount
}

// mismatch returns PayloadMismatch: a reference is repeated with other content.
func mismatch(ctx context.Context, first *Entry) *apperr.Error {
	return apperr.New(apperr.PayloadMismatch, "Reference %q of user %q's wallet was already used for an entry with other content. Nothing was changed.", first.Reference, first.UserID).
		WithMembers(mismatchView{entryViewOf(ctx, *first)})
}
