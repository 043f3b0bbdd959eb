package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// KeyedRequest is a request that carries an idempotency key.
type KeyedRequest struct {
	Key    string
	Method string
	Path   string
	Query  string
	Body   []byte
	// Critical is set for operations on money and orders, whose replies are kept longer.
	Critical bool
	// Document is set when the reply is put together from what became of the request's
	// parts, which are kept in its place: see Document.
	Document bool
}

// StoredReply is a reply as bytes: what was sent, and what is sent again.
type StoredReply struct {
	Status int
	// Code is that of an error; "" for any other reply, and for one that was stored.
	Code   apperr.Code
	Header http.Header
	Body   []byte
}

// ReplyStore keeps replies under their idempotency keys; package idempotency does.
type ReplyStore interface {
	// Begin takes the key for one attempt at the request. Errors:
	// RequestInProgress, IdempotencyKeyReused, QuotaExceeded.
	Begin(ctx context.Context, request KeyedRequest) (Attempt, error)
}

// Attempt is one run of a request under its key.
type Attempt interface {
	// Replay returns the reply of an earlier attempt. There is nothing to do then
	// but to send it.
	Replay() (StoredReply, bool)
	// Keep records the reply when u commits, in its transaction.
	Keep(ctx context.Context, u *uow.Unit, reply StoredReply) error
	// KeepCommitted records a reply without a transaction of its own, such as the verdicts
	// on units that have committed. It reports true with the reply of another attempt,
	// if that was recorded while this one ran.
	KeepCommitted(ctx context.Context, reply StoredReply) (StoredReply, bool)
	// Parts returns what became of the parts of a batch that earlier attempts have
	// committed, by their names. Errors: IdempotencyKeyReused.
	Parts(ctx context.Context) (map[string][]byte, error)
	// Part returns what another attempt has kept of a part by now, nil for nothing.
	Part(ctx context.Context, name string) ([]byte, error)
	// KeepPart records what became of a part when u commits, in its transaction. The
	// parts of a batch are forgotten when KeepCommitted records the reply; those of a
	// document stay, because they are all that is kept of it.
	KeepPart(ctx context.Context, u *uow.Unit, name string, value []byte) error
	// Keeps reports whether a refusal is an answer that repeats are given too.
	Keeps(refusal StoredReply) bool
	// FinishDocument ends a run of a document. It reports false when another attempt has
	// decided some part meanwhile: Parts then has what that came to, and the document
	// is to be run over it.
	FinishDocument(ctx context.Context, outcome DocumentResult) bool
	// KeepRefusal ends an attempt that failed. It keeps the refusal, and reports true with
	// the reply of another attempt, if that was recorded while this one ran: the
	// failure is then its echo.
	KeepRefusal(ctx context.Context, err error, refusal StoredReply) (StoredReply, bool)
	// End frees the key for the next attempt.
	End(ctx context.Context)
}

// DocumentResult is what a run of a document has come to.
type DocumentResult struct {
	// Refused are the parts that were refused in this run, by their names. They had no
	// transaction to be recorded in.
	Refused map[string][]byte
	// All are all parts that have an answer.
	All map[string][]byte
	// Complete is false when a part has none yet, so that a repeat may get another reply.
	Complete bool
	// Replay is true when earlier attempts have decided every part.
	Replay bool
}

const (
	// HeaderReplay is "true" on the reply of an earlier attempt.
	HeaderReplay = "X-Idempotency-Replay"
	// longestKey is in characters.
	longestKey = 128
)

// keyHeaders are the two names of one header, in canonical form.
var keyHeaders = [...]string{"X-Idempotency-Key", "Idempotency-Key"}

// IdempotencyKey returns the key of a request, "" without one. Only POST, PUT and
// PATCH take keys. Errors: IdempotencyKeyInvalid.
func IdempotencyKey(request *http.Request) (string, error) {
	switch request.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
	default:
		return "", nil
	}
	key, given := "", false
	for _, name := range keyHeaders {
		values := request.Header[name]
		switch {
		case len(values) == 0:
		case len(values) > 1 || given && values[0] != key:
			return "", keyInvalid("was given more than one value; a request has one key")
		default:
			key, given = values[0], true
		}
	}
	switch {
	case !given:
		return "", nil
	case key == "" || len(key) > longestKey:
		return "", keyInvalid("must have 1 to 128 characters")
	}
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return "", keyInvalid("must be printable ASCII")
		}
	}
	return key, nil
}

func keyInvalid(rule string) error {
	return apperr.New(apperr.IdempotencyKeyInvalid, "X-Idempotency-Key %s.", rule)
}

// runsFor is about how long a request runs, in milliseconds: who waits for its end asks
// again then. Retry-After cannot say less than a second.
const runsFor = 100

// InProgress returns the error of a request whose first attempt is still running.
func InProgress() *apperr.Error {
	return apperr.New(apperr.RequestInProgress, "The first request with this idempotency key is still running. Send it again in a moment to get its answer.").
		After(time.Second).With("retryAfterMs", runsFor)
}

// keyedHandler is a handler that may be under an idempotency key: kept is nil without
// one.
type keyedHandler func(c echo.Context, kept Attempt) error

// keyOptions are what a route says about the idempotency keys of its requests.
type keyOptions struct {
	// limit bounds the body, in bytes.
	limit              int64
	critical, document bool
}

// underKey runs a handler under the request's idempotency key, if it has one: an
// earlier reply is sent again, and only otherwise is the handler run.
func (r *Router) underKey(terms keyOptions, run keyedHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := readBody(c, terms.limit); err != nil {
			return err
		}
		request := c.Request()
		key, err := IdempotencyKey(request)
		if err != nil {
			return err
		}
		if key == "" || r.server.keeper == nil {
			return run(c, nil)
		}
		ctx := context.WithValue(principal.WithIdempotencyKey(request.Context(), key), revealedKey{}, new(revealed))
		c.SetRequest(request.WithContext(ctx))
		kept, err := r.server.keeper.Begin(ctx, KeyedRequest{
			Key: key, Method: request.Method, Path: request.URL.Path, Query: request.URL.RawQuery, Body: bodyOf(c),
			Critical: terms.critical, Document: terms.document,
		})
		if err != nil {
			return err
		}
		defer kept.End(ctx)
		if reply, ok := kept.Replay(); ok {
			return replay(c, reply)
		}
		err = caught(func() error { return run(c, kept) })
		if err == nil || c.Response().Committed {
			return err
		}
		refusal, _ := problem(ctx, err)
		if reply, ok := kept.KeepRefusal(ctx, err, refusal.kept(ctx)); ok {
			return replay(c, reply)
		}
		return err
	}
}

// replay sends an earlier reply again and says so. A refusal tells what its caller may read
// now, which can be less than when it was kept. Another reply that the caller may not read any
// more is left out: it says where the resource is.
func replay(c echo.Context, reply StoredReply) error {
	c.Response().Header().Set(HeaderReplay, "true")
	ctx := c.Request().Context()
	header := reply.Header.Clone()
	header.Del(HeaderReveals)
	if missingPermission(ctx, reply) != "" && !strings.HasPrefix(header.Get(echo.HeaderContentType), mimeProblem) {
		location := cmp.Or(header.Get(echo.HeaderLocation), c.Request().URL.Path)
		return encoded{status: http.StatusOK, header: http.Header{echo.HeaderLocation: {location}}}.send(c)
	}
	body, err := redactForCaller(ctx, reply)
	if err != nil {
		return err
	}
	return encoded{status: reply.Status, header: header, body: body}.send(c)
}

// kept returns what of a reply is kept: its headers are the handler's own, and a cookie
// is never kept.
func (e encoded) kept(ctx context.Context) StoredReply {
	header := e.header.Clone()
	header.Del(echo.HeaderSetCookie)
	if told, ok := ctx.Value(revealedKey{}).(*revealed); ok && told.permission != "" {
		if header == nil {
			header = http.Header{}
		}
		header.Set(HeaderReveals, told.permission)
	}
	return StoredReply{Status: e.status, Code: e.code, Header: header, Body: e.body}
}
