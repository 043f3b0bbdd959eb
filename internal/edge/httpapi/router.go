package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// Base is the path that all routes of the API begin with.
const Base = "/api/v1"

// Route is one registered route, for the contract tests.
type Route struct {
	Method string
	// Path is below Base, with Echo's parameters: /configs/:key.
	Path string
	// Permission is what the caller must hold; "" for any authenticated caller.
	Permission string
	// Public routes take callers without credentials.
	Public bool
	// Guarded routes require If-Match.
	Guarded bool
	// Mutates is true for routes that run in a unit.
	Mutates bool
	// Stream is true for server-sent events.
	Stream bool
	// Critical routes are of money and orders: see Router.Critical.
	Critical bool
	// MaxBody is the largest body that the route takes, in bytes; 0 for the usual MiB.
	MaxBody int64
}

// Authenticator finds out who sends a request. Errors: Unauthenticated without
// credentials, InvalidCredentials with wrong ones, CSRFFailed.
type Authenticator interface {
	Authenticate(r *http.Request) (principal.Principal, error)
}

// QueryFunc answers a request that changes nothing.
type QueryFunc func(c echo.Context) (Reply, error)

// MutationFunc makes a change in a unit and returns its reply. It may be run
// several times for one request and so must not touch the connection.
type MutationFunc func(c echo.Context, u *uow.Unit) (Reply, error)

// StreamFunc serves server-sent events until its context ends.
type StreamFunc func(c echo.Context, s *Stream) error

// Router registers routes with what they require.
type Router struct {
	server *Server
	// routes is shared with the routers that Critical and Uncompressed return.
	routes       *[]Route
	critical     bool
	uncompressed bool
}

// Routes returns what has been registered.
func (r *Router) Routes() []Route { return *r.routes }

// Critical returns the router for operations on money and orders, whose replies are kept
// longer under their idempotency keys: what was left open on a Friday is asked for again
// on Sunday.
func (r *Router) Critical() *Router {
	critical := *r
	critical.critical = true
	return &critical
}

// Query registers a GET.
func (r *Router) Query(path, permission string, fn QueryFunc) {
	r.add(Route{Method: http.MethodGet, Path: path, Permission: permission}, r.query(fn))
}

// Mutation registers a route that runs in a unit.
func (r *Router) Mutation(method, path, permission string, fn MutationFunc) {
	r.addMutation(Route{Method: method, Path: path, Permission: permission}, mutationOptions{limit: maxBody}, always(fn))
}

// LargeMutation is Mutation for a route that takes up to limit bytes; see Large.
func (r *Router) LargeMutation(method, path, permission string, limit int64, fn MutationFunc) {
	r.addMutation(Route{Method: method, Path: path, Permission: permission}, mutationOptions{limit: limit}, always(fn))
}

// Guarded registers a mutation of a versioned resource that requires If-Match.
func (r *Router) Guarded(method, path, permission string, fn MutationFunc) {
	r.addMutation(Route{Method: method, Path: path, Permission: permission, Guarded: true}, mutationOptions{limit: maxBody}, always(fn))
}

// Transition registers POST {path}/{action} and counts its outcomes.
func (r *Router) Transition(path, action, permission string, fn MutationFunc) {
	resource := resourceOf(path)
	r.addMutation(Route{Method: http.MethodPost, Path: path + "/" + action, Permission: permission}, mutationOptions{
		limit: maxBody, count: func(err error) { r.server.metrics.transition(resource, action, err) },
	}, always(fn))
}

func always(fn MutationFunc) func(c echo.Context) (MutationFunc, error) {
	return func(echo.Context) (MutationFunc, error) { return fn, nil }
}

// Stream registers a GET that serves server-sent events.
func (r *Router) Stream(path, permission string, fn StreamFunc) {
	r.add(Route{Method: http.MethodGet, Path: path, Permission: permission, Stream: true}, r.stream(permission, fn))
}

// Public registers a route that takes callers without credentials; fn answers for
// what it lets them do. It does not run in a unit.
func (r *Router) Public(method, path string, fn QueryFunc) {
	r.add(Route{Method: method, Path: path, Public: true}, func(c echo.Context) error {
		if err := readBody(c, maxBody); err != nil {
			return err
		}
		return reply(c, fn)
	})
}

// Batch registers a route that commits more than one unit, such as one for each row.
// What it does outside of its Batch must be safe to do again.
func (r *Router) Batch(method, path, permission string, fn BatchFunc) {
	r.add(Route{Method: method, Path: path, Permission: permission}, r.batch(fn))
}

// Open registers a route for documents, whose operations ask for permissions one by one,
// so that its callers need no credentials: its context has a principal if they showed
// good ones. Idempotency keys are for those who have one.
func (r *Router) Open(method, path string, fn DocumentFunc) {
	known := r.document(fn)
	r.add(Route{Method: method, Path: path, Public: true}, func(c echo.Context) error {
		request := c.Request()
		p, err := r.server.authenticator.Authenticate(request)
		switch {
		case apperr.Has(err, apperr.Unauthenticated), apperr.Has(err, apperr.InvalidCredentials):
			if err := readBody(c, maxBody); err != nil {
				return err
			}
			return reply(c, func(c echo.Context) (Reply, error) { return fn(c, &Document{parts: parts{runner: r.server.runner}}) })
		case err != nil:
			return err
		}
		ctx := principal.With(request.Context(), p)
		c.SetRequest(request.WithContext(ctx))
		if err := r.server.limit(ctx, c, p); err != nil {
			return err
		}
		return known(c)
	})
}

// Plain registers an authenticated route that is no business mutation and runs in
// no unit, such as signing out.
func (r *Router) Plain(method, path, permission string, fn QueryFunc) {
	r.add(Route{Method: method, Path: path, Permission: permission}, func(c echo.Context) error {
		if err := readBody(c, maxBody); err != nil {
			return err
		}
		return reply(c, fn)
	})
}

func (r *Router) add(route Route, handler echo.HandlerFunc) {
	route.Critical = r.critical
	if r.uncompressed {
		compressible := handler
		handler = func(c echo.Context) error {
			c.Set(uncompressedKey, true)
			return compressible(c)
		}
	}
	*r.routes = append(*r.routes, route)
	if !route.Stream {
		handler = r.server.bounded(handler)
	}
	if !route.Public {
		handler = r.authorised(route.Permission, handler)
	}
	if route.Stream {
		// A stream has no end that its HEAD could be answered at.
		r.server.echo.Add(route.Method, Base+route.Path, handler)
		return
	}
	r.server.handle(route.Method, Base+route.Path, handler)
}

// authorised authenticates the caller, checks its permission, binds the request
// to it and its tenant, and holds it to its rate.
func (r *Router) authorised(permission string, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		request := c.Request()
		p, err := r.server.authenticator.Authenticate(request)
		if err != nil {
			return err
		}
		ctx := principal.With(request.Context(), p)
		c.SetRequest(request.WithContext(ctx))
		if err := Permitted(ctx, permission); err != nil {
			return err
		}
		if err := r.server.limit(ctx, c, p); err != nil {
			return err
		}
		return next(c)
	}
}

// Permitted is nil when the caller holds a permission; "" is held by everybody who is
// known. Errors: Unauthenticated, Forbidden.
func Permitted(ctx context.Context, permission string) error {
	p, known := principal.From(ctx)
	switch {
	case !known:
		return apperr.New(apperr.Unauthenticated, "Show a token or sign in first.")
	case permission != "" && !p.May(permission):
		return apperr.New(apperr.Forbidden, "This needs the permission %s, which you do not have.", permission)
	}
	return nil
}

func (r *Router) query(fn QueryFunc) echo.HandlerFunc {
	return func(c echo.Context) error { return reply(c, fn) }
}

func reply(c echo.Context, fn QueryFunc) error {
	answer, err := fn(c)
	if err != nil {
		return err
	}
	if notModified(c.Request(), answer) {
		return encoded{status: http.StatusNotModified, header: answer.Header}.send(c)
	}
	out, err := encode(answer)
	if err != nil {
		return err
	}
	return out.send(c)
}

// mutation reads a request by prepare and runs what that returns in a unit. The reply is
// encoded inside it, so that a reply that cannot be encoded rolls back; it is recorded
// there under the request's idempotency key, and sent only after commit.
func (r *Router) mutation(prepare func(c echo.Context) (MutationFunc, error), limit int64) echo.HandlerFunc {
	return r.once(terms{limit: limit, critical: r.critical}, func(c echo.Context, kept Attempt) error {
		fn, err := prepare(c)
		if err != nil {
			return err
		}
		var out encoded
		err = r.server.runner.Do(c.Request().Context(), func(ctx context.Context, u *uow.Unit) error {
			answer, err := fn(c, u)
			if err != nil {
				return err
			}
			if out, err = encode(answer); err != nil || kept == nil {
				return err
			}
			return kept.Keep(ctx, u, out.kept())
		})
		if err != nil {
			return err
		}
		return out.send(c)
	})
}

// batch runs fn, which commits as many units as it needs, and keeps its reply
// after the last of them. A crash in between lets a repeat run fn again, to which its
// Batch tells what has been done.
func (r *Router) batch(fn BatchFunc) echo.HandlerFunc {
	return r.once(terms{limit: maxBody, critical: r.critical}, func(c echo.Context, kept Attempt) error {
		answer, err := fn(c, &Batch{parts{runner: r.server.runner, kept: kept}})
		if err != nil {
			return err
		}
		out, err := encode(answer)
		if err != nil {
			return err
		}
		if kept == nil {
			return out.send(c)
		}
		if reply, other := kept.KeepAfter(c.Request().Context(), out.kept()); other {
			return replay(c, reply)
		}
		return out.send(c)
	})
}

// mostRuns is how often a document is put together anew because another attempt at it
// has decided some part meanwhile.
const mostRuns = 5

// document runs fn, whose operations are kept one by one. Another attempt can run beside
// this one where there is no lease; the reply is then put together over what that one
// has decided first.
func (r *Router) document(fn DocumentFunc) echo.HandlerFunc {
	return r.once(terms{limit: maxBody, critical: r.critical, document: true}, func(c echo.Context, kept Attempt) error {
		ctx := c.Request().Context()
		committed := false
		for run := 1; ; run++ {
			d := &Document{parts: parts{runner: r.server.runner, kept: kept}, committed: committed}
			answer, err := fn(c, d)
			if err != nil {
				return err
			}
			out, err := encode(answer)
			if err != nil {
				return err
			}
			settled := d.conclude(ctx)
			switch {
			case settled && d.isReplay():
				return replay(c, out.kept())
			case settled:
				return out.send(c)
			case run == mostRuns:
				return InProgress()
			}
			committed = d.committed
		}
	})
}

// notModified implements If-None-Match for GET and HEAD with weak comparison (RFC
// 9110, 13.1.2).
func notModified(request *http.Request, answer Reply) bool {
	asked := request.Header.Values("If-None-Match")
	current := answer.Header.Get("ETag")
	if !reads(request) || answer.Status != http.StatusOK || answer.full || len(asked) == 0 || current == "" {
		return false
	}
	for _, tag := range strings.Split(strings.Join(asked, ","), ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		if tag == current || tag == "*" {
			return true
		}
	}
	return false
}

// resourceOf returns "orders" for "/orders/:id/pay".
func resourceOf(path string) string {
	resource, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return resource
}
