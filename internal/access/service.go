package access

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"

	"interlock/internal/access/callers"
	"interlock/internal/access/factors"
	"interlock/internal/access/guesses"
	"interlock/internal/access/menus"
	"interlock/internal/access/passwords"
	"interlock/internal/access/sessions"
	"interlock/internal/access/tenants"
	"interlock/internal/access/tenantsettings"
	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
	"interlock/internal/module"
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
	Customers *callers.CustomerKeys
	// WeakPasswords accepts passwords that are too short to be safe, for development.
	WeakPasswords bool
	// HashCost is the cost of password hashes; zero means OWASP's. Only tests, which sign in
	// thousands of times, set another cost.
	HashCost passwords.Cost
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
	db        *storage.DB
	passwords *passwords.Hasher
	attempts  guesses.Attempts
	arrivals  guesses.Arrivals
	devices   *guesses.Devices
	refusals  func(httpapi.Refusal)
	sessions  *scs.SessionManager
	// sessions.Store is the store of sessions.
	sessionStore *sessions.Store
	providers    []Provider
	publicURL    string

	Tenants *tenants.Service
	// Callers identifies the callers of requests.
	Callers *callers.Service
	// Factors is the second factors of users.
	Factors *factors.Service
	// Menus is the navigation of the tenants, and Settings their settings.
	Menus    *menus.Service
	Settings *tenantsettings.Service

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
	kept := sessions.NewStore(d.DB, d.Clock, d.SessionIdle)
	s := &Service{
		runner:       d.Runner,
		clock:        d.Clock,
		bus:          d.Bus,
		catalogue:    catalogue,
		domains:      d.Domains,
		db:           d.DB,
		passwords:    passwords.New(d.HashCost, d.WeakPasswords),
		attempts:     guesses.NewAttempts(d.DB, d.Clock),
		arrivals:     guesses.NewArrivals(d.Clock.Now, d.SignInRate),
		refusals:     d.Refusals,
		devices:      guesses.NewDevices(d.DB, d.Clock),
		sessions:     sessions.NewManager(kept, cmp.Or(d.SessionLifetime, defaultSessionLifetime)),
		sessionStore: kept,
		providers:    slices.Clone(d.Providers),
		publicURL:    d.PublicURL,

		Factors:  factors.New(d.DB, d.Runner, d.Cipher, d.PublicURL),
		Menus:    menus.New(menus.Deps{DB: d.DB, Bus: d.Bus, Domains: d.Domains}),
		Settings: tenantsettings.New(d.DB),
	}
	s.Tenants = tenants.New(d.DB, d.Runner, func() { s.Callers.Invalidate() })
	s.Callers = callers.New(callers.Deps{DB: d.DB, Clock: d.Clock, Tenants: s.Tenants, Sessions: kept, Customers: d.Customers, CustomerMay: slices.Clone(d.CustomerMay)})
	if d.ReadyRoles {
		s.readyRoles = rolesForJobs(d.Domains)
	}
	return s
}

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
		s.db.Sweep(ctx, storage.Sweep{Table: "sessions", Column: "expires_time", Until: now}, batch),
		s.db.Sweep(ctx, storage.Sweep{Table: "sign_in_challenges", Column: "expires_time", Until: now}, batch),
		s.db.Sweep(ctx, storage.Sweep{Table: "sign_in_flows", Column: "expires_time", Until: now}, batch),
		s.db.Sweep(ctx, storage.Sweep{Table: "user_factors", Column: "expires_time", Until: now}, batch),
		s.db.Sweep(ctx, storage.Sweep{Table: "sign_in_attempts", Column: "created_time", Until: now.Add(-guesses.Window)}, batch),
	)
}

// DigestSecret implements httpapi.SecretDigester. It waits in the queue of password hashes.
func (s *Service) DigestSecret(ctx context.Context, secret string, salt []byte) ([]byte, error) {
	return s.passwords.Digest(ctx, secret, salt)
}
