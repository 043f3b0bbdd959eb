package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"interlock/internal/core/uow"
)

// The functions of this file register routes that say what they take and what they answer
// as Go types: see shape for what a route can take, and replyOf for what it can answer.
// A request is read in the order of the contract: the resource that its path names, then
// the shape of its parameters and body, then its precondition.

// Find reads the resource that a path names. Errors: NotFound.
type Find[R any] func(ctx context.Context, path Path) (R, error)

// Path is the parameters of a request's path.
type Path struct{ c echo.Context }

// Text returns a parameter.
func (p Path) Text(name string) string { return p.c.Param(name) }

// ID returns a parameter that is the id of a kind of row. Anything but a positive integer
// names no row, so it is NotFound.
func (p Path) ID(name, kind string) (int64, error) { return PathID(p.c, name, kind) }

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

// Get registers a GET.
func Get[In, Out any](r *Router, path, permission string, fn func(ctx context.Context, in In) (Out, error)) {
	GetOf(r, path, permission, nothing, func(ctx context.Context, _ None, in In) (Out, error) { return fn(ctx, in) })
}

// GetOf registers a GET about a resource.
func GetOf[R, In, Out any](r *Router, path, permission string, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error)) {
	s := shapeOf[In]()
	r.Query(path, permission, func(c echo.Context) (Reply, error) {
		row, in, err := receive[R, In](c, s, find)
		if err != nil {
			return Reply{}, err
		}
		out, err := fn(c.Request().Context(), row, in)
		return replyOf(out), err
	})
}

// Mutation registers a route that makes a change, in a unit. fn may be run several times
// for one request.
func Mutation[In, Out any](r *Router, method, path, permission string, fn func(ctx context.Context, u *uow.Unit, in In) (Out, error), options ...Option) {
	MutationOf(r, method, path, permission, nothing, func(ctx context.Context, u *uow.Unit, _ None, in In) (Out, error) { return fn(ctx, u, in) }, options...)
}

// MutationOf registers a route that changes a resource, in a unit. A unit that is run again
// is given the resource as it is then.
func MutationOf[R, In, Out any](
	r *Router, method, path, permission string, find Find[R], fn func(ctx context.Context, u *uow.Unit, row R, in In) (Out, error), options ...Option,
) {
	s := shapeOf[In]()
	o := mutationOptions{limit: maxBody}
	for _, option := range options {
		option(&o)
	}
	r.addMutation(Route{Method: method, Path: path, Permission: permission, Guarded: s.mustMatch}, o, func(c echo.Context) (MutationFunc, error) {
		if err := o.permitted(c); err != nil {
			return nil, err
		}
		row, in, err := receive[R, In](c, s, find)
		if err != nil && o.exists != nil {
			err = cmp.Or(o.exists(c.Request().Context(), Path{c}), err)
		}
		if err != nil {
			return nil, err
		}
		again := false
		return func(c echo.Context, u *uow.Unit) (Reply, error) {
			ctx := c.Request().Context()
			if again {
				var err error
				if row, err = find(ctx, Path{c}); err != nil {
					return Reply{}, err
				}
			}
			again = true
			out, err := fn(ctx, u, row, in)
			return replyOf(out), err
		}, nil
	})
}

// Transition registers POST {path}/{action} on a resource that has a status, and counts
// its outcomes.
func Transition[R, In, Out any](r *Router, path, action, permission string, find Find[R], fn func(ctx context.Context, u *uow.Unit, row R, in In) (Out, error)) {
	resource := resourceOf(path)
	MutationOf(r, http.MethodPost, path+"/"+action, permission, find, fn, func(o *mutationOptions) {
		o.count = func(err error) { r.server.metrics.transition(resource, action, err) }
	})
}

// Parts registers a route that commits more than one unit, such as one for each row; see
// Batch. What fn does outside of its Batch must be safe to do again.
func Parts[In, Out any](r *Router, method, path, permission string, fn func(ctx context.Context, b *Batch, in In) (Out, error)) {
	PartsOf(r, method, path, permission, nothing, func(ctx context.Context, b *Batch, _ None, in In) (Out, error) { return fn(ctx, b, in) })
}

// PartsOf is Parts about a resource.
func PartsOf[R, In, Out any](r *Router, method, path, permission string, find Find[R], fn func(ctx context.Context, b *Batch, row R, in In) (Out, error)) {
	s := shapeOf[In]()
	r.Batch(method, path, permission, func(c echo.Context, b *Batch) (Reply, error) {
		row, in, err := receive[R, In](c, s, find)
		if err != nil {
			return Reply{}, err
		}
		out, err := fn(c.Request().Context(), b, row, in)
		return replyOf(out), err
	})
}

// Act registers an authenticated route that is no business mutation and runs in no unit,
// such as signing out.
func Act[In, Out any](r *Router, method, path, permission string, fn func(ctx context.Context, in In) (Out, error)) {
	r.Plain(method, path, permission, outsideUnits(fn))
}

// ActOf is Act about a resource.
func ActOf[R, In, Out any](r *Router, method, path, permission string, find Find[R], fn func(ctx context.Context, row R, in In) (Out, error)) {
	s := shapeOf[In]()
	r.Plain(method, path, permission, func(c echo.Context) (Reply, error) {
		row, in, err := receive[R, In](c, s, find)
		if err != nil {
			return Reply{}, err
		}
		out, err := fn(c.Request().Context(), row, in)
		return replyOf(out), err
	})
}

// Operations registers a route whose requests hold several operations, each with a
// permission and a unit of its own, such as the mutations of a GraphQL document; see
// Document. fn runs the same operations in the same order whenever it is given the same
// request, and may be run several times for one.
func Operations[In, Out any](r *Router, method, path string, fn func(ctx context.Context, d *Document, in In) (Out, error)) {
	s := shapeOf[In]()
	r.Open(method, path, func(c echo.Context, d *Document) (Reply, error) {
		var in In
		if err := s.read(c, &in); err != nil {
			return Reply{}, err
		}
		out, err := fn(c.Request().Context(), d, in)
		return replyOf(out), err
	})
}

// Open registers a route that takes callers without credentials; fn answers for what it
// lets them do. It runs in no unit.
func Open[In, Out any](r *Router, method, path string, fn func(ctx context.Context, in In) (Out, error)) {
	r.Public(method, path, outsideUnits(fn))
}

func outsideUnits[In, Out any](fn func(ctx context.Context, in In) (Out, error)) QueryFunc {
	s := shapeOf[In]()
	return func(c echo.Context) (Reply, error) {
		var in In
		if err := s.read(c, &in); err != nil {
			return Reply{}, err
		}
		out, err := fn(c.Request().Context(), in)
		return replyOf(out), err
	}
}

// Listen registers a GET that serves server-sent events.
func Listen[In any](r *Router, path, permission string, fn func(ctx context.Context, in In, s *Stream) error) {
	shape := shapeOf[In]()
	r.Stream(path, permission, func(c echo.Context, s *Stream) error {
		var in In
		if err := shape.read(c, &in); err != nil {
			return err
		}
		return fn(c.Request().Context(), in, s)
	})
}

// Option is what a mutation has beside its types.
type Option func(*mutationOptions)

type mutationOptions struct {
	// limit bounds the body, in bytes.
	limit int64
	// count is told what became of each request; nil for nobody.
	count func(err error)
	// exists is NotFound when the path of a request that is faulty names nothing; nil to
	// take every path for good.
	exists func(ctx context.Context, path Path) error
	// needs are the permissions that parameters of the query need, by their names.
	needs map[string]string
}

// permitted is Forbidden when the caller may not give a parameter that the request has.
func (o mutationOptions) permitted(c echo.Context) error {
	for parameter, permission := range o.needs {
		if !c.QueryParams().Has(parameter) {
			continue
		}
		if err := Permitted(c.Request().Context(), permission); err != nil {
			return err
		}
	}
	return nil
}

// Exists says how a mutation that finds its resource itself is to learn, for a request
// that is faulty, whether there is such a resource: that there is none is said first. It
// spares a request that is sound a statement.
func Exists[R any](find Find[R]) Option {
	return func(o *mutationOptions) {
		o.exists = func(ctx context.Context, path Path) error {
			_, err := find(ctx, path)
			return err
		}
	}
}

// Needs lets only those give a parameter of the query who hold a permission beside that of
// the route.
func Needs(parameter, permission string) Option {
	return func(o *mutationOptions) {
		if o.needs == nil {
			o.needs = map[string]string{}
		}
		o.needs[parameter] = permission
	}
}

// Large lets a mutation take more than the usual MiB: up to limit bytes. Bodies are held
// in memory, so that of all such routes at most largeBodies requests are read and served
// at once; the others wait their turn.
func Large(limit int64) Option { return func(o *mutationOptions) { o.limit = limit } }

// addMutation registers a route whose requests are read by prepare, once, and served by
// the function that it returns, in a unit.
func (r *Router) addMutation(route Route, o mutationOptions, prepare func(c echo.Context) (MutationFunc, error)) {
	route.Mutates = true
	handler := r.mutation(prepare, o.limit)
	if o.limit > maxBody {
		route.MaxBody = o.limit
		handler = r.inTurn(handler)
	}
	if o.count != nil {
		counted := handler
		handler = func(c echo.Context) error {
			err := counted(c)
			o.count(err)
			return err
		}
	}
	r.add(route, handler)
}

// inTurn lets in at most largeBodies large requests at once.
func (r *Router) inTurn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if length := c.Request().ContentLength; length >= 0 && length <= maxBody {
			return next(c)
		}
		ctx := c.Request().Context()
		select {
		case r.server.large <- struct{}{}:
			defer func() { <-r.server.large }()
			return next(c)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// nothing is found on a path that names no resource.
func nothing(context.Context, Path) (None, error) { return None{}, nil }

// receive reads what a route takes: the resource first, and then the request.
func receive[R, In any](c echo.Context, s *shape, find Find[R]) (row R, in In, err error) {
	if row, err = find(c.Request().Context(), Path{c}); err != nil {
		return row, in, err
	}
	return row, in, s.read(c, &in)
}

// None is a request that says nothing, or a reply without a body: 204.
type None struct{}

// Made is the reply to what made something: 201, with where it is.
type Made[T any] struct {
	// Location is below Base.
	Location string
	Body     T
	// Before is set when it had been made before: 200.
	Before bool
}

// Download is the reply to a request for a file: 200, with the name that browsers save it
// under.
type Download[T any] struct {
	Name string
	Body T
}

// Accepted is the reply to a request whose outcome comes later: 202, with where to look
// for it.
type Accepted[T any] struct {
	// Location is below Base.
	Location string
	Body     T
	// Replayed is set when an earlier request with the same idempotency key was accepted.
	Replayed bool
}

// replier is what a route answers when that is more than a body.
type replier interface{ reply() Reply }

func (m Made[T]) reply() Reply {
	if m.Before {
		return OK(m.Body)
	}
	return Created(Base+m.Location, m.Body)
}

func (a Accepted[T]) reply() Reply {
	r := Reply{Status: http.StatusAccepted, Body: a.Body}.With(echo.HeaderLocation, Base+a.Location)
	if a.Replayed {
		return r.With(HeaderReplay, "true")
	}
	return r
}

// WithCookie is a reply that sets a cookie beside what Out answers.
type WithCookie[T any] struct {
	Out    T
	Cookie *http.Cookie
}

func (w WithCookie[T]) reply() Reply {
	return replyOf(w.Out).With(echo.HeaderSetCookie, w.Cookie.String())
}

func (d Download[T]) reply() Reply {
	return OK(d.Body).With(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", d.Name))
}

func (None) reply() Reply { return NoContent() }

func (r Reply) reply() Reply { return r }

// replyOf makes a reply of what a route answered: what a replier says, and otherwise 200
// with it as the body.
func replyOf(out any) Reply {
	if r, ok := out.(replier); ok {
		return r.reply()
	}
	return OK(out)
}
