package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alexedwards/scs/v2"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Permissions are what this domain's routes ask for.
var Permissions = []principal.Grant{
	{Name: "access:read", Meaning: "List the permissions that roles and tokens can be given."},
	{Name: impersonate, Meaning: "Act for a customer with an API token, named in X-On-Behalf-Of."},
}

// Deps are what a Service stands on.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	Clock  clock.Clock
	// Grants is every permission that the program's routes ask for: the catalogue.
	// Roles and tokens can be given these and no others.
	Grants []principal.Grant
	// Customers checks customers' tokens; nil when no customer may call.
	Customers *CustomerKeys
	// CustomerMay is what every customer may do.
	CustomerMay []string
}

// Service holds the use cases of access. It is safe for concurrent use.
type Service struct {
	runner    *uow.Runner
	clock     clock.Clock
	catalogue []principal.Grant
	store     store
	passwords *passwords
	attempts  attempts
	sessions  *scs.SessionManager
	callers   callers
	marks     marks

	customers   *CustomerKeys
	customerMay []string
	tenants     tenantIDs
}

// New returns a Service.
func New(d Deps) *Service {
	catalogue := slices.Clone(d.Grants)
	slices.SortFunc(catalogue, func(a, b principal.Grant) int { return strings.Compare(a.Name, b.Name) })
	s := &Service{
		runner:    d.Runner,
		clock:     d.Clock,
		catalogue: catalogue,
		store:     store{db: d.DB},
		passwords: newPasswords(),
		attempts:  attempts{db: d.DB, clock: d.Clock},
		sessions:  newSessions(sessionStore{db: d.DB, clock: d.Clock}),

		customers: d.Customers, customerMay: slices.Clone(d.CustomerMay),
	}
	s.callers.forget()
	return s
}

// Catalogue returns every permission there is, by name.
func (s *Service) Catalogue() []principal.Grant { return s.catalogue }

// checkGrants refuses what no route asks for. A grant is a permission of the
// catalogue, "<resource>:*" of a resource in it, or "*".
func (s *Service) checkGrants(pointer string, grants []string) error {
	for _, grant := range grants {
		if !s.grantable(grant) {
			return invalid(pointer, "unknown", fmt.Sprintf("must name permissions of the catalogue; there is no %.100q", grant))
		}
	}
	return nil
}

func (s *Service) grantable(grant string) bool {
	for _, known := range s.catalogue {
		if grant == "*" || grant == known.Name || grant == resourceOf(known.Name)+":*" {
			return true
		}
	}
	return false
}

func invalid(pointer, code, message string) error {
	return apperr.Invalid(apperr.Field{Pointer: pointer, Code: code, Message: message})
}
