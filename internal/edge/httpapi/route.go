package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
)

// A domain registers a route with a generic function. Its type parameters are the Go types of
// the request and of the reply: see shape for requests, and replyOf for replies. Get, Act and
// Open are in this file; Mutation and Transition, which run in one unit of work, in
// mutation.go; MultiUnit in batch.go; Operations in document.go; Listen in stream.go; Export in
// export.go.
//
// A route reads a request in the order of the contract: authentication, permission, the
// resource of its path, the shape of parameters and body, the precondition.

// Find reads the resource of a path. Errors: NotFound.
type Find[R any] func(ctx context.Context, path Path) (R, error)

// Path has the parameters of a request's path.
type Path struct{ c echo.Context }

// Text returns a parameter.
func (p Path) Text(name string) string { return p.c.Param(name) }

// ID returns a parameter that is the id of a row. kind is the row's kind in the error. Errors:
// NotFound unless the parameter is a positive integer.
func (p Path) ID(name, kind string) (int64, error) {
	text := p.Text(name)
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != text {
		return 0, apperr.MissingRow(kind, text)
	}
	return id, nil
}

// Named returns the Find of a resource with a text as its key, which is in the path parameter name.
func Named[R any](name string, find func(ctx context.Context, text string) (R, error)) Find[R] {
	return func(ctx context.Context, path Path) (R, error) { return find(ctx, path.Text(name)) }
}

// Numbered returns the Find of a row with its id in the path parameter :id.
func Numbered[R any](kind string, find func(ctx context.Context, id int64) (R, error)) Find[R] {
	return func(ctx context.Context, path Path) (R, error) {
		id, err := path.ID("id", kind)
		if err != nil {
			var none R
			return none, err
		}
		return find(ctx, id)
	}
}

// Myself is the Find of a path of the calling customer, or of the customer that an API token acts
// for. Errors: Forbidden for other callers.
func Myself(ctx context.Context, _ Path) (principal.CustomerID, error) {
	p, _ := principal.From(ctx)
	customer, ok := p.Customer()
	if !ok {
		return "", apperr.New(apperr.Forbidden, "This is only for customers. Sign in as one, or send X-On-Behalf-Of with an API token that may act for customers.")
	}
	return customer, nil
}

// nothing is the Find of a path without a resource.
func nothing(context.Context, Path) (None, error) { return None{}, nil }

// Get registers a GET.
func Get[In, Out any](r *Router, path, permission string, fn func(ctx context.Context, in In) (Out, error)) *Route {
	return GetOf(r, path, permission, nothing, func(ctx context.Context, _ None, in In) (Out, error) { return fn(ctx, in) })
}

// GetOf registers a GET with a resource in its path, which find reads.
func GetOf[R, In, Out any](r *Router, path, permission string, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error)) *Route {
	s := shapeOf[In]()
	exists := func(ctx context.Context, path Path) error {
		_, err := find(ctx, path)
		return err
	}
	render := func(c echo.Context) (reply, error) { return serve(c, s, find, fn) }
	return add[In, Out](r, Route{Method: http.MethodGet, Path: path, Permission: permission, Needs: s.needs, find: exists, render: render}, func(c echo.Context) error {
		return answer(c, s, find, fn)
	})
}

// Act registers an authenticated route that stores no reply under an idempotency key, because it
// sets a cookie, because a stored fingerprint would confirm guesses of the caller's password,
// because another package makes it safe to repeat, such as a purchase, or because it only reads. If
// the route changes rows, fn must run a unit of work. Of the options, it uses Large.
func Act[In, Out any](r *Router, method, path, permission string, fn func(ctx context.Context, in In) (Out, error), options ...Option) *Route {
	return ActOf(r, method, path, permission, nothing, func(ctx context.Context, _ None, in In) (Out, error) { return fn(ctx, in) }, options...)
}

// ActOf is Act for a route with a resource in its path, which find reads.
func ActOf[R, In, Out any](r *Router, method, path, permission string, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error), options ...Option) *Route {
	s, o := shapeOf[In](), optionsOf(options)
	handler := withBody(o.limit, func(c echo.Context) error { return answer(c, s, find, fn) })
	return addSized[In, Out](r, Route{Method: method, Path: path, Permission: permission, Needs: s.needs}, o.limit, handler)
}

// Open registers a route for callers without credentials; fn must authorise its own effects.
// It runs in no unit of work. Its body is limited to maxOpenBody, because the caller is unknown.
func Open[In, Out any](r *Router, method, path string, fn func(ctx context.Context, in In) (Out, error)) *Route {
	s := shapeOf[In]()
	return add[In, Out](r, Route{Method: method, Path: path, Public: true, MaxBody: maxOpenBody}, withBody(maxOpenBody, func(c echo.Context) error {
		return answer(c, s, nothing, func(ctx context.Context, _ None, in In) (Out, error) { return fn(ctx, in) })
	}))
}

// withBody reads the body before it calls next.
func withBody(limit int64, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := readBody(c, limit); err != nil {
			return err
		}
		return next(c)
	}
}

// answer reads a request, calls fn outside of a unit of work, and sends the reply.
func answer[R, In, Out any](c echo.Context, s *shape, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error)) error {
	r, err := serve(c, s, find, fn)
	if err != nil {
		return err
	}
	if r.isNotModified(c.Request()) {
		return encoded{status: http.StatusNotModified, header: r.header}.send(c)
	}
	out, err := r.encode()
	if err != nil {
		return err
	}
	return out.send(c)
}

// serve reads a request and calls fn.
func serve[R, In, Out any](c echo.Context, s *shape, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error)) (reply, error) {
	row, in, err := receive[R, In](c, s, find)
	if err != nil {
		return reply{}, err
	}
	out, err := fn(c.Request().Context(), row, in)
	return replyOf(out), err
}
