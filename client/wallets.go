package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Wallets are the customers' wallets. Amounts are in minor units.
type Wallets struct{ client *Client }

// Wallet is one customer's, whom UserID names as the shop does. What nothing has touched is all zeros, without ETag and
// times.
type Wallet struct {
	UserID      string     `json:"userId"`
	Balance     int64      `json:"balance"`
	Currency    string     `json:"currency"`
	Version     int64      `json:"version"`
	ETag        string     `json:"etag"`
	CreatedTime *time.Time `json:"createdTime"`
	UpdatedTime *time.Time `json:"updatedTime"`
	UpdatedBy   *Person    `json:"updatedBy"`
	// ChangeNeeds is nil when an entry needs nothing, however much it is; in Get only.
	ChangeNeeds *EntryNeeds `json:"changeNeeds,omitempty"`
}

// EntryNeeds is what an entry needs beside its author when its amount is above one.
type EntryNeeds struct {
	// Above is that amount, whatever the entry's sign.
	Above int64 `json:"above"`
	// Approvals is how many votes of others it waits for.
	Approvals int `json:"approvals"`
}

// WalletFilter narrows a list of wallets.
type WalletFilter struct {
	Paging
	UserID string
}

// Posting is an entry to make.
type Posting struct {
	// Amount is added to the balance; negative, it is taken.
	Amount int64  `json:"amount"`
	Kind   string `json:"kind"`
	// Reference is of the caller's books and unique for the wallet: the same posting
	// again is answered with the first entry, another with payload_mismatch.
	Reference string `json:"reference"`
}

// WalletEntry is an entry of a wallet's ledger.
type WalletEntry struct {
	ID       int64  `json:"id"`
	UserID   string `json:"userId"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	// Balance is what was there after it.
	Balance   int64  `json:"balance"`
	Version   int64  `json:"version"`
	Kind      string `json:"kind"`
	Reference string `json:"reference"`
	// OtherUserID is the other side of a transfer.
	OtherUserID *string   `json:"otherUserId"`
	CreatedBy   Person    `json:"createdBy"`
	CreatedTime time.Time `json:"createdTime"`
}

// WalletEntryFilter narrows a list of entries.
type WalletEntryFilter struct {
	Paging
	Reference string
	Kind      string
}

// Transfer is money to move from one wallet to another.
type Transfer struct {
	FromUserID string `json:"fromUserId"`
	ToUserID   string `json:"toUserId"`
	Amount     int64  `json:"amount"`
	// Reference is unique for both wallets.
	Reference string `json:"reference"`
}

// Transferred is a transfer that was made, with its two entries.
type Transferred struct {
	ID int64 `json:"id"`
	Transfer
	Debit       WalletEntry `json:"debit"`
	Currency    string      `json:"currency"`
	Credit      WalletEntry `json:"credit"`
	CreatedTime time.Time   `json:"createdTime"`
}

func walletPath(userID string) string { return "/wallets/" + url.PathEscape(userID) }

// List lists wallets by user, or as the filter's Sort says.
func (s *Wallets) List(f WalletFilter) List[Wallet] {
	return List[Wallet]{s.client, "/wallets", f.parameters().text("userId", f.UserID)}
}

// Get reads a wallet.
func (s *Wallets) Get(ctx context.Context, userID string, options ...CallOption) (Wallet, error) {
	return get[Wallet](ctx, s.client, walletPath(userID), options)
}

// Entries lists a wallet's ledger, newest first.
func (s *Wallets) Entries(userID string, f WalletEntryFilter) List[WalletEntry] {
	return List[WalletEntry]{s.client, walletPath(userID) + "/entries", f.parameters().text("reference", f.Reference).text("kind", f.Kind)}
}

// Post makes an entry; [InsufficientBalance] when more is taken than is there, and [Proposed]
// when it is above the tenant's threshold and waits for votes.
func (s *Wallets) Post(ctx context.Context, userID string, p Posting, options ...CallOption) (WalletEntry, error) {
	return call[WalletEntry](ctx, s.client, request{method: http.MethodPost, path: walletPath(userID) + "/entries", body: p}, options)
}

// Transfer moves money, both entries or none. One above the tenant's threshold waits for votes:
// [Proposed].
func (s *Wallets) Transfer(ctx context.Context, t Transfer, options ...CallOption) (Transferred, error) {
	return call[Transferred](ctx, s.client, request{method: http.MethodPost, path: "/wallet-transfers", body: t}, options)
}
