package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
)

// Routes are registered by functions that take what a route takes and answers as Go types:
// see shape for what it can take, and replyOf for what it can answer. Get, Act and Open are
// here; Mutation and Transition, which run in a unit, in mutation.go; MultiUnit, of several
// units, in batch.go; Operations in document.go; Listen in stream.go.
//
// A request is read in the order of the contract: who sends it and whether they may, then
// the resource that its path names, then the shape of its parameters and body, then its
// precondition.

// Find reads the resource that a path names. Errors: NotFound.
type Find[R any] func(ctx context.Context, path Path) (R, error)

// Path is the parameters of a request's path.
type Path struct{ c echo.Context }

// Text returns a parameter.
func (p Path) Text(name string) string { return p.c.Param(name) }

// ID returns a parameter that is the id of a kind of row. Anything but a positive integer
// names no row, so it is NotFound.
func (p Path) ID(name, kind string) (int64, error) {
	text := p.Text(name)
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != text {
		return 0, apperr.MissingRow(kind, text)
	}
	return id, nil
}

// Named is the Find of a resource that is read by one text of its path.
func Named[R any](name string, find func(ctx context.Context, text string) (R, error)) Find[R] {
	return func(ctx context.Context, path Path) (R, error) { return find(ctx, path.Text(name)) }
}

// Numbered is the Find of a kind of row that is read by the :id of its path.
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

// nothing is found on a path that names no resource.
func nothing(context.Context, Path) (None, error) { return None{}, nil }

// Get registers a GET.
func Get[In, Out any](r *Router, path, permission string, fn func(ctx context.Context, in In) (Out, error)) *Route {
	return GetOf(r, path, permission, nothing, func(ctx context.Context, _ None, in In) (Out, error) { return fn(ctx, in) })
}

// GetOf registers a GET about a resource.
func GetOf[R, In, Out any](r *Router, path, permission string, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error)) *Route {
	s := shapeOf[In]()
	exists := func(ctx context.Context, path Path) error {
		_, err := find(ctx, path)
		return err
	}
	return add[In, Out](r, Route{Method: http.MethodGet, Path: path, Permission: permission, Needs: s.needs, find: exists}, func(c echo.Context) error {
		return answer(c, s, find, fn)
	})
}

// Act registers an authenticated route whose reply is not kept under an idempotency key:
// because it has a secret, or because what it asks for is decided elsewhere, as a purchase is.
// fn opens the units that it needs.
func Act[In, Out any](r *Router, method, path, permission string, fn func(ctx context.Context, in In) (Out, error)) *Route {
	return ActOf(r, method, path, permission, nothing, func(ctx context.Context, _ None, in In) (Out, error) { return fn(ctx, in) })
}

// ActOf is Act about a resource.
func ActOf[R, In, Out any](r *Router, method, path, permission string, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error)) *Route {
	s := shapeOf[In]()
	return add[In, Out](r, Route{Method: method, Path: path, Permission: permission, Needs: s.needs}, withBody(maxBody, func(c echo.Context) error {
		return answer(c, s, find, fn)
	}))
}

// Open registers a route that takes callers without credentials; fn answers for what it
// lets them do. It runs in no unit, and its body is small: nobody has been asked yet who
// sends it.
func Open[In, Out any](r *Router, method, path string, fn func(ctx context.Context, in In) (Out, error)) *Route {
	s := shapeOf[In]()
	return add[In, Out](r, Route{Method: method, Path: path, Public: true, MaxBody: maxOpenBody}, withBody(maxOpenBody, func(c echo.Context) error {
		return answer(c, s, nothing, func(ctx context.Context, _ None, in In) (Out, error) { return fn(ctx, in) })
	}))
}

// withBody reads the body before a request is served.
func withBody(limit int64, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := readBody(c, limit); err != nil {
			return err
		}
		return next(c)
	}
}

// answer reads a request, has fn serve it outside of a unit, and sends the reply.
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

// serve reads a request and has fn serve it.
func serve[R, In, Out any](c echo.Context, s *shape, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error)) (reply, error) {
	row, in, err := receive[R, In](c, s, find)
	if err != nil {
		return reply{}, err
	}
	out, err := fn(c.Request().Context(), row, in)
	return replyOf(out), err
}
