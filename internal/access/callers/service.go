// Package callers identifies the caller of each request: a session, an API token, or a customer of the
// shop.
//
// Invariants:
//
//   - A credential that is revoked, disabled, or older than a password change opens nothing:
//     immediately in this process, within one second in the others.
//   - A customer is identified by a token that the shop's key signed. The token permits only
//     the customer permissions, in the one tenant that it names.
//
// A request passes authenticate.go (credentials), cache.go (the cache of callers), look_up.go and
// store.go (batched lookups), refresh.go (reads ahead of expiry), use.go (the last use of a
// credential) and customers.go.
package callers

import (
	"interlock/internal/access/sessions"
	"interlock/internal/access/tenants"
	"interlock/internal/base/batcher"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

// Deps are the dependencies and settings of a Service.
type Deps struct {
	DB       *storage.DB
	Clock    clock.Clock
	Tenants  *tenants.Service
	Sessions *sessions.Store
	// Customers verifies customers' tokens; nil rejects all customers.
	Customers *CustomerKeys
	// CustomerMay are the permissions of every customer.
	CustomerMay []string
}

// Service identifies callers. It is safe for concurrent use.
type Service struct {
	db       *storage.DB
	clock    clock.Clock
	tenants  *tenants.Service
	sessions *sessions.Store
	callers  cache
	uses     uses
	// Customers and CustomerMay are those of Deps.
	Customers   *CustomerKeys
	CustomerMay []string
}

// New returns a Service.
func New(d Deps) *Service {
	s := &Service{db: d.DB, clock: d.Clock, tenants: d.Tenants, sessions: d.Sessions, Customers: d.Customers, CustomerMay: d.CustomerMay}
	s.callers.requests, s.callers.streams = batcher.New(maxBatch, s.lookUpAll), batcher.New(maxBatch, s.lookUpAll)
	s.callers.invalidate()
	return s
}
