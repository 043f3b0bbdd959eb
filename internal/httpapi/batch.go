package httpapi

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/labstack/echo/v4"

	"interlock/internal/uow"
)

// BatchFunc answers a request that commits more than one unit, each through b. It is
// called once for a request.
type BatchFunc func(c echo.Context, b *Batch) (Reply, error)

// Batch is the units of one request, its parts. Under an idempotency key what became of
// each part is kept in the transaction of the part itself, so that the repeat of a
// request that was cut off in the middle does the rest of the parts and no more, and
// answers as the first would have.
type Batch struct {
	runner *uow.Runner
	// kept is nil without a key.
	kept Attempt
	// earlier is what parts had come to when this attempt began; nil before it is read.
	earlier map[string][]byte
}

// Do runs one part in a unit of its own. fn sets what outcome points to, which is kept as
// JSON with the part's effects; when another attempt at the request has committed the
// part, fn is not run, or in vain, and outcome is what it was there. A part's name is of
// the request: the id of the row that it is about. Errors: those of uow.Runner.Do, which
// leave the part undone; IdempotencyKeyReused.
func (b *Batch) Do(ctx context.Context, part string, outcome any, fn uow.Func) error {
	if b.kept == nil {
		return b.runner.Do(ctx, fn)
	}
	if err := b.look(ctx); err != nil {
		return err
	}
	if text, there := b.earlier[part]; there {
		return recalled(text, outcome)
	}
	err := b.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		if err := fn(ctx, u); err != nil {
			return err
		}
		text, err := json.Marshal(outcome)
		if err != nil {
			return fmt.Errorf("encode what became of a part: %w", err)
		}
		return b.kept.KeepPart(ctx, u, part, text)
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	// Without a lease two attempts can run side by side, and this one be refused for what
	// the other has done.
	if text, lookErr := b.kept.Part(ctx, part); lookErr == nil && text != nil {
		return recalled(text, outcome)
	}
	return err
}

// look reads once what earlier attempts have come to.
func (b *Batch) look(ctx context.Context) (err error) {
	if b.earlier == nil {
		b.earlier, err = b.kept.Parts(ctx)
	}
	return err
}

func recalled(text []byte, outcome any) error {
	if err := json.Unmarshal(text, outcome); err != nil {
		return fmt.Errorf("read what became of a part: %w", err)
	}
	return nil
}
