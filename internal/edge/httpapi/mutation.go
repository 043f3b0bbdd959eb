package httpapi

import (
	"cmp"
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"interlock/internal/core/uow"
)

// Mutation registers a route that makes a change in one unit of work. The runner may call fn
// several times for one request.
func Mutation[In, Out any](r *Router, method, path, permission string, fn func(ctx context.Context, u *uow.Unit, in In) (Out, error), options ...Option) *Route {
	return MutationOf(r, method, path, permission, nothing, func(ctx context.Context, u *uow.Unit, _ None, in In) (Out, error) { return fn(ctx, u, in) }, options...)
}

// MutationOf registers a route that changes a resource in one unit of work. Each further run of
// the unit reads the resource again.
func MutationOf[R, In, Out any](
	r *Router, method, path, permission string, find Find[R], fn func(ctx context.Context, u *uow.Unit, row R, in In) (Out, error), options ...Option,
) *Route {
	s := shapeOf[In]()
	o := optionsOf(options)
	o.hidden = s.hidden
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

// Transition registers POST {path}/{action} on a resource with a status, and counts its
// outcomes.
func Transition[R, In, Out any](r *Router, path, action, permission string, find Find[R], fn func(ctx context.Context, u *uow.Unit, row R, in In) (Out, error)) *Route {
	resource := resourceOf(path)
	route := MutationOf(r, http.MethodPost, path+"/"+action, permission, find, fn, func(o *mutationOptions) {
		o.count = func(err error) { r.server.metrics.transition(resource, action, err) }
	})
	route.Action = action
	return route
}

// Option changes how a mutation is served.
type Option func(*mutationOptions)

type mutationOptions struct {
	// limit is the size limit of the body, in bytes.
	limit  int64
	hidden hiddenMembers
	// count receives the outcome of each request; may be nil.
	count func(err error)
	// exists returns NotFound if the path of an invalid request has no resource; may be nil.
	exists func(ctx context.Context, path Path) error
}

// Exists makes a mutation that reads its resource inside fn return NotFound before the errors of an
// invalid request. For a valid request, it executes no statement.
func Exists[R any](find Find[R]) Option {
	return func(o *mutationOptions) {
		o.exists = func(ctx context.Context, path Path) error {
			_, err := find(ctx, path)
			return err
		}
	}
}

// Large sets the size limit of a body, in bytes. See limitLarge.
func Large(limit int64) Option { return func(o *mutationOptions) { o.limit = limit } }

func optionsOf(options []Option) mutationOptions {
	o := mutationOptions{limit: maxBody}
	for _, option := range options {
		option(&o)
	}
	return o
}

// addSized registers a route with a handler that reads bodies up to a limit.
func addSized[In, Out any](r *Router, route Route, limit int64, handler echo.HandlerFunc) *Route {
	if limit > maxBody {
		route.MaxBody = limit
		handler = r.limitLarge(handler)
	}
	return add[In, Out](r, route, handler)
}

// effect makes the change of a request in a unit of work. The runner may call it several times,
// so it must not write to the connection.
type effect func(ctx context.Context, u *uow.Unit) (reply, error)

// addMutation registers a route. prepare reads a request once and returns its effect.
func addMutation[In, Out any](r *Router, route Route, o mutationOptions, prepare func(c echo.Context) (effect, error)) *Route {
	route.Mutates = true
	handler := r.mutation(prepare, o)
	if o.count != nil {
		counted := handler
		handler = func(c echo.Context) error {
			err := counted(c)
			o.count(err)
			return err
		}
	}
	return addSized[In, Out](r, route, o.limit, handler)
}

// mutation reads a request with prepare and runs its effect in a unit of work. Inside the unit it
// encodes the reply, so that an encoding error rolls back, and stores it under the request's
// idempotency key. It sends the reply after the commit.
func (r *Router) mutation(prepare func(c echo.Context) (effect, error), o mutationOptions) echo.HandlerFunc {
	return r.underKey(keyOptions{limit: o.limit, critical: r.critical, hidden: o.hidden}, func(c echo.Context, kept Attempt) error {
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
			return kept.Store(ctx, u, out.kept(ctx))
		})
		if err != nil {
			return err
		}
		return out.send(c)
	})
}
