package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
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
	// Body has a digest in place of each Secret, and no Proof.
	Body []byte
	// Critical is set for operations on money and orders; their replies have a longer retention.
	Critical bool
	// Document is set if the reply is composed of the outcomes of the request's parts, which are
	// stored instead of the reply: see Document.
	Document bool
}

// StoredReply is a reply as bytes, to send and to replay.
type StoredReply struct {
	Status int
	// Code is the code of an error; "" for other replies and for stored ones.
	Code   apperr.Code
	Header http.Header
	Body   []byte
}

// ReplyStore stores replies under idempotency keys; package idempotency implements it.
type ReplyStore interface {
	// Begin claims the key for one attempt at the request. Errors: RequestInProgress,
	// IdempotencyKeyReused, QuotaExceeded.
	Begin(ctx context.Context, request KeyedRequest) (Attempt, error)
}

// Attempt is one run of a request under its key.
type Attempt interface {
	// Replay returns the reply of an earlier attempt. The caller then only sends it.
	Replay() (StoredReply, bool)
	// Store records the reply in the transaction of u.
	Store(ctx context.Context, u *uow.Unit, reply StoredReply) error
	// StoreCommitted records a reply in a separate transaction, such as the outcomes of units that
	// have committed. It returns true with the reply of a concurrent attempt that was recorded
	// first.
	StoreCommitted(ctx context.Context, reply StoredReply) (StoredReply, bool)
	// Parts returns the outcomes of the parts that earlier attempts have committed, by their names.
	// Errors: IdempotencyKeyReused.
	Parts(ctx context.Context) (map[string][]byte, error)
	// Part returns the recorded outcome of a part, nil if there is none.
	Part(ctx context.Context, name string) ([]byte, error)
	// StorePart records the outcome of a part in the transaction of u. StoreCommitted deletes the
	// parts of a batch; the parts of a document remain until they expire, because a document has no
	// other record.
	StorePart(ctx context.Context, u *uow.Unit, name string, value []byte) error
	// IsFinal reports whether a rejection is final, so that repeats receive it too.
	IsFinal(refusal StoredReply) bool
	// FinishDocument ends a run of a document. It returns false if a concurrent attempt has decided
	// a part: the caller runs the document again with the outcome from Parts.
	FinishDocument(ctx context.Context, outcome DocumentResult) bool
	// StoreRejection ends a failed attempt. It records the rejection, or returns true with the reply
	// of a concurrent attempt that was recorded first and may have caused the failure.
	StoreRejection(ctx context.Context, err error, refusal StoredReply) (StoredReply, bool)
	// End releases the key for the next attempt.
	End(ctx context.Context)
}

// DocumentResult is the outcome of a run of a document.
type DocumentResult struct {
	// Refused contains the parts that this run rejected, by their names. A rejected part has no
	// transaction, so no record of it exists yet.
	Refused map[string][]byte
	// All contains all parts with an outcome.
	All map[string][]byte
	// Complete is false if a part has no outcome yet, so that a repeat may return another reply.
	Complete bool
	// Replay is true when earlier attempts have decided every part.
	Replay bool
}

const (
	// HeaderReplay is "true" on the reply of an earlier attempt.
	HeaderReplay = "X-Idempotency-Replay"
	// maxKeyLength is the maximum length of a key, in characters.
	maxKeyLength = 128
)

// keyHeaders are the two names of one header, in canonical form.
var keyHeaders = [...]string{"X-Idempotency-Key", "Idempotency-Key"}

// IdempotencyKey returns the key of a request, "" without one. Only POST, PUT and PATCH have keys.
// Errors: IdempotencyKeyInvalid.
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
			return "", keyInvalid("has more than one value; a request has one key")
		default:
			key, given = values[0], true
		}
	}
	switch {
	case !given:
		return "", nil
	case key == "" || len(key) > maxKeyLength:
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

// runsFor is the delay before a retry, in milliseconds: the typical duration of a request.
// Retry-After can only express whole seconds.
const runsFor = 100

// InProgress returns the error of a request whose first attempt is still running.
func InProgress() *apperr.Error {
	return apperr.New(apperr.RequestInProgress, "The first request with this idempotency key is still running. Send it again in a moment to get its answer.").
		After(time.Second).With("retryAfterMs", runsFor)
}

// keyedHandler is a handler of a request with an idempotency key; kept is nil without one.
type keyedHandler func(c echo.Context, kept Attempt) error

// keyOptions are the settings of a route for idempotency keys.
type keyOptions struct {
	// limit bounds the body, in bytes.
	limit              int64
	critical, document bool
	hidden             hiddenMembers
}

// underKey runs a handler under the request's idempotency key, if it has one. If an earlier reply
// is stored, it sends that reply and does not run the handler.
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
		if key == "" || r.server.replies == nil {
			return run(c, nil)
		}
		ctx := context.WithValue(principal.WithIdempotencyKey(request.Context(), key), revealedKey{}, new(revealed))
		c.SetRequest(request.WithContext(ctx))
		body, err := r.server.hideMembers(ctx, key, bodyOf(c), terms.hidden)
		if err != nil {
			return err
		}
		kept, err := r.server.replies.Begin(ctx, KeyedRequest{
			Key: key, Method: request.Method, Path: canonicalPath(request.URL), Query: request.URL.RawQuery, Body: body,
			Critical: terms.critical, Document: terms.document,
		})
		if err != nil {
			return err
		}
		defer kept.End(ctx)
		if reply, ok := kept.Replay(); ok {
			return replay(c, reply)
		}
		err = withRecovery(func() error { return run(c, kept) })
		if err == nil || c.Response().Committed {
			return err
		}
		refusal, _ := problem(ctx, err)
		if reply, ok := kept.StoreRejection(ctx, err, refusal.kept(ctx)); ok {
			return replay(c, reply)
		}
		return err
	}
}

// canonicalPath returns the path of a URL with each segment escaped as url.PathEscape does, so that
// two spellings of one address are equal and a slash in a segment separates nothing.
func canonicalPath(u *url.URL) string {
	segments := strings.Split(u.EscapedPath(), "/")
	for i, segment := range segments {
		if plain, err := url.PathUnescape(segment); err == nil {
			segments[i] = url.PathEscape(plain)
		}
	}
	return strings.Join(segments, "/")
}

// replay sends a stored reply with HeaderReplay. The caller may have lost a permission since: a
// rejection is then redacted, and another reply is replaced with the location of the resource.
func replay(c echo.Context, reply StoredReply) error {
	c.Response().Header().Set(HeaderReplay, "true")
	ctx := c.Request().Context()
	header := reply.Header.Clone()
	header.Del(HeaderReveals)
	if missingPermission(ctx, reply) != "" && !strings.HasPrefix(header.Get(echo.HeaderContentType), mimeProblem) {
		location := cmp.Or(header.Get(echo.HeaderLocation), canonicalPath(c.Request().URL))
		return encoded{status: http.StatusOK, header: http.Header{echo.HeaderLocation: {location}}}.send(c)
	}
	body, err := redactForCaller(ctx, reply)
	if err != nil {
		return err
	}
	return encoded{status: reply.Status, header: header, body: body}.send(c)
}

// kept returns the reply to store: the headers of the handler except cookies, and the body
// without its secrets.
func (e encoded) kept(ctx context.Context) StoredReply {
	header := e.header.Clone()
	header.Del(echo.HeaderSetCookie)
	if reveals, ok := ctx.Value(revealedKey{}).(*revealed); ok && reveals.permission != "" {
		if header == nil {
			header = http.Header{}
		}
		header.Set(HeaderReveals, reveals.permission)
	}
	return StoredReply{Status: e.status, Code: e.code, Header: header, Body: e.stored}
}
