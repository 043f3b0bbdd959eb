// Package users has users, their roles, API tokens and links to providers, and the rules about who may
// change them.
//
// Invariants:
//
//   - No user grants a permission that the user lacks. At least one enabled user of each tenant
//     has access:*, unless a command removes it.
//   - Every version of a user (without the password) and a role is stored.
//   - A session that started with an old password ends with the password change: both lock the
//     user's row.
//
// rules.go has the rules over several rows. A change of a user's credentials is a Change: it ends the
// user's sessions, and increments the tenant's revision.
package users

import (
	"slices"
	"strings"

	"interlock/internal/access/callers"
	"interlock/internal/access/factors"
	"interlock/internal/access/guesses"
	"interlock/internal/access/passwords"
	"interlock/internal/access/sessions"
	"interlock/internal/access/tenants"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/module"
)

// Deps are the dependencies and settings of a Service.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	Clock  clock.Clock
	// Bus receives each change of a user or a role.
	Bus events.Bus
	// Domains declare every permission that a role or a token can have, and the ready-made roles.
	Domains   []*module.Declaration
	Passwords *passwords.Hasher
	Attempts  guesses.Attempts
	Sessions  *sessions.Store
	Tenants   *tenants.Service
	Callers   *callers.Service
	Factors   *factors.Service
	// Issuers returns the issuers of the providers that a tenant has.
	Issuers func(tenant string) []string
}

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	db        *storage.DB
	runner    *uow.Runner
	clock     clock.Clock
	bus       events.Bus
	catalogue []principal.Grant
	domains   []*module.Declaration
	passwords *passwords.Hasher
	attempts  guesses.Attempts
	sessions  *sessions.Store
	tenants   *tenants.Service
	callers   *callers.Service
	factors   *factors.Service
	issuers   func(tenant string) []string
}

// New returns a Service.
func New(d Deps) *Service {
	s := &Service{
		db: d.DB, runner: d.Runner, clock: d.Clock, bus: d.Bus, domains: d.Domains, passwords: d.Passwords, attempts: d.Attempts,
		sessions: d.Sessions, tenants: d.Tenants, callers: d.Callers, factors: d.Factors, issuers: d.Issuers,
	}
	for _, domain := range d.Domains {
		s.catalogue = append(s.catalogue, domain.Permissions...)
	}
	slices.SortFunc(s.catalogue, func(a, b principal.Grant) int { return strings.Compare(a.Name, b.Name) })
	return s
}

type handler struct{ service *Service }
