package access

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"interlock/internal/approvals"
	"interlock/internal/base/batcher"
	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/passkey"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
	"interlock/internal/ratelimit"
)

// Where changes of users, roles and menus are announced, for who may read them.
const (
	UserTopic = "users"
	RoleTopic = "roles"
	MenuTopic = "menus"
	// NavigationTopic says that some menu changed, and not which, to everybody.
	NavigationTopic = "navigation"
)

// Deps are what a Service stands on.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	Clock  clock.Clock
	// Bus is told of each change of a user, a role or a menu.
	Bus events.Bus
	// Grants is every permission that the program's routes ask for: the catalogue.
	// Roles and tokens can be given these and no others.
	Grants []principal.Grant
	// Customers checks customers' tokens; nil when no customer may call.
	Customers *CustomerKeys
	// WeakPasswords takes passwords that are too short to be safe, for development.
	WeakPasswords bool
	// HashCost is OWASP's when it is zero. Only tests, which sign in thousands of times, give
	// another.
	HashCost HashCost
	// SessionLifetime is when a session ends whatever is done in it, 12 hours when 0, and
	// SessionIdle when it ends because nothing is; 0 means never.
	SessionLifetime, SessionIdle time.Duration
	// SignInRate is how many sign-ins a minute a network may try; 0 means any number.
	SignInRate int
	// Refusals is told of each sign-in that is refused; nil tells nobody.
	Refusals func(httpapi.Refusal)
	// CustomerMay is what every customer may do.
	CustomerMay []string
	// Providers are those that users can sign in by.
	Providers []Provider
	// PublicURL is the address at which browsers reach the service, where providers send them
	// back to and whose host passkeys are for; "" where that is this machine.
	PublicURL string
	// ReadyRoles gives each new tenant the ready-made roles in addition to admin.
	ReadyRoles bool
	// Cipher encrypts the secrets of second factors at rest; the zero Cipher keeps them in
	// clear.
	Cipher encryption.Cipher
}

// Service holds the use cases of access. It is safe for concurrent use.
type Service struct {
	runner    *uow.Runner
	clock     clock.Clock
	bus       events.Bus
	catalogue []principal.Grant
	store     store
	passwords *passwords
	attempts  attempts
	arrivals  arrivals
	devices   *devices
	refusals  func(httpapi.Refusal)
	sessions  *scs.SessionManager
	// sessionStore is what sessions keeps them in.
	sessionStore sessionStore
	callers      callers
	uses         uses
	cipher       encryption.Cipher
	providers    []Provider
	publicURL    string
	// site is where passkeys are used; nil where siteFault says why they cannot be.
	site      *passkey.Site
	siteFault error

	// approvals is where changes of the settings wait.
	approvals *approvals.Service

	customers   *CustomerKeys
	customerMay []string
	tenants     tenantCache
	// readyRoles are given to each new tenant.
	readyRoles []Role
}

// New returns a Service.
func New(d Deps) *Service {
	catalogue := slices.Clone(d.Grants)
	slices.SortFunc(catalogue, func(a, b principal.Grant) int { return strings.Compare(a.Name, b.Name) })
	kept := sessionStore{db: d.DB, clock: d.Clock, idle: d.SessionIdle}
	s := &Service{
		runner:       d.Runner,
		clock:        d.Clock,
		bus:          d.Bus,
		catalogue:    catalogue,
		store:        store{db: d.DB},
		passwords:    newPasswords(d.HashCost),
		attempts:     attempts{db: d.DB, clock: d.Clock},
		arrivals:     arrivals{limiter: ratelimit.NewInProcess(d.Clock.Now), rate: networkRate(d.SignInRate)},
		refusals:     d.Refusals,
		devices:      &devices{db: d.DB, clock: d.Clock},
		sessions:     newSessions(kept, cmp.Or(d.SessionLifetime, defaultSessionLifetime)),
		sessionStore: kept,
		cipher:       d.Cipher,
		providers:    slices.Clone(d.Providers),
		publicURL:    d.PublicURL,

		customers: d.Customers, customerMay: slices.Clone(d.CustomerMay),
	}
	s.site, s.siteFault = passkey.NewSite(d.PublicURL)
	s.passwords.weak = d.WeakPasswords
	if d.ReadyRoles {
		s.readyRoles = s.rolesForJobs()
	}
	s.callers.requests, s.callers.streams = batcher.New(mostTogether, s.lookUpAll), batcher.New(mostTogether, s.lookUpAll)
	s.callers.invalidate()
	return s
}

// store reads the tables of this domain.
type store struct{ db *storage.DB }

// rerunIfStale has a command's unit run again when somebody changed its row meanwhile:
// a command says what shall be, not what it saw.
func rerunIfStale(err error) error {
	if errors.Is(err, guard.ErrStale) {
		return uow.Retry(err)
	}
	return err
}

// Sweep deletes expired sessions, challenges, sign-ins that no provider answered and factors that nobody confirmed, and attempts
// that no longer count, until none is left.
// Nothing depends on when it runs.
func (s *Service) Sweep(ctx context.Context, batch int) error {
	now := s.clock.Now()
	return errors.Join(
		s.store.db.Sweep(ctx, storage.Sweep{Table: "sessions", Column: "expires_time", Until: now}, batch),
		s.store.db.Sweep(ctx, storage.Sweep{Table: "sign_in_challenges", Column: "expires_time", Until: now}, batch),
		s.store.db.Sweep(ctx, storage.Sweep{Table: "sign_in_flows", Column: "expires_time", Until: now}, batch),
		s.store.db.Sweep(ctx, storage.Sweep{Table: "user_factors", Column: "expires_time", Until: now}, batch),
		s.store.db.Sweep(ctx, storage.Sweep{Table: "sign_in_attempts", Column: "created_time", Until: now.Add(-attemptWindow)}, batch),
	)
}

// TenantID returns the id of a tenant by its name. Errors: NotFound.
func (s *Service) TenantID(ctx context.Context, name string) (int64, error) {
	tenant, err := s.tenants.find(ctx, s.store, name)
	return tenant.id, err
}

// DigestSecret implements httpapi.SecretDigester. It runs in the queue of the hashes of passwords.
func (s *Service) DigestSecret(ctx context.Context, secret string, salt []byte) ([]byte, error) {
	return s.passwords.digest(ctx, secret, salt)
}
