package httpapi

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/labstack/echo/v4"

	"interlock/internal/core/uow"
)

// MultiUnit registers a route that commits more than one unit, such as one for each row; see
// Batch. What fn does outside of its Batch must be safe to do again.
func MultiUnit[In, Out any](r *Router, method, path, permission string, fn func(ctx context.Context, b *Batch, in In) (Out, error)) *Route {
	return MultiUnitOf(r, method, path, permission, nothing, func(ctx context.Context, b *Batch, _ None, in In) (Out, error) { return fn(ctx, b, in) })
}

// MultiUnitOf is MultiUnit about a resource. The reply is kept after the last of its units. A crash
// in between lets a repeat run fn again, to which its Batch tells what has been done.
func MultiUnitOf[R, In, Out any](r *Router, method, path, permission string, find Find[R], fn func(ctx context.Context, b *Batch, row R, in In) (Out, error)) *Route {
	s := shapeOf[In]()
	return add[In, Out](r, Route{Method: method, Path: path, Permission: permission}, r.underKey(keyOptions{limit: maxBody, critical: r.critical}, func(c echo.Context, kept Attempt) error {
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
		if earlier, other := kept.KeepCommitted(c.Request().Context(), out.kept(c.Request().Context())); other {
			return replay(c, earlier)
		}
		return out.send(c)
	}))
}

// Batch is the units of one request, its parts. Under an idempotency key what became of
// each part is kept in the transaction of the part itself, so that the repeat of a
// request that was cut off in the middle does the rest of the parts and no more, and
// answers as the first would have.
type Batch struct{ parts }

// Do runs one part in a unit of its own. fn sets what outcome points to, which is kept as
// JSON with the part's effects; when another attempt at the request has committed the
// part, fn is not run, or in vain, and outcome is what it was there. A part's name is of
// the request: the id of the row that it is about. Errors: those of uow.Runner.Do, which
// leave the part undone; IdempotencyKeyReused.
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

// parts are the units of one request, each kept under a name when the request has an
// idempotency key.
type parts struct {
	runner *uow.Runner
	// kept is nil without a key.
	kept Attempt
	// earlier is what parts had come to when this attempt began; nil before it is read.
	earlier map[string][]byte
}

// earlierOutcome returns what became of a part in an earlier attempt, and whether it was decided
// there.
func (p *parts) earlierOutcome(ctx context.Context, name string) (text []byte, there bool, err error) {
	if p.earlier == nil {
		if p.earlier, err = p.kept.Parts(ctx); err != nil {
			return nil, false, err
		}
	}
	text, there = p.earlier[name]
	return text, there, nil
}

// commit runs a part in a unit and keeps its outcome, as JSON, with its effects. It
// returns what is kept, and whether that is of this attempt: without a lease two can run
// side by side, and this one be refused for what the other has done.
func (p *parts) commit(ctx context.Context, name string, fn uow.Func, outcome func() any) (text []byte, own bool, err error) {
	err = p.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		if err := fn(ctx, u); err != nil {
			return err
		}
		if text, err = json.Marshal(outcome()); err != nil {
			return fmt.Errorf("encode what became of a part: %w", err)
		}
		return p.kept.KeepPart(ctx, u, name, text)
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
		return fmt.Errorf("read what became of a part: %w", err)
	}
	return nil
}
