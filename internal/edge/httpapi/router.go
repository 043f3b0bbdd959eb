package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
)

// Base is the path prefix of the API.
const Base = "/api/v1"

// Route is one registered route, for the contract and its tests.
type Route struct {
	Method string
	// Prefix is Base, or the prefix of another protocol: see Router.At.
	Prefix string
	// Path is relative to Prefix, with Echo's parameters: /configs/:key.
	Path string
	// Permission is the permission that the caller must have; "" for any authenticated caller.
	Permission string
	// Public routes admit callers without credentials.
	Public bool
	// Guarded routes require If-Match.
	Guarded bool
	// Mutates is true for routes that run in units of work.
	Mutates bool
	// Stream is true for server-sent events.
	Stream bool
	// Export is true for a download of all rows of a list.
	Export bool
	// Critical routes change money or orders: see Router.Critical.
	Critical bool
	// StepUp routes require a recent second factor: see Router.SteppedUp.
	StepUp bool
	// Needs are the requirements of query parameters beyond Permission.
	Needs []Need
	// MaxBody is the size limit of the body, in bytes; 0 for the usual MiB.
	MaxBody int64

	// In and Out are the types of its request and of its reply.
	In, Out reflect.Type
	// Action is the name of a transition, "" for every other route.
	Action string
	// Resource is nil for a route that api/base.yaml describes.
	Resource *Resource
	Contract Contract

	// find reads the resource of a GET; nil for other methods.
	find func(ctx context.Context, path Path) error
	// render returns the reply of a GET; nil for other methods.
	render func(c echo.Context) (reply, error)
}

// Authenticator identifies the caller of a request. Errors: Unauthenticated without
// credentials, InvalidCredentials with wrong ones, CSRFFailed.
type Authenticator interface {
	Authenticate(r *http.Request) (principal.Principal, error)
}

// Router registers routes with their requirements.
type Router struct {
	server *Server
	// prefix is the prefix of the paths of its routes.
	prefix string
	// routes is shared with the routers that At, Critical, SteppedUp, Uncompressed and About return.
	routes       *[]*Route
	critical     bool
	steppedUp    bool
	uncompressed bool
	resource     *Resource
}

// Routes returns the registered routes.
func (r *Router) Routes() []Route {
	routes := make([]Route, len(*r.routes))
	for i, route := range *r.routes {
		routes[i] = *route
	}
	return routes
}

// Exists returns nil if a record exists and the caller may read it. path is the path of its
// representation, below Base and percent-encoded: "orders/12". Errors: NotFound.
func (r *Router) Exists(ctx context.Context, path string) error {
	route, c, err := r.locate(ctx, path)
	if err != nil {
		return err
	}
	return route.find(ctx, Path{c})
}

// Read returns the representation of a record, as its route returns it to the caller. path is that of
// Exists. Errors: NotFound.
func (r *Router) Read(ctx context.Context, path string) (json.RawMessage, error) {
	route, c, err := r.locate(ctx, path)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, Base+"/"+path, nil)
	if err != nil {
		return nil, fmt.Errorf("read the record %q: %w", path, err)
	}
	c.SetRequest(request)
	found, err := route.render(c)
	if err != nil {
		return nil, err
	}
	out, err := found.encode()
	return out.stored, err
}

// locate finds the route of a record that the caller may read. Errors: NotFound.
func (r *Router) locate(ctx context.Context, path string) (*Route, echo.Context, error) {
	missing := apperr.New(apperr.NotFound, "There is no record %q that you can read.", path)
	c := r.server.echo.NewContext(nil, nil)
	r.server.echo.Router().Find(http.MethodGet, Base+"/"+path, c)
	if err := unescapeParams(c); err != nil {
		return nil, nil, missing
	}
	for _, route := range *r.routes {
		if route.find != nil && route.Prefix+route.Path == c.Path() && len(c.ParamNames()) > 0 {
			if Permitted(ctx, route.Permission) != nil {
				return nil, nil, missing
			}
			return route, c, nil
		}
	}
	return nil, nil, missing
}

// At returns the router for the routes of a protocol that defines its paths, such as OFREP: they
// have its prefix in place of Base.
func (r *Router) At(prefix string) *Router {
	at := *r
	at.prefix = prefix
	return &at
}

// Critical returns the router for operations on money and orders. Their replies are stored
// longer under their idempotency keys, so that a retry after a weekend still finds them.
func (r *Router) Critical() *Router {
	critical := *r
	critical.critical = true
	return &critical
}

// SteppedUp returns the router for operations that must be impossible in an unattended browser with
// a session. A session with a second factor must have confirmed it recently; otherwise the route
// returns StepUpRequired, before any effect and before it uses the idempotency key, so that the
// caller can send the same request again.
func (r *Router) SteppedUp() *Router {
	steppedUp := *r
	steppedUp.steppedUp = true
	return &steppedUp
}

// Need is the requirement of a query parameter: a permission in addition to that of the route,
// and a recent second factor if StepUp is true.
type Need struct {
	Parameter, Permission string
	StepUp                bool
}

// add registers a route whose request is an In and whose reply is an Out. handler serves
// the callers that the route admits.
func add[In, Out any](r *Router, route Route, handler echo.HandlerFunc) *Route {
	route.In, route.Out, route.Resource = reflect.TypeFor[In](), reflect.TypeFor[Out](), r.resource
	route.Prefix, route.Critical, route.StepUp = r.prefix, r.critical, r.steppedUp
	if r.uncompressed {
		compressible := handler
		handler = func(c echo.Context) error {
			c.Set(uncompressedKey, true)
			return compressible(c)
		}
	}
	added := &route
	*r.routes = append(*r.routes, added)
	isLong := route.Stream || route.Export
	if !isLong {
		handler = r.server.bounded(handler)
	}
	if !route.Public {
		handler = r.authorised(route, handler)
	}
	if isLong {
		// HEAD of a stream would never end, and HEAD of an export would read all rows.
		r.server.echo.Add(route.Method, route.Prefix+route.Path, decoded(handler))
		return added
	}
	r.server.handle(route.Method, route.Prefix+route.Path, handler)
	return added
}

// authorised identifies the caller, applies the rate limits, and checks the permissions and the
// recent second factor that the route and the query parameters require.
func (r *Router) authorised(route Route, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := r.identify(c); err != nil {
			return r.server.limitRefused(c, err)
		}
		if err := r.server.limit(c); err != nil {
			return err
		}
		request := c.Request()
		if err := Permitted(request.Context(), route.Permission); err != nil {
			return err
		}
		stepUp := route.StepUp
		for _, need := range route.Needs {
			if !c.QueryParams().Has(need.Parameter) {
				continue
			}
			if err := Permitted(request.Context(), need.Permission); err != nil {
				return err
			}
			stepUp = stepUp || need.StepUp
		}
		if caller, _ := principal.From(request.Context()); stepUp && caller.StepUpRequired {
			return apperr.New(apperr.StepUpRequired, "Confirm with your second factor, then send the request again. Nothing was done.")
		}
		return next(c)
	}
}

// identify authenticates the caller and adds it to the context of the request. Errors: as of
// Authenticator.
func (r *Router) identify(c echo.Context) error {
	request := c.Request()
	p, err := r.server.authenticator.Authenticate(request)
	if err != nil {
		return err
	}
	c.SetRequest(request.WithContext(principal.With(request.Context(), p)))
	return nil
}

// Permitted returns nil if the caller has a permission. The permission "" requires only
// authentication. Errors: Unauthenticated, Forbidden.
func Permitted(ctx context.Context, permission string) error {
	p, known := principal.From(ctx)
	switch {
	case !known:
		return apperr.New(apperr.Unauthenticated, "Sign in, or send an API token.")
	case permission != "" && !p.May(permission):
		return apperr.New(apperr.Forbidden, "This needs the permission %s, which you do not have.", permission)
	}
	return nil
}

// resourceOf returns the first segment of a path: "orders" for "/orders/:id/pay".
func resourceOf(path string) string {
	resource, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return resource
}
