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

// Operations registers a route for requests with several operations, each with its permission
// and its unit of work, such as the mutations of a GraphQL document; see Document. fn must run
// the same operations in the same order each time that it runs for the same request. Credentials
// are optional: without valid ones the context has no principal, the rate limit of rejected
// credentials applies, and idempotency keys are ignored. Bodies are limited to maxOpenBody.
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

// maxRuns is the maximum number of runs of a document. A run is repeated if another attempt
// decided one of its operations concurrently.
const maxRuns = 5

// document runs fn, whose operations are stored one by one. Without a lease another attempt can
// run concurrently; fn then runs again and its reply contains the outcomes that were stored first.
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

// Document runs the operations of one request. Each has its permission, its unit of work and its
// result, and under an idempotency key each is treated like a separate request:
//
//   - the permission is checked first, also if the result is stored;
//   - the result is stored in the operation's transaction. Rejections are stored too, except
//     401, 403, server errors and those with a Retry-After;
//   - a retry returns the stored results and runs the other operations.
//
// The reply of a document is not stored: each attempt composes it from the results of its
// operations. It is a replay if earlier attempts decided all of them.
//
// After a crash between two operations the first ones are stored with their effects, and the
// retry runs the rest. Rejections are stored last; after a crash before that, the retry decides
// them again, which is safe because a rejected operation has no effect.
type Document struct {
	parts
	// decided has the results of operations by name, refused those that this run rejected.
	decided, refused map[string][]byte
	// operations is the number of operations, recalled the number that other attempts decided.
	operations, recalled int
	// committed is true if this attempt has committed an operation, in this run or an earlier one.
	committed bool
}

// operation is the stored result of one operation: one of its members is set.
type operation struct {
	Outcome any      `json:"outcome,omitempty"`
	Refusal *refusal `json:"refusal,omitempty"`
}

type refusal struct {
	Code   apperr.Code `json:"code"`
	Detail string      `json:"detail"`
}

// Do runs the next operation of the document in a unit of work. fn sets the value at outcome. If an
// earlier attempt decided the operation, Do does not call fn and sets outcome to the stored result.
// A panic of fn is returned as an error. Errors: Unauthenticated and Forbidden; those of fn and of
// uow.Runner.Do; a stored rejection, with its code and detail.
func (d *Document) Do(ctx context.Context, permission string, outcome any, fn uow.Func) error {
	d.operations++
	name := strconv.Itoa(d.operations)
	if err := Permitted(ctx, permission); err != nil {
		return err
	}
	if d.kept == nil {
		return withRecovery(func() error { return d.runner.Do(ctx, fn) })
	}
	text, there, err := d.earlierOutcome(ctx, name)
	if err != nil {
		return err
	}
	own := false
	if !there {
		err = withRecovery(func() (err error) {
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

// refuse returns the error of an operation. If the error is a final rejection, refuse records it
// for finish, so that retries return it too.
func (d *Document) refuse(ctx context.Context, name string, err error) error {
	reply, seen := problem(ctx, err)
	reply.code = "" // one operation cannot be corrected under the key of its document
	if ctx.Err() != nil || !d.kept.IsFinal(reply.kept(ctx)) {
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

// isReplay reports whether other attempts decided all operations.
func (d *Document) isReplay() bool {
	return d.operations > 0 && d.recalled == d.operations && !d.committed
}

// finish ends a run. It reports false if another attempt decided an operation concurrently, so that
// fn must run again. A document without operations stores nothing.
func (d *Document) finish(ctx context.Context) (settled bool) {
	if d.kept == nil || len(d.decided) == 0 {
		return true
	}
	return d.kept.FinishDocument(ctx, DocumentResult{
		Refused: d.refused, All: d.decided, Complete: len(d.decided) == d.operations, Replay: d.isReplay(),
	})
}
