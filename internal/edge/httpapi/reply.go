package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// replyOf returns the reply for the result of a route: that of a replier, otherwise 200 with the
// result as body, and its ETag if it is versioned.
func replyOf(out any) reply {
	if r, ok := out.(replier); ok {
		return r.reply()
	}
	return okReply(out)
}

// replier is a result of a route with more than a body.
type replier interface{ reply() reply }

// None is a request without parameters, or a reply without a body: 204.
type None struct{}

func (None) reply() reply { return reply{status: http.StatusNoContent} }

// Created is the reply to a creation: 201 with the location.
type Created[T any] struct {
	// Location is the path of the resource, relative to Base.
	Location string
	Body     T
	// Existed is set if the resource already existed. The status is then 200.
	Existed bool
}

func (m Created[T]) reply() reply {
	if m.Existed {
		return okReply(m.Body)
	}
	created := okReply(m.Body)
	created.status = http.StatusCreated
	return created.with(echo.HeaderLocation, Base+m.Location)
}

// Download is the reply to a request for a file: 200 with the file name for browsers.
type Download[T any] struct {
	Name string
	Body T
}

func (d Download[T]) reply() reply {
	return okReply(d.Body).with(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", d.Name))
}

// Lines is a reply of JSON lines (application/x-ndjson), each with its line end. Replies in other
// media types have their text as Lines.
type Lines []byte

func (l Lines) reply() reply {
	return reply{status: http.StatusOK, body: l}.with(echo.HeaderContentType, "application/x-ndjson")
}

// File is Download of a document in a media type other than JSON.
type File struct {
	Name, MediaType string
	Body            []byte
}

func (f File) reply() reply {
	return reply{status: http.StatusOK, body: Lines(f.Body)}.
		with(echo.HeaderContentType, f.MediaType).
		with(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", f.Name))
}

// Accepted is the reply to a request with a later outcome: 202 with the location of the outcome.
type Accepted[T any] struct {
	// Location is the path of the resource, relative to Base.
	Location string
	Body     T
	// Replayed is set if an earlier request with the same idempotency key was accepted.
	Replayed bool
}

func (a Accepted[T]) reply() reply {
	r := okReply(a.Body)
	r.status = http.StatusAccepted
	r = r.with(echo.HeaderLocation, Base+a.Location)
	if a.Replayed {
		return r.with(HeaderReplay, "true")
	}
	return r
}

// proposal is the reply of any route to a change that waits for an approval: 202 with the approval
// and its location.
func proposal(p *uow.Proposed) reply {
	r := okReply(p.Body)
	r.status = http.StatusAccepted
	return r.with(echo.HeaderLocation, Base+p.Path)
}

// WithCookies is the reply for Out with cookies.
type WithCookies[T any] struct {
	Out     T
	Cookies []*http.Cookie
	// ClearCache makes the browser delete its cached replies (W3C Clear Site Data). Storage of the
	// pages remains: drafts of unsaved work, and the cookie of a known device.
	ClearCache bool
}

func (w WithCookies[T]) reply() reply {
	r := replyOf(w.Out)
	if r.header == nil {
		r.header = make(http.Header)
	}
	for _, cookie := range w.Cookies {
		r.header.Add(echo.HeaderSetCookie, cookie.String())
	}
	if w.ClearCache {
		r.header.Set("Clear-Site-Data", `"cache"`)
	}
	return r
}

// Either is one of two replies; the other is nil.
type Either[A, B any] struct {
	First  *A
	Second *B
}

func (e Either[A, B]) reply() reply {
	switch {
	case e.First != nil:
		return replyOf(*e.First)
	case e.Second != nil:
		return replyOf(*e.Second)
	default:
		return reply{} // of an error
	}
}

// Fresh is a reply with a representation, 200, that can change in part without a new version.
type Fresh[T any] struct {
	Body T
	// Changed is set if it changed recently: the reply then ignores If-None-Match.
	Changed bool
}

func (f Fresh[T]) reply() reply {
	r := okReply(f.Body)
	r.full = f.Changed
	return r
}

// FreshOrText is Fresh with a second representation as plain text, for requests that prefer it. Both
// have the entity tag of Body.
type FreshOrText[T any] struct {
	Fresh[T]
	// Text is nil for a reply with Body.
	Text *string
}

func (f FreshOrText[T]) reply() reply {
	r := f.Fresh.reply().with(echo.HeaderVary, echo.HeaderAccept)
	if f.Text != nil {
		r.body = Lines(*f.Text)
		return r.with(echo.HeaderContentType, "text/plain; charset=utf-8")
	}
	return r
}

// Evaluated is the reply to a read by POST that compares If-None-Match: see MatchesTag.
type Evaluated[T any] struct {
	// Tag is the entity tag of Body, with its quotes.
	Tag string
	// Body is nil if the client has the representation: 304.
	Body *T
}

func (e Evaluated[T]) reply() reply {
	if e.Body == nil {
		return reply{status: http.StatusNotModified}.with("ETag", e.Tag)
	}
	return okReply(e.Body).with("ETag", e.Tag)
}

// List is the reply to a list request.
type List[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
	Total      int64   `json:"total"`
	// TotalIsExact is false if counting stopped at its limit.
	TotalIsExact bool `json:"totalIsExact"`
}

// ListOf returns one page of a list, with its rows converted by view.
func ListOf[R, V any](listing storage.Listing[R], view func(R) V) List[V] {
	items := make([]V, len(listing.Rows))
	for i, row := range listing.Rows {
		items[i] = view(row)
	}
	return List[V]{Items: items, NextCursor: listing.Next, Total: listing.Total, TotalIsExact: listing.TotalIsExact}
}

// OrNull returns nil for an empty text.
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// reply is a reply before it is encoded.
type reply struct {
	status int
	header http.Header
	// body is encoded as JSON; nil means no body.
	body any
	// full disables the 304 for If-None-Match.
	full bool
}

func okReply(body any) reply {
	r := reply{status: http.StatusOK, body: body}
	if t, ok := body.(tagger); ok && t.EntityTag() != "" {
		return r.with("ETag", t.EntityTag())
	}
	return r
}

// tagger is implemented by representations that embed guard.Stamp.
type tagger interface{ EntityTag() string }

// with adds a header.
func (r reply) with(name, value string) reply {
	if r.header == nil {
		r.header = make(http.Header)
	}
	r.header.Set(name, value)
	return r
}

// isNotModified reports whether the client already has the representation: If-None-Match for GET
// and HEAD with weak comparison (RFC 9110, 13.1.2).
func (r reply) isNotModified(request *http.Request) bool {
	tags := request.Header.Values("If-None-Match")
	current := r.header.Get("ETag")
	if !reads(request) || r.status != http.StatusOK || r.full || len(tags) == 0 || current == "" {
		return false
	}
	return MatchesTag(strings.Join(tags, ","), current)
}

// MatchesTag reports whether the value of If-None-Match contains an entity tag. The comparison is
// weak (RFC 9110, 13.1.2).
func MatchesTag(tags, current string) bool {
	for tag := range strings.SplitSeq(tags, ",") {
		tag = guard.OriginalTag(strings.TrimSpace(tag))
		if tag == current || tag == "*" {
			return true
		}
	}
	return false
}

// encoded is a reply as bytes, to send and to store.
type encoded struct {
	status int
	// code is the code of an error, "" for other replies.
	code   apperr.Code
	header http.Header
	body   []byte
	// stored is the body without its secrets.
	stored []byte
}

func (r reply) encode() (encoded, error) {
	e := encoded{status: r.status, header: r.header}
	if r.body == nil {
		return e, nil
	}
	if lines, encodedAlready := r.body.(Lines); encodedAlready {
		e.body, e.stored = lines, lines
		return e, nil
	}
	stored, hasSecrets, err := withoutSecrets.Encode(r.body)
	if err != nil {
		return encoded{}, err
	}
	e.body, e.stored = stored, stored
	if hasSecrets {
		e.body, err = strictjson.Encode(r.body)
	}
	return e, err
}

func (e encoded) send(c echo.Context) error {
	header := c.Response().Header()
	for name, values := range e.header {
		header[name] = values
	}
	if e.body == nil {
		return c.NoContent(e.status)
	}
	contentType := header.Get(echo.HeaderContentType)
	if contentType == "" {
		contentType = echo.MIMEApplicationJSON
	}
	return c.Blob(e.status, contentType, compressed(c, contentType, e.body))
}
