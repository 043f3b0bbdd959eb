package httpapi

import (
	"fmt"
	"slices"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
)

// Resource describes the resource of a group of routes. Package openapi derives the
// contract from it and from the types of the routes.
type Resource struct {
	// Tag is the heading of the routes in the contract: "Work orders".
	Tag string
	// Noun is the singular in sentences: "work order". Names of schemas and operations
	// contain it: WorkOrder, claimWorkOrder. It is "" for routes about several kinds of records;
	// their schemas have the names of the Go types, without a prefix.
	Noun string
	// Machine is nil for a resource without a status.
	Machine *status.Machine
	// Example is a representation, a value of the view's type.
	Example any
	// Refusal is a struct with the members that the response to a rejected transition contains in
	// addition to the usual ones; nil for none.
	Refusal any
}

// Contract is the part of a route's contract that does not follow from its types.
type Contract struct {
	// ID is the operationId; "" for the one that follows from method and path.
	ID                   string
	Summary, Description string
	// Success describes the successful reply; "" for the usual words.
	Success string
	// Otherwise describes the second reply of an Either, if its status differs from that of the
	// first.
	Otherwise string
	// Body is an example of the request body; nil for none.
	Body any
	// Reply is an example of the reply; nil for the resource's example, if it has that type.
	Reply any
	// Texts are the media types of the reply in addition to JSON.
	Texts []string
	// Locks is true if the route can wait for a lock: 423.
	Locks bool
	// MayMiss is true if the route can return 404 though its path names no resource.
	MayMiss bool
	// ChecksStatus is true if the route is not a transition but a status of the resource can forbid
	// the request: 409.
	ChecksStatus bool
	// Sorts are the sort orders of a list.
	Sorts storage.Sorts
	// Repeated describes the reply 200 to the creation of a resource that already exists; "" for
	// none.
	Repeated string
	// Proposes is true if the change can wait for an approval: 202.
	Proposes bool
	// ForCustomers is true if an API token can act for a customer: X-On-Behalf-Of.
	ForCustomers bool
	// Responses names, by status, responses of api/base.yaml that replace or complete those that
	// follow from the types: {"409": "LimitReached"}.
	Responses map[string]string
	// Rejections are the errors that do not follow from the types.
	Rejections []Rejection
}

// Rejection is an error of a route.
type Rejection struct {
	Code apperr.Code
	// Cause is a clause that follows the code; "" for the usual description of the code.
	Cause string
	// Members is a struct with the members that only this error contains; nil for the usual members
	// of the code.
	Members any
}

// Status returns the HTTP status.
func (r Rejection) Status() int { return kinds[r.Code].status }

// Doc sets the summary, an imperative of a few words, and the description, which may be "".
func (r *Route) Doc(summary, description string) *Route {
	r.Contract.Summary, r.Contract.Description = summary, description
	return r
}

// With sets the rest of the contract, all except summary and description.
func (r *Route) With(c Contract) *Route {
	c.Summary, c.Description = r.Contract.Summary, r.Contract.Description
	r.Contract = c
	return r
}

// About returns the router for the routes of a resource.
func (r *Router) About(resource Resource) *Router {
	about := *r
	about.resource = &resource
	return &about
}

// Enum is a text with a fixed set of values.
type Enum interface {
	~string
	Enum() []string
}

// OneOf is a query parameter with a value of E; "" if the query does not contain it.
type OneOf[E Enum] struct{ Value E }

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *OneOf[E]) UnmarshalText(text []byte) error {
	if names := o.Value.Enum(); !slices.Contains(names, string(text)) {
		return fmt.Errorf("must be one of %s", strings.Join(names, ", "))
	}
	o.Value = E(text)
	return nil
}

// EnumType returns a value of E, whose type names the schema.
func (o OneOf[E]) EnumType() any { return o.Value }
