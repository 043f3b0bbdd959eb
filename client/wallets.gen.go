// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"net/http"
	"time"
)

// Wallets calls the operations on wallets.
//
// Balances of users with the shop, in minor units; never negative. Operations acquire the locks of
// their wallets, and wait for them up to `wait`.
type Wallets struct{ client *Client }

// Wallet is a row of [Wallets.List].
type Wallet struct {
	// Increments with each change; 0 before the first one.
	Version int64 `json:"version"`
	// The strong entity tag, including the quotes. Opaque, and bound to the row, so that the tag of
	// a deleted and recreated row never matches.
	ETag        *string    `json:"etag"`
	CreatedTime *time.Time `json:"createdTime"`
	UpdatedTime *time.Time `json:"updatedTime"`
	UpdatedBy   *Person    `json:"updatedBy"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	UserID string `json:"userId"`
	// In minor units.
	Balance int64 `json:"balance"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// Absent if no amount needs votes, because the tenant has no `walletApprovalThreshold`.
	ChangeNeeds *WalletChangeNeeds `json:"changeNeeds,omitzero"`
}

// WalletFilter selects rows of [Wallets.List].
type WalletFilter struct {
	Paging
	// The wallet of this user.
	UserID string
	// The same as `userId`, the only search criterion of wallets.
	Q string
}

// WalletChangeNeeds is part of [Wallet].
type WalletChangeNeeds struct {
	// The amount, in minor units and regardless of sign, above which an entry is proposed.
	Above int64 `json:"above"`
	// The number of votes of other users that it needs.
	Approvals int64 `json:"approvals"`
}

// WalletEntry is a row of [Wallets.Entries].
type WalletEntry struct {
	ID int64 `json:"id"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	UserID string `json:"userId"`
	// In minor units: positive for a credit, negative for a debit.
	Amount int64 `json:"amount"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// After the entry.
	Balance int64 `json:"balance"`
	// The version of the wallet after the entry.
	Version int64 `json:"version"`
	// Assigned by the caller; the service also uses `transfer`, `payment` and `refund`.
	Kind      string `json:"kind"`
	Reference string `json:"reference"`
	// The user at the other end of a transfer.
	OtherUserID *string   `json:"otherUserId"`
	CreatedBy   Person    `json:"createdBy"`
	CreatedTime time.Time `json:"createdTime"`
}

// WalletEntryFilter selects rows of [Wallets.Entries].
type WalletEntryFilter struct {
	Paging
	// Only the one with this reference.
	Reference string
	// Entries of this kind.
	Kind string
}

// WalletPosting is the request body of [Wallets.EnterEntry].
type WalletPosting struct {
	// In minor units: positive to credit, negative to debit, not 0.
	Amount int64 `json:"amount"`
	// The purpose, such as `topup`. `payment`, `refund` and `transfer` are reserved for the
	// service.
	Kind string `json:"kind"`
	// A unique name. No leading or trailing spaces; names that start with `@` are reserved for the
	// service.
	Reference string `json:"reference"`
}

// WalletTransferRequest is the request body of [Wallets.TransferBetween].
type WalletTransferRequest struct {
	// A `CustomerId`. An integer is converted to its decimal text, `42` to `"42"`, and replies
	// contain the text.
	FromUserID string `json:"fromUserId"`
	// A `CustomerId`. An integer is converted to its decimal text, `42` to `"42"`, and replies
	// contain the text.
	ToUserID string `json:"toUserId"`
	// In minor units.
	Amount int64 `json:"amount"`
	// A unique name. No leading or trailing spaces; names that start with `@` are reserved for the
	// service.
	Reference string `json:"reference"`
}

// WalletTransfer is returned by [Wallets.TransferBetween].
type WalletTransfer struct {
	// The id of the debiting entry.
	ID int64 `json:"id"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	FromUserID string `json:"fromUserId"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	ToUserID string `json:"toUserId"`
	Amount   int64  `json:"amount"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency    string      `json:"currency"`
	Reference   string      `json:"reference"`
	Debit       WalletEntry `json:"debit"`
	Credit      WalletEntry `json:"credit"`
	CreatedTime time.Time   `json:"createdTime"`
}

// List lists wallets.
//
// Wallets without entries are not listed; their balance is zero.
func (s *Wallets) List(f WalletFilter) List[Wallet] {
	return List[Wallet]{s.client, "/wallets", f.parameters().set("userId", f.UserID).set("q", f.Q)}
}

// Get returns a wallet.
//
// Zeros, version 0 and no `etag` before the first entry. Every user has a wallet.
func (s *Wallets) Get(ctx context.Context, userID string, options ...CallOption) (Wallet, error) {
	return call[Wallet](ctx, s.client, request{method: http.MethodGet, path: "/wallets/" + segment(userID)}, options)
}

// Entries lists a wallet's entries.
//
// The append-only ledger, newest first. The sum of the amounts of all entries is the balance.
func (s *Wallets) Entries(userID string, f WalletEntryFilter) List[WalletEntry] {
	return List[WalletEntry]{s.client, "/wallets/" + segment(userID) + "/entries", f.parameters().set("reference", f.Reference).set("kind", f.Kind)}
}

// EnterEntry credits or debits a wallet.
//
// A positive `amount` credits, a negative one debits. `reference` identifies the entry within the
// wallet. A repeat with the same content returns 200 with the first entry and changes nothing;
// other content returns 409 `payload_mismatch`. Retries are therefore safe.
//
// Above the tenant's `walletApprovalThreshold` the entry waits for votes: 202, and no entry is made
// before the last vote.
func (s *Wallets) EnterEntry(ctx context.Context, userID string, body WalletPosting, options ...CallOption) (WalletEntry, error) {
	return call[WalletEntry](ctx, s.client, request{method: http.MethodPost, path: "/wallets/" + segment(userID) + "/entries", body: body}, options)
}

// TransferBetween transfers between wallets.
//
// One transaction makes two entries, both with the `reference`: both wallets change or neither. A
// repeat with the same content returns 200 with the first transfer and changes nothing; other
// content returns 409 `payload_mismatch`. Above the tenant's `walletApprovalThreshold` the transfer
// waits for votes: 202 with the approval.
func (s *Wallets) TransferBetween(ctx context.Context, body WalletTransferRequest, options ...CallOption) (WalletTransfer, error) {
	return call[WalletTransfer](ctx, s.client, request{method: http.MethodPost, path: "/wallet-transfers", body: body}, options)
}
