package access

import (
	"cmp"
	"context"
	"errors"
	"slices"
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
	"interlock/internal/access/users"
	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
	"interlock/internal/module"
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
	db        *storage.DB
	passwords *passwords.Hasher
	attempts  guesses.Attempts
	signIns   guesses.SignInLimiter
	devices   *guesses.Devices
	refusals  func(httpapi.Refusal)
	sessions  *scs.SessionManager
	// sessionStore is the store of sessions.
	sessionStore *sessions.Store
	providers    []Provider
	publicURL    string

	Tenants *tenants.Service
	// Callers identifies the callers of requests.
	Callers *callers.Service
	// Users has users, roles, API tokens and links, and Factors their second factors.
	Users   *users.Service
	Factors *factors.Service
	// Menus is the navigation of the tenants, and Settings their settings.
	Menus    *menus.Service
	Settings *tenantsettings.Service

	// readyRoles are added to each new tenant.
	readyRoles []users.Role
}

// New returns a Service.
func New(d Deps) *Service {
	s := &Service{
		runner:       d.Runner,
		clock:        d.Clock,
		db:           d.DB,
		passwords:    passwords.New(d.HashCost, d.WeakPasswords),
		attempts:     guesses.NewAttempts(d.DB, d.Clock),
		signIns:      guesses.NewSignInLimiter(d.Clock.Now, d.SignInRate),
		refusals:     d.Refusals,
		devices:      guesses.NewDevices(d.DB, d.Clock),
		sessionStore: sessions.NewStore(d.DB, d.Clock, d.SessionIdle),
		providers:    slices.Clone(d.Providers),
		publicURL:    d.PublicURL,

		Factors:  factors.New(d.DB, d.Runner, d.Cipher, d.PublicURL),
		Menus:    menus.New(menus.Deps{DB: d.DB, Bus: d.Bus, Domains: d.Domains}),
		Settings: tenantsettings.New(d.DB),
	}
	s.sessions = sessions.NewManager(s.sessionStore, cmp.Or(d.SessionLifetime, defaultSessionLifetime))
	s.Tenants = tenants.New(d.DB, d.Runner, func() { s.Callers.Invalidate() })
	s.Callers = callers.New(callers.Deps{
		DB: d.DB, Clock: d.Clock, Tenants: s.Tenants, Sessions: s.sessionStore, Customers: d.Customers, CustomerMay: slices.Clone(d.CustomerMay),
	})
	s.Users = users.New(users.Deps{
		DB: d.DB, Runner: d.Runner, Clock: d.Clock, Bus: d.Bus, Domains: d.Domains, Passwords: s.passwords, Attempts: s.attempts,
		Sessions: s.sessionStore, Tenants: s.Tenants, Callers: s.Callers, Factors: s.Factors, Issuers: s.issuers,
	})
	if d.ReadyRoles {
		s.readyRoles = users.RolesForJobs(d.Domains)
	}
	return s
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
