package wallets

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Topic is where changes of wallets are announced, keyed by user id.
const Topic = "wallets"

// Deps are what a Service stands on.
type Deps struct {
	DB  *storage.DB
	Bus events.Bus
}

// Service is the use cases of wallets. It is safe for concurrent use.
type Service struct {
	db  *storage.DB
	bus events.Bus
}

// New returns a Service.
func New(d Deps) *Service { return &Service{db: d.DB, bus: d.Bus} }

// Lock takes the locks of the users' wallets, in sorted order, until the unit has ended.
// Whoever moves money in a unit calls it first, before the transaction begins, and goes
// on with the context that it returns. A unit that moves stock too locks that first.
// Errors: lock.ErrNotAcquired when one is not had within wait.
func (s *Service) Lock(ctx context.Context, u *uow.Unit, wait time.Duration, users ...principal.CustomerID) (context.Context, error) {
	p, _ := principal.From(ctx)
	keys := make([]string, len(users))
	for i, user := range users {
		keys[i] = lockKey(p.TenantID, user)
	}
	return u.Lock(ctx, wait, keys...)
}

// lockKey names the lock of a wallet. What the shop calls the user comes last, so no two
// wallets share a name.
func lockKey(tenant int64, user principal.CustomerID) string {
	return fmt.Sprintf("wallet:%d:%s", tenant, user)
}

// Wallet returns a user's wallet; zeros when nothing has touched it.
func (s *Service) Wallet(ctx context.Context, user principal.CustomerID) (*Wallet, error) {
	return find(s.db.Read(ctx), user)
}

var walletSorts = storage.Sorts{
	Columns: map[string]string{"userId": "user_id", "balance": "balance", "updatedTime": "updated_time"},
	Default: "userId",
}

// List returns one page of the wallets that something has touched; with a user only
// that one's.
func (s *Service) List(ctx context.Context, user principal.CustomerID, page storage.Page) (storage.Listing[Wallet], error) {
	query := s.db.Read(ctx)
	if user != "" {
		query = query.Where("user_id = ?", user)
	}
	return storage.List[Wallet](query, page, walletSorts)
}

// Filter narrows a wallet's ledger. Zero members do not narrow.
type Filter struct{ Reference, Kind string }

var entrySorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "-id"}

// Entries returns one page of a wallet's ledger, newest first.
func (s *Service) Entries(ctx context.Context, user principal.CustomerID, f Filter, page storage.Page) (storage.Listing[Entry], error) {
	query := s.db.Read(ctx).Where("user_id = ?", user)
	if f.Reference != "" {
		query = query.Where("reference = ?", f.Reference)
	}
	if f.Kind != "" {
		query = query.Where("kind = ?", f.Kind)
	}
	return storage.List[Entry](query, page, entrySorts)
}

// Posting is an entry to be made.
type Posting struct {
	UserID principal.CustomerID
	// Amount is in minor units: positive to credit, negative to debit, never 0.
	Amount    int64
	Kind      string
	Reference string
}

// Enter makes an entry under the wallet's lock, which the unit has: see Lock. first is
// false when the same entry was made before: that one is returned, and nothing was
// changed now.
//
// Errors: PayloadMismatch when the reference was used with other content;
// InsufficientBalance; ValidationFailed when the balance would be more than can be
// counted.
func (s *Service) Enter(ctx context.Context, u *uow.Unit, p Posting) (entry *Entry, first bool, err error) {
	entry, first, err = s.post(ctx, u, &Entry{UserID: p.UserID, Amount: p.Amount, Kind: p.Kind, Reference: p.Reference})
	if err != nil || !first {
		return entry, false, err
	}
	u.Audit(uow.Entry{Action: "wallet.entry", Resource: resource(p.UserID), Detail: map[string]any{
		"version": entry.Version, "amount": entry.Amount, "balance": entry.Balance, "kind": entry.Kind, "reference": entry.Reference,
	}})
	return entry, true, nil
}

// Debit takes money for another resource's unit, whose audit entry speaks for both and
// which has the wallet's lock. amount is positive, in minor units. The same again does
// nothing. Errors: InsufficientBalance, PayloadMismatch.
func (s *Service) Debit(ctx context.Context, u *uow.Unit, user principal.CustomerID, amount int64, kind, reference string) error {
	_, _, err := s.post(ctx, u, &Entry{UserID: user, Amount: -amount, Kind: kind, Reference: reference})
	return err
}

// Credit gives money for another resource's unit, like Debit. Errors: PayloadMismatch;
// ValidationFailed when the balance would be more than can be counted.
func (s *Service) Credit(ctx context.Context, u *uow.Unit, user principal.CustomerID, amount int64, kind, reference string) error {
	_, _, err := s.post(ctx, u, &Entry{UserID: user, Amount: amount, Kind: kind, Reference: reference})
	return err
}

// Transfer is money on its way from one wallet to another.
type Transfer struct {
	FromUserID, ToUserID principal.CustomerID
	// Amount is positive, in minor units.
	Amount int64
	// Reference names the transfer among the entries of both wallets.
	Reference string
}

// Transfer moves money between two wallets under the locks of both, which the unit
// has: see Lock. It returns the entry of each; first is false when the same transfer
// was made before.
//
// Errors: InsufficientBalance; PayloadMismatch when one of the wallets has an entry with
// the reference and other content; ValidationFailed when the receiver's balance would be
// more than can be counted.
func (s *Service) Transfer(ctx context.Context, u *uow.Unit, t Transfer) (out, in *Entry, first bool, err error) {
	out = &Entry{UserID: t.FromUserID, Amount: -t.Amount, Kind: Transferred, Reference: t.Reference, OtherUserID: &t.ToUserID}
	in = &Entry{UserID: t.ToUserID, Amount: t.Amount, Kind: Transferred, Reference: t.Reference, OtherUserID: &t.FromUserID}
	sides := []**Entry{&out, &in}
	// Rows are locked in the order of users too, should a lock be lost.
	if t.ToUserID < t.FromUserID {
		slices.Reverse(sides)
	}
	for _, side := range sides {
		if *side, first, err = s.post(ctx, u, *side); err != nil {
			return nil, nil, false, err
		}
	}
	if first {
		u.Audit(uow.Entry{Action: "wallet.transfer", Resource: resource(t.FromUserID), Detail: map[string]any{
			"version": out.Version, "toUserId": t.ToUserID, "amount": t.Amount, "balance": out.Balance, "toBalance": in.Balance, "reference": t.Reference,
		}})
	}
	return out, in, first, nil
}

// resource is the path of a wallet in the audit log. Its user is percent-encoded as in a
// URL: with a slash as it is, a wallet would look like something that belongs to another.
func resource(user principal.CustomerID) string { return Topic + "/" + url.PathEscape(string(user)) }
