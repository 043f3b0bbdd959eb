package httpapi

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/lock"
)

// statusClientDisconnected is logged if the client has disconnected; it is never sent.
const statusClientDisconnected = 499

const mimeProblem = "application/problem+json"

// problem returns the reply to an error, as the caller may see it.
func problem(ctx context.Context, err error) (encoded, *apperr.Error) {
	e := Visible(err)
	k, ok := kinds[e.Code]
	if !ok {
		return problem(ctx, apperr.New(apperr.Internal, internalDetail).Because(err))
	}
	header := http.Header{echo.HeaderContentType: {mimeProblem}}
	if e.RetryAfter > 0 {
		header.Set(echo.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	// The etag of a stale approval belongs to the resource that it would change.
	if etag, ok := e.Members["currentEtag"].(string); ok && e.Code != apperr.ApprovalStale {
		header.Set("ETag", etag)
	}
	if k.status == http.StatusUnauthorized {
		header.Set(echo.HeaderWWWAuthenticate, `Bearer realm="interlock"`)
	}
	text, marshalErr := problemText(problemHead{
		Type: "/problems/" + string(e.Code), Title: k.title, Status: k.status, Code: e.Code,
		Detail: e.Detail, RequestID: principal.Request(ctx), Fields: e.Fields,
	}, e.Members)
	if marshalErr != nil {
		slog.ErrorContext(ctx, "http: problem not encoded", "error", marshalErr, "code", e.Code)
		return problem(ctx, apperr.New(apperr.Internal, internalDetail))
	}
	return encoded{status: k.status, code: e.Code, header: header, body: text, stored: text}, e
}

// problemHead contains the members of every problem, in the order of the reply.
type problemHead struct {
	Type      string         `json:"type"`
	Title     string         `json:"title"`
	Status    int            `json:"status"`
	Code      apperr.Code    `json:"code"`
	Detail    string         `json:"detail"`
	RequestID string         `json:"requestId"`
	Fields    []apperr.Field `json:"fields,omitempty"`
}

// problemText encodes the head, followed by the members of this kind of problem.
func problemText(head problemHead, members map[string]any) ([]byte, error) {
	text, err := strictjson.Encode(head)
	if err != nil || len(members) == 0 {
		return text, err
	}
	more, err := strictjson.Encode(members)
	if err != nil {
		return nil, err
	}
	text = append(bytes.TrimSuffix(text, []byte("}")), ',')
	return append(text, more[1:]...), nil
}

const internalDetail = "The request was not completed. Quote the request id when you report it."

// Visible returns the part of err that a caller may see. Unknown errors become Internal without
// their text.
func Visible(err error) *apperr.Error {
	var known *apperr.Error
	var fromEcho *echo.HTTPError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &fromEcho):
		return fromRouting(fromEcho)
	case errors.Is(err, lock.ErrNotAcquired):
		return apperr.New(apperr.ResourceLocked, "Another operation is still working on this. Try again.").After(time.Second)
	case errors.Is(err, lock.ErrUnavailable), errors.Is(err, lock.ErrLost):
		return apperr.New(apperr.Unavailable, "The service cannot do this at the moment. Try again.").After(time.Second).Because(err)
	case storage.Is(err, storage.Full):
		return apperr.New(apperr.Unavailable, "The database has no room left to write. Try again when there is.").After(time.Second).Because(err)
	case storage.Is(err, storage.WriteConflict):
		return apperr.New(apperr.Unavailable, "Another change was made at the same time. Try again.").After(time.Second).Because(err)
	case storage.Is(err, storage.LockTimeout):
		return apperr.New(apperr.Unavailable, "The database did not respond in time; another request may be changing the same record. Try again.").After(time.Second).Because(err)
	case storage.IsAway(err):
		return apperr.New(apperr.Unavailable, "The database cannot be reached. Try again.").After(time.Second).Because(err)
	case errors.Is(err, context.DeadlineExceeded):
		return apperr.New(apperr.Unavailable, "The request took too long. Try again.").After(time.Second).Because(err)
	}
	return apperr.New(apperr.Internal, internalDetail).Because(err)
}

func fromRouting(e *echo.HTTPError) *apperr.Error {
	switch e.Code {
	case http.StatusNotFound:
		return apperr.New(apperr.NotFound, "There is nothing at this address.")
	case http.StatusMethodNotAllowed:
		return apperr.New(apperr.MethodNotAllowed, "This address does not support this method; Allow lists the supported ones.")
	case http.StatusRequestEntityTooLarge:
		return tooLarge(maxBody)
	}
	return apperr.New(apperr.Internal, internalDetail).Because(e)
}

func tooLarge(limit int64) *apperr.Error {
	return apperr.New(apperr.PayloadTooLarge, "The body is larger than %d bytes.", limit)
}
