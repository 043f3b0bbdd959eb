package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
)

// Operations registers a route whose requests hold several operations, each with a
// permission and a unit of its own, such as the mutations of a GraphQL document; see
// Document. fn runs the same operations in the same order whenever it is given the same
// request, and may be run several times for one. Callers need no credentials: the context
// has a principal if they showed good ones. Callers without good ones are held to the rate of
// rejected credentials, as on every route, and bodies are small. Idempotency keys are for those
// who have a principal.
func Operations[In, Out any](r *Router, method, path string, fn func(ctx context.Context, d *Document, in In) (Out, error)) *Route {
	s := shapeOf[In]()
	run := func(c echo.Context, d *Document) (encoded, error) {
		served, err := serve(c, s, nothing, func(ctx context.Context, _ None, in In) (Out, error) { return fn(ctx, d, in) })
		if err != nil {
			return encoded{}, err
		}
		return served.encode()
	}
	known := r.document(run)
	unknown := withBody(maxOpenBody, func(c echo.Context) error {
		out, err := run(c, &Document{parts: parts{runner: r.server.runner}})
		if err != nil {
			return err
		}
		return out.send(c)
	})
	return add[In, Out](r, Route{Method: method, Path: path, Public: true, MaxBody: maxOpenBody}, func(c echo.Context) error {
		if err := r.identify(c); err != nil {
			err = r.server.limitRefused(c, err)
			if apperr.Has(err, apperr.Unauthenticated) || apperr.Has(err, apperr.InvalidCredentials) {
				return unknown(c)
			}
			return err
		}
		if err := r.server.limit(c); err != nil {
			return err
		}
		return known(c)
	})
}

// maxRuns is how often a document is put together again because another attempt at it
// has decided some part meanwhile.
const maxRuns = 5

// document runs fn, whose operations are kept one by one. Another attempt can run beside
// this one where there is no lease; the reply is then put together over what that one
// has decided first.
func (r *Router) document(fn func(c echo.Context, d *Document) (encoded, error)) echo.HandlerFunc {
	return r.underKey(keyOptions{limit: maxOpenBody, critical: r.critical, document: true}, func(c echo.Context, kept Attempt) error {
		committed := false
		for run := 1; ; run++ {
			d := &Document{parts: parts{runner: r.server.runner, kept: kept}, committed: committed}
			out, err := fn(c, d)
			if err != nil {
				return err
			}
			settled := d.finish(c.Request().Context())
			switch {
			case settled && d.isReplay():
				return replay(c, out.kept(c.Request().Context()))
			case settled:
				return out.send(c)
			case run == maxRuns:
				return InProgress()
			}
			committed = d.committed
		}
	})
}

// Document is the operations of one request. Each has its own permission, its own unit
// and its own answer, and under an idempotency key each is treated as a request of its
// own would be:
//
//   - the permission is asked for first, also when the answer is known;
//   - what it came to is kept in its transaction; a refusal that is an answer is kept too,
//     and what says when to come back, 401, 403 and a server error are not;
//   - a repeat is told what was kept and runs the others.
//
// So no reply of a document is kept: it is put together anew from what became of its
// operations. It is a replay when earlier attempts have decided all of them.
//
// A crash between two operations leaves the first ones kept with their effects, and the
// repeat runs the rest. Refusals are recorded last, so a crash before that lets the
// repeat decide them anew, which is right, because a refusal had no effect.
type Document struct {
	parts
	// decided has the answers of all operations that have one, refused those of them
	// that this run refused.
	decided, refused map[string][]byte
	// operations counts them, recalled those of them that other attempts have decided.
	operations, recalled int
	// committed is true once this attempt has committed one, in this run or before.
	committed bool
}

// operation is what is kept of one operation: one of its members is set.
type operation struct {
	Outcome any      `json:"outcome,omitempty"`
	Refusal *refusal `json:"refusal,omitempty"`
}

type refusal struct {
	Code   apperr.Code `json:"code"`
	Detail string      `json:"detail"`
}

// Do runs the next operation of the document in a unit. fn sets what outcome points to;
// when an earlier attempt has decided the operation, fn is not run and outcome is what it
// was there. A panic of fn is an error. Errors: Unauthenticated and Forbidden; what fn or
// uow.Runner.Do returned; a refusal that was kept, by its code and sentence.
func (d *Document) Do(ctx context.Context, permission string, outcome any, fn uow.Func) error {
	d.operations++
	name := strconv.Itoa(d.operations)
	if err := Permitted(ctx, permission); err != nil {
		return err
	}
	if d.kept == nil {
		return caught(func() error { return d.runner.Do(ctx, fn) })
	}
	text, there, err := d.earlierOutcome(ctx, name)
	if err != nil {
		return err
	}
	own := false
	if !there {
		err = caught(func() (err error) {
			text, own, err = d.commit(ctx, name, fn, func() any { return operation{Outcome: outcome} })
			return err
		})
	}
	switch {
	case err != nil:
		return d.refuse(ctx, name, err)
	case own:
		d.decide(name, text)
		d.committed = true
		return nil
	}
	d.decide(name, text)
	d.recalled++
	was := operation{Outcome: outcome}
	if err := decode(text, &was); err != nil {
		return err
	}
	if was.Refusal != nil {
		return apperr.New(was.Refusal.Code, "%s", was.Refusal.Detail)
	}
	return nil
}

// refuse notes why an operation failed, if that is an answer that repeats are given too,
// and returns it.
func (d *Document) refuse(ctx context.Context, name string, err error) error {
	reply, seen := problem(ctx, err)
	reply.code = "" // one operation cannot be corrected under the key of its document
	if ctx.Err() != nil || !d.kept.Keeps(reply.kept(ctx)) {
		return err
	}
	text, encodeErr := json.Marshal(operation{Refusal: &refusal{Code: seen.Code, Detail: seen.Detail}})
	if encodeErr != nil {
		return errors.Join(err, encodeErr)
	}
	d.decide(name, text)
	if d.refused == nil {
		d.refused = make(map[string][]byte)
	}
	d.refused[name] = text
	return err
}

func (d *Document) decide(name string, text []byte) {
	if d.decided == nil {
		d.decided = make(map[string][]byte)
	}
	d.decided[name] = text
}

// isReplay reports whether other attempts have decided everything.
func (d *Document) isReplay() bool {
	return d.operations > 0 && d.recalled == d.operations && !d.committed
}

// finish ends a run, and reports false when fn is to be run again over what another
// attempt has decided meanwhile. A document without operations leaves nothing.
func (d *Document) finish(ctx context.Context) (settled bool) {
	if d.kept == nil || len(d.decided) == 0 {
		return true
	}
	return d.kept.FinishDocument(ctx, DocumentResult{
		Refused: d.refused, All: d.decided, Complete: len(d.decided) == d.operations, Replay: d.isReplay(),
	})
}
