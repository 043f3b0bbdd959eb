// Package module defines how a domain declares itself to the rest of the program.
//
// A Declaration is data: permissions, ready-made roles, pages and resources. Commands,
// generators and tests read it without a database. A Module adds the parts that need the
// domain's service. Package app lists the modules; access, the views, the contract and the
// documentation derive their lists from them.
package module

import (
	"context"
	"net/url"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/tablefile"
	"interlock/internal/edge/httpapi"
)

// Declaration contains the facts of a domain that need no service.
type Declaration struct {
	// Name is the domain's name in the plural: "work orders".
	Name string
	// Machine is nil for a domain without a status.
	Machine *status.Machine
	// Permissions are the permissions of the domain's routes, for roles and tokens.
	Permissions []principal.Grant
	// Roles assigns the domain's permissions to the ready-made roles of a new tenant.
	// The viewer has every read permission.
	Roles map[Role][]string
	// Approvals are the kinds of approvals that the domain proposes: "config.update".
	Approvals []string
	// Pages are the pages in the navigation of a new tenant, in their order.
	Pages []Page
	// Resources are the first segments of the domain's paths, with their permissions and topics.
	Resources []Resource
	// Tables are the tables of the domain.
	Tables []Table
	// Promises are the conditions on the domain's tables that are true at any time.
	Promises []Promise
	// Imports are the table files that the domain's pages import.
	Imports []Import
}

// Import is a kind of table file, and the permission to write its records.
type Import struct {
	tablefile.Kind
	Permission string
}

// Role is the name of a ready-made role.
type Role string

// The ready-made roles besides admin.
const (
	Viewer       Role = "viewer"
	Support      Role = "support"
	Operator     Role = "operator"
	ConfigEditor Role = "config editor"
	Approver     Role = "approver"
	Auditor      Role = "auditor"
)

// Group is a group of pages in the navigation.
type Group string

// The groups, translated by the admin.
const (
	Operate Group = "Operate"
	Sell    Group = "Sell"
	Govern  Group = "Govern"
	Inspect Group = "Inspect"
)

// Page is a page of the admin.
type Page struct {
	Group Group
	// Path is the path in the admin: "/work-orders".
	Path string
	// Permission is the permission that the page requires; "" for none.
	Permission string
}

// Resource is a kind of records with paths that start with Name.
type Resource struct {
	// Name is the first segment of the paths: "work-orders".
	Name string
	// Read is the permission to read such a resource; "" for everyone.
	Read string
	// Live is true if changes are published under the topic Name.
	Live bool
}

// Module is a domain of a running program.
type Module struct {
	*Declaration
	// Routes registers the domain's routes.
	Routes func(r *httpapi.Router)
	// Kinds are the kinds of rows that the search finds.
	Kinds []Kind
}

// Kind is a kind of rows in the search.
type Kind struct {
	// Name is the kind in the contract: "work-order".
	Name string
	// Permission is required to read such rows.
	Permission string
	Find       Finder
}

// Finder finds at most limit rows of one kind that start with a text, in the tenant of the
// context.
type Finder func(ctx context.Context, text string, limit int) ([]Hit, error)

// Hit is a row that the search found.
type Hit struct {
	// ID is the row's key within its kind.
	ID string
	// Title is the display name, and Subtitle distinguishes equal titles.
	Title, Subtitle string
	// Path is the row's page in the admin.
	Path string
}

// Hits converts the rows that a domain found, and passes its error on.
func Hits[T any](rows []T, err error, hit func(T) Hit) ([]Hit, error) {
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(rows))
	for i, row := range rows {
		hits[i] = hit(row)
	}
	return hits, nil
}

// Path returns the path of a row's page in the admin.
func Path(resource, key string) string { return "/" + resource + "/" + url.PathEscape(key) }
