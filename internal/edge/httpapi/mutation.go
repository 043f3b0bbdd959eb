package httpapi

import (
	"cmp"
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"interlock/internal/core/uow"
)

// Mutation registers a route that makes a change, in a unit. fn may be run several times
// for one request.
func Mutation[In, Out any](r *Router, method, path, permission string, fn func(ctx context.Context, u *uow.Unit, in In) (Out, error), options ...Option) *Route {
	return MutationOf(r, method, path, permission, nothing, func(ctx context.Context, u *uow.Unit, _ None, in In) (Out, error) { return fn(ctx, u, in) }, options...)
}

// MutationOf registers a route that changes a resource, in a unit. A unit that is run again
// is given the resource as it is then.
func MutationOf[R, In, Out any](
	r *Router, method, path, permission string, find Find[R], fn func(ctx context.Context, u *uow.Unit, row R, in In) (Out, error), options ...Option,
) *Route {
	s := shapeOf[In]()
	o := mutationOptions{limit: maxBody}
	for _, option := range options {
		option(&o)
	}
	return addMutation[In, Out](r, Route{Method: method, Path: path, Permission: permission, Guarded: s.mustMatch, Needs: s.needs}, o, func(c echo.Context) (effect, error) {
		row, in, err := receive[R, In](c, s, find)
		if err != nil && o.exists != nil {
			err = cmp.Or(o.exists(c.Request().Context(), Path{c}), err)
		}
		if err != nil {
			return nil, err
		}
		again := false
		return func(ctx context.Context, u *uow.Unit) (reply, error) {
			if again {
				if row, err = find(ctx, Path{c}); err != nil {
					return reply{}, err
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
func Transition[R, In, Out any](r *Router, path, action, permission string, find Find[R], fn func(ctx context.Context, u *uow.Unit, row R, in In) (Out, error)) *Route {
	resource := resourceOf(path)
	route := MutationOf(r, http.MethodPost, path+"/"+action, permission, find, fn, func(o *mutationOptions) {
		o.count = func(err error) { r.server.metrics.transition(resource, action, err) }
	})
	route.Action = action
	return route
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

// Large lets a mutation take more than the usual MiB: up to limit bytes. See limitLarge.
func Large(limit int64) Option { return func(o *mutationOptions) { o.limit = limit } }

// effect is what a request changes, in a unit. It may be run several times for one request
// and so does not touch the connection.
type effect func(ctx context.Context, u *uow.Unit) (reply, error)

// addMutation registers a route whose requests are read by prepare, once, and served by
// the effect that it returns, in a unit.
func addMutation[In, Out any](r *Router, route Route, o mutationOptions, prepare func(c echo.Context) (effect, error)) *Route {
	route.Mutates = true
	handler := r.mutation(prepare, o.limit)
	if o.limit > maxBody {
		route.MaxBody = o.limit
		handler = r.limitLarge(handler)
	}
	if o.count != nil {
		counted := handler
		handler = func(c echo.Context) error {
			err := counted(c)
			o.count(err)
			return err
		}
	}
	return add[In, Out](r, route, handler)
}

// mutation reads a request by prepare and runs what that returns in a unit. The reply is
// encoded inside it, so that a reply that cannot be encoded rolls back; it is recorded
// there under the request's idempotency key, and sent only after commit.
func (r *Router) mutation(prepare func(c echo.Context) (effect, error), limit int64) echo.HandlerFunc {
	return r.underKey(keyOptions{limit: limit, critical: r.critical}, func(c echo.Context, kept Attempt) error {
		fn, err := prepare(c)
		if err != nil {
			return err
		}
		var out encoded
		err = r.server.runner.Do(c.Request().Context(), func(ctx context.Context, u *uow.Unit) error {
			answer, err := fn(ctx, u)
			if err != nil {
				return err
			}
			if proposed := u.Proposed(); proposed != nil {
				answer = proposal(proposed)
			}
			if out, err = answer.encode(); err != nil || kept == nil {
				return err
			}
			return kept.Keep(ctx, u, out.kept(ctx))
		})
		if err != nil {
			return err
		}
		return out.send(c)
	})
}
