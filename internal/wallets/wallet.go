// Package wallets keeps the money that users have with the shop.
//
// Invariants:
//
//   - A balance is never negative and never beyond an int64, in minor units.
//   - Version n of a wallet has exactly one entry, in the same transaction. Entries are
//     only ever added, and their amounts add up to the balance.
//   - A reference is had by at most one entry of a wallet.
//   - A transfer is two entries of one unit: it changes no total.
//   - An entry or a transfer that somebody makes by hand, and that brings the sum of the author's
//     entries on a wallet within 24 hours above the tenant's threshold, is made only in a unit that
//     applies an approval; see gate.go.
//
// Each change takes the locks of its wallets first, in sorted order, so that writers
// come one after the other and opposite transfers cannot wait for each other. A lock can
// be lost without its holder noticing; then the guard refuses, because the version that
// the holder read is not there any more:
//
//	UPDATE wallets SET balance = balance + ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND version = ? AND balance + ? >= 0
package wallets

import (
	"fmt"
	"math"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
)

// What it takes to read wallets, and to change them.
const (
	ReadPermission  = "wallets:read"
	writePermission = "wallets:write"
)

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See balances and their entries."},
	{Name: writePermission, Meaning: "Credit and debit wallets, and transfer between them."},
}

// Wallet is what one user has. One that nothing has touched has ID and version 0 and
// no row.
type Wallet struct {
	guard.Row
	UserID principal.CustomerID
	// Balance is in minor units.
	Balance int64
}

// Label names the wallet for people.
func (w *Wallet) Label() string { return fmt.Sprintf("the wallet of user %q", w.UserID) }

// The kinds of the entries that the service makes: of payments of orders, of refunds and of
// transfers. Entries by hand have other kinds.
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
	// Version is that of the wallet since the entry.
	Version int64
	// Amount is what came in, or went out when it is negative, in minor units.
	Amount int64
	// Balance is that since the entry.
	Balance int64
	Kind    string
	// Reference names what caused the entry, once for each wallet. Those that begin
	// with @ are this service's own.
	Reference string
	// OtherUserID is whose wallet the other entry of a transfer is in; nil without one.
	OtherUserID *principal.CustomerID
	// ApprovalID is the approval whose votes made the entry; 0 for none.
	ApprovalID int64
	// CreatorID is the creator of the API token that made it; 0 for none.
	CreatorID     int64
	CreatedBy     int64
	CreatedByName string
	CreatedTime   time.Time
}

// TableName implements gorm's Tabler.
func (Entry) TableName() string { return "wallet_entries" }

// same reports whether two entries were asked for with the same content.
func (e *Entry) same(asked *Entry) bool {
	return e.Amount == asked.Amount && e.Kind == asked.Kind && e.other() == asked.other()
}

// other is the user at the other end of a transfer, "" without one.
func (e *Entry) other() principal.CustomerID {
	if e.OtherUserID == nil {
		return ""
	}
	return *e.OtherUserID
}

// byHand reports whether somebody makes the entry as such: it is no consequence of something else
// of this service, whose references begin with @.
func (e *Entry) byHand() bool { return !strings.HasPrefix(e.Reference, "@") }

// check asks whether the wallet can take an amount. Errors: InsufficientBalance;
// ValidationFailed when there would be more than can be counted.
func (w *Wallet) check(amount int64) error {
	switch {
	case amount > math.MaxInt64-w.Balance:
		return apperr.Invalid(apperr.Field{Pointer: "/amount", Code: "overflow", Message: "makes the balance exceed the largest possible amount"})
	case w.Balance+amount < 0:
		return apperr.New(apperr.InsufficientBalance, "%s has %d, and %d are needed. Nothing was changed.", w.Label(), w.Balance, wanted(amount)).
			With("userId", w.UserID).With("balance", w.Balance).With("wanted", wanted(amount))
	}
	return nil
}

// wanted is the size of a debit. The largest has no positive counterpart.
func wanted(amount int64) int64 {
	if amount == math.MinInt64 {
		return math.MaxInt64
	}
	return -amount
}

// mismatch is PayloadMismatch: a reference comes again and means something else.
func mismatch(first *Entry) *apperr.Error {
	return apperr.New(apperr.PayloadMismatch, "Reference %q of user %q's wallet was already used for an entry with other content. Nothing was changed.", first.Reference, first.UserID).
		With("first", entryViewOf(*first))
}
