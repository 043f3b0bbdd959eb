package wallets

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Topic is where changes of wallets are announced, keyed by user id.
const Topic = "wallets"

// Deps are what a Service stands on.
type Deps struct {
	DB  *storage.DB
	Bus events.Bus
	// Clock tells what the sum of an author's latest entries is.
	Clock clock.Clock
	// Approvals is where entries above the tenant's threshold wait.
	Approvals *approvals.Service
}

// Service is the use cases of wallets. It is safe for concurrent use.
type Service struct {
	db        *storage.DB
	bus       events.Bus
	clock     clock.Clock
	approvals *approvals.Service
}

// New returns a Service, and has its entries offered for approval.
func New(d Deps) *Service {
	s := &Service{db: d.DB, bus: d.Bus, clock: d.Clock, approvals: d.Approvals}
	d.Approvals.Offer(subject{s})
	return s
}

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
	Unique:  []string{"user_id"},
	Default: "userId",
}

// List returns one page of the wallets that something has touched; with a user only
// that one's.
func (s *Service) List(ctx context.Context, user principal.CustomerID, page storage.Page) (storage.Listing[Wallet], error) {
	var filters []storage.Filter
	if user != "" {
		filters = append(filters, storage.Equal("user_id", user))
	}
	return storage.List[Wallet](s.db.Read(ctx), page, walletSorts, filters...)
}

// Filter narrows a wallet's ledger. Zero members do not narrow.
type Filter struct{ Reference, Kind string }

var entrySorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "-id"}

// Entries returns one page of a wallet's ledger, newest first.
func (s *Service) Entries(ctx context.Context, user principal.CustomerID, f Filter, page storage.Page) (storage.Listing[Entry], error) {
	filters := []storage.Filter{storage.Whose("user_id", user)}
	if f.Reference != "" {
		filters = append(filters, storage.Equal("reference", f.Reference))
	}
	if f.Kind != "" {
		filters = append(filters, storage.Examined("kind = ?", f.Kind))
	}
	return storage.List[Entry](s.db.Read(ctx), page, entrySorts, filters...)
}

// announce tells who listens of a wallet's new version after commit.
func (s *Service) announce(u *uow.Unit, wallet *Wallet, entry *Entry) {
	change.Announce(u, s.bus, Topic, string(wallet.UserID), events.Change{
		Version: wallet.Version, ETag: wallet.Ref().ETag(), Action: entry.Kind,
	})
}

// resource is the path of a wallet in the audit log. Its user is percent-encoded as in a
// URL: with a slash as it is, a wallet would look like something that belongs to another.
func resource(user principal.CustomerID) string { return Topic + "/" + url.PathEscape(string(user)) }
