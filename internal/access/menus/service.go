// Package menus stores the navigation of the web admin.
//
// Menus are a tree, also under concurrent moves: no menu is below itself or below a deleted menu.
// Every version of a menu is stored. store.go has the rows and statements, tree.go the rules of a
// tree, and ready.go the menus of a new tenant.
package menus

import (
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/events"
	"interlock/internal/module"
)

// Deps are the dependencies of a Service.
type Deps struct {
	DB *storage.DB
	// Bus receives each change of a menu.
	Bus events.Bus
	// Domains declare the pages of a new tenant's navigation, and the permissions that a menu can
	// require.
	Domains []*module.Declaration
}

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	db  *storage.DB
	bus events.Bus
	// catalogue are the permissions that a menu can require.
	catalogue []principal.Grant
	// pages are the pages of a new tenant's navigation.
	pages []module.Page
}

// New returns a Service.
func New(d Deps) *Service {
	s := &Service{db: d.DB, bus: d.Bus, pages: []module.Page{dashboardPage}}
	for _, domain := range d.Domains {
		s.catalogue = append(s.catalogue, domain.Permissions...)
		s.pages = append(s.pages, domain.Pages...)
	}
	return s
}
