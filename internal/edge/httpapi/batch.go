package httpapi

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/labstack/echo/v4"

	"interlock/internal/core/uow"
)

// MultiUnit registers a route that commits several units of work, such as one for each row; see
// Batch. Effects of fn outside of its Batch must be safe to repeat.
func MultiUnit[In, Out any](r *Router, method, path, permission string, fn func(ctx context.Context, b *Batch, in In) (Out, error)) *Route {
	return MultiUnitOf(r, method, path, permission, nothing, func(ctx context.Context, b *Batch, _ None, in In) (Out, error) { return fn(ctx, b, in) })
}

// MultiUnitOf is MultiUnit for a route with a resource in its path, which find reads. It stores the
// reply after the last unit. After a crash in between, a retry runs fn again, and Batch returns the
// outcomes of the finished parts.
func MultiUnitOf[R, In, Out any](r *Router, method, path, permission string, find Find[R], fn func(ctx context.Context, b *Batch, row R, in In) (Out, error)) *Route {
	s := shapeOf[In]()
	return add[In, Out](r, Route{Method: method, Path: path, Permission: permission, Mutates: true}, r.underKey(keyOptions{limit: maxBody, critical: r.critical, hidden: s.hidden}, func(c echo.Context, kept Attempt) error {
		b := &Batch{parts{runner: r.server.runner, kept: kept}}
		served, err := serve(c, s, find, func(ctx context.Context, row R, in In) (Out, error) { return fn(ctx, b, row, in) })
		if err != nil {
			return err
		}
		out, err := served.encode()
		if err != nil {
			return err
		}
		if kept == nil {
			return out.send(c)
		}
		if earlier, other := kept.StoreCommitted(c.Request().Context(), out.kept(c.Request().Context())); other {
			return replay(c, earlier)
		}
		return out.send(c)
	}))
}

// Batch runs the parts of one request, each in a unit of work. Under an idempotency key each part
// stores its outcome in its own transaction, so that the retry of an interrupted request runs
// only the remaining parts and returns the same reply.
type Batch struct{ parts }

// Do runs one part in a unit of work. fn sets the value at outcome, which Do stores as JSON with
// the part's effects. If another attempt at the request has committed the part, Do sets outcome to
// the stored value, and rolls back the effects of fn if it ran. part identifies the part within the
// request, such as by the id of its row. Errors: of uow.Runner.Do, after which the part has no
// effect; IdempotencyKeyReused.
func (b *Batch) Do(ctx context.Context, part string, outcome any, fn uow.Func) error {
	if b.kept == nil {
		return b.runner.Do(ctx, fn)
	}
	text, there, err := b.earlierOutcome(ctx, part)
	own := false
	if err == nil && !there {
		text, own, err = b.commit(ctx, part, fn, func() any { return outcome })
	}
	if err != nil || own {
		return err
	}
	return decode(text, outcome)
}

// parts are the units of work of one request. With an idempotency key, each stores its outcome
// under a name.
type parts struct {
	runner *uow.Runner
	// kept is nil without a key.
	kept Attempt
	// earlier has the outcomes that existed when this attempt started; nil before it is read.
	earlier map[string][]byte
}

// earlierOutcome returns the outcome of a part in an earlier attempt, and whether it exists.
func (p *parts) earlierOutcome(ctx context.Context, name string) (text []byte, there bool, err error) {
	if p.earlier == nil {
		if p.earlier, err = p.kept.Parts(ctx); err != nil {
			return nil, false, err
		}
	}
	text, there = p.earlier[name]
	return text, there, nil
}

// commit runs a part in a unit of work and stores its outcome, as JSON, with its effects. It
// returns the stored outcome, and own reports whether this attempt stored it. Without a lease, two
// attempts can run concurrently; the unique key of the outcome then rejects one of them.
func (p *parts) commit(ctx context.Context, name string, fn uow.Func, outcome func() any) (text []byte, own bool, err error) {
	err = p.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		if err := fn(ctx, u); err != nil {
			return err
		}
		if text, err = json.Marshal(outcome()); err != nil {
			return fmt.Errorf("encode the outcome of a part: %w", err)
		}
		return p.kept.StorePart(ctx, u, name, text)
	})
	if err == nil {
		return text, true, nil
	}
	if ctx.Err() != nil {
		return nil, false, err
	}
	if winner, lookErr := p.kept.Part(ctx, name); lookErr == nil && winner != nil {
		return winner, false, nil
	}
	return nil, false, err
}

func decode(text []byte, outcome any) error {
	if err := json.Unmarshal(text, outcome); err != nil {
		return fmt.Errorf("read the outcome of a part: %w", err)
	}
	return nil
}
