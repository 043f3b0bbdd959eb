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

// Topic announces changes of wallets, keyed by user id.
const Topic = "wallets"

// Deps are the dependencies of a Service.
type Deps struct {
	DB  *storage.DB
	Bus events.Bus
	// Clock determines the time window of an author's latest entries; see sumWindow.
	Clock clock.Clock
	// Approvals stores entries above the tenant's threshold until they have their votes.
	Approvals *approvals.Service
}

// Service implements the use cases of wallets. It is safe for concurrent use.
type Service struct {
	db        *storage.DB
	bus       events.Bus
	clock     clock.Clock
	approvals *approvals.Service
}

// New returns a Service, and registers the Subject of wallets with Approvals.
func New(d Deps) *Service {
	s := &Service{db: d.DB, bus: d.Bus, clock: d.Clock, approvals: d.Approvals}
	d.Approvals.Offer(subject{s})
	return s
}

// Lock acquires the locks of the users' wallets, in sorted order, until the unit ends. A unit that
// moves money calls it first, before the transaction starts, and continues with the returned
// context. A unit that also moves stock locks that first. Errors: lock.ErrNotAcquired if a lock is
// not acquired within wait.
func (s *Service) Lock(ctx context.Context, u *uow.Unit, wait time.Duration, users ...principal.CustomerID) (context.Context, error) {
	p, _ := principal.From(ctx)
	keys := make([]string, len(users))
	for i, user := range users {
		keys[i] = lockKey(p.TenantID, user)
	}
	return u.Lock(ctx, wait, keys...)
}

// lockKey returns the key of a wallet's lock. The user's id is last, so that keys are unique.
func lockKey(tenant int64, user principal.CustomerID) string {
	return fmt.Sprintf("wallet:%d:%s", tenant, user)
}

// Wallet returns a user's wallet; zeros if it has no entry.
func (s *Service) Wallet(ctx context.Context, user principal.CustomerID) (*Wallet, error) {
	return find(s.db.Read(ctx), user)
}

var walletSorts = storage.Sorts{
	Columns: map[string]string{"userId": "user_id", "balance": "balance", "updatedTime": "updated_time"},
	Unique:  []string{"user_id"},
	Default: "userId",
}

// List returns one page of the wallets with entries; with a user, only that user's.
func (s *Service) List(ctx context.Context, user principal.CustomerID, page storage.Page) (storage.Listing[Wallet], error) {
	var filters []storage.Filter
	if user != "" {
		filters = append(filters, storage.Equal("user_id", user))
	}
	return storage.List[Wallet](s.db.Read(ctx), page, walletSorts, filters...)
}

// Filter narrows a wallet's ledger. Fields with the zero value do not filter.
type Filter struct{ Reference, Kind string }

var entrySorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "-id"}

// Entries returns one page of a wallet's ledger, newest first.
func (s *Service) Entries(ctx context.Context, user principal.CustomerID, f Filter, page storage.Page) (storage.Listing[Entry], error) {
	filters := []storage.Filter{storage.OwnedBy("user_id", user)}
	if f.Reference != "" {
		filters = append(filters, storage.Equal("reference", f.Reference))
	}
	if f.Kind != "" {
		filters = append(filters, storage.Examined("kind = ?", f.Kind))
	}
	return storage.List[Entry](s.db.Read(ctx), page, entrySorts, filters...)
}

// announce publishes a wallet's new version after commit.
func (s *Service) announce(u *uow.Unit, wallet *Wallet, entry *Entry) {
	change.Announce(u, s.bus, Topic, string(wallet.UserID), events.Change{
		Version: wallet.Version, ETag: wallet.Ref().ETag(), Action: entry.Kind,
	})
}

// resource returns the path of a wallet in the audit log. The user is percent-encoded as in a URL:
// an unescaped slash would make it look like a subresource.
func resource(user principal.CustomerID) string { return Topic + "/" + url.PathEscape(string(user)) }
