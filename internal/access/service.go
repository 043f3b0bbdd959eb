package access

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"interlock/internal/access/menus"
	"interlock/internal/access/tenantsettings"
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
	"interlock/internal/module"
	"interlock/internal/ratelimit"
)

const (
	// UserTopic announces changes of users, keyed by id.
	UserTopic = "users"
	// RoleTopic announces changes of roles, keyed by id.
	RoleTopic = "roles"
)

// Deps are the dependencies and settings of a Service.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	Clock  clock.Clock
	// Bus receives each change of a user, a role or a menu.
	Bus events.Bus
	// Domains declare every permission that a route of the program requires, and the ready-made
	// roles and menus. Roles and tokens can have no other permissions.
	Domains []*module.Declaration
	// Customers verifies customers' tokens; nil rejects all customers.
	Customers *CustomerKeys
	// WeakPasswords accepts passwords that are too short to be safe, for development.
	WeakPasswords bool
	// HashCost is the cost of password hashes; zero means OWASP's. Only tests, which sign in
	// thousands of times, set another cost.
	HashCost HashCost
	// SessionLifetime is the maximum age of a session; 0 means 12 hours. SessionIdle is the
	// time without use after which a session ends; 0 means never.
	SessionLifetime, SessionIdle time.Duration
	// SignInRate is the number of sign-ins per minute and network; 0 means no limit.
	SignInRate int
	// Refusals is called for each rejected sign-in; may be nil.
	Refusals func(httpapi.Refusal)
	// CustomerMay are the permissions of every customer.
	CustomerMay []string
	// Providers are the providers of single sign-on.
	Providers []Provider
	// PublicURL is the base URL of the service in browsers: providers redirect to it, and
	// passkeys belong to its host. "" means this machine.
	PublicURL string
	// ReadyRoles adds the ready-made roles, besides admin, to each new tenant.
	ReadyRoles bool
	// Cipher encrypts the stored secrets of second factors; the zero Cipher stores them in
	// clear.
	Cipher encryption.Cipher
}

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	runner    *uow.Runner
	clock     clock.Clock
	bus       events.Bus
	catalogue []principal.Grant
	domains   []*module.Declaration
	store     store
	passwords *passwords
	attempts  attempts
	arrivals  arrivals
	devices   *devices
	refusals  func(httpapi.Refusal)
	sessions  *scs.SessionManager
	// sessionStore is the store of sessions.
	sessionStore sessionStore
	callers      callers
	uses         uses
	cipher       encryption.Cipher
	providers    []Provider
	publicURL    string
	// site is the passkey site; nil if passkeys are unavailable, for the reason in siteFault.
	site      *passkey.Site
	siteFault error

	// Menus is the navigation of the tenants, and Settings their settings.
	Menus    *menus.Service
	Settings *tenantsettings.Service

	customers   *CustomerKeys
	customerMay []string
	tenants     tenantCache
	// readyRoles are added to each new tenant.
	readyRoles []Role
}

// New returns a Service.
func New(d Deps) *Service {
	var catalogue []principal.Grant
	for _, domain := range d.Domains {
		catalogue = append(catalogue, domain.Permissions...)
	}
	slices.SortFunc(catalogue, func(a, b principal.Grant) int { return strings.Compare(a.Name, b.Name) })
	kept := sessionStore{db: d.DB, clock: d.Clock, idle: d.SessionIdle}
	s := &Service{
		runner:       d.Runner,
		clock:        d.Clock,
		bus:          d.Bus,
		catalogue:    catalogue,
		domains:      d.Domains,
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

		Menus:    menus.New(menus.Deps{DB: d.DB, Bus: d.Bus, Domains: d.Domains}),
		Settings: tenantsettings.New(d.DB),

		customers: d.Customers, customerMay: slices.Clone(d.CustomerMay),
	}
	s.site, s.siteFault = passkey.NewSite(d.PublicURL)
	s.passwords.weak = d.WeakPasswords
	if d.ReadyRoles {
		s.readyRoles = rolesForJobs(d.Domains)
	}
	s.callers.requests, s.callers.streams = batcher.New(mostTogether, s.lookUpAll), batcher.New(mostTogether, s.lookUpAll)
	s.callers.invalidate()
	return s
}

// store reads the tables of this domain.
type store struct{ db *storage.DB }

// rerunIfStale retries the unit of a command if its row was changed concurrently: a command
// states the new value and depends on no earlier one.
func rerunIfStale(err error) error {
	if errors.Is(err, guard.ErrStale) {
		return uow.Retry(err)
	}
	return err
}

// Sweep deletes expired sessions, challenges, single sign-on flows, unconfirmed factors and
// attempts, in batches until none is left. Correctness does not depend on when it runs.
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

// DigestSecret implements httpapi.SecretDigester. It waits in the queue of password hashes.
func (s *Service) DigestSecret(ctx context.Context, secret string, salt []byte) ([]byte, error) {
	return s.passwords.digest(ctx, secret, salt)
}
