package httpapi

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"interlock/internal/base/apperr"
	"interlock/internal/base/naming"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
)

// Address is the network address of the caller.
type Address string

// Secure reports whether the request used TLS, up to a trusted proxy.
type Secure bool

type overTLSKey struct{}

// OverTLS reports whether the context's request used TLS, like Secure.
func OverTLS(ctx context.Context) bool { return ctx.Value(overTLSKey{}) != nil }

// Key is the idempotency key of a request, "" without one. Routes with a unit of work store their
// replies under it automatically.
type Key string

// Guarded is a request that contains only the expected version of its resource, such as a deletion.
type Guarded struct{ IfMatch guard.Precondition }

// Page is the parameters of a list.
type Page struct {
	Limit  pageLimit `query:"limit"`
	Sort   string    `query:"sort"`
	Cursor string    `query:"cursor"`
	Total  exact     `query:"total"`
}

type pageLimit int

// exact is set by ?total=exact.
type exact bool

// UnmarshalText implements encoding.TextUnmarshaler.
func (e *exact) UnmarshalText(text []byte) error {
	if string(text) != "exact" {
		return errors.New("must be exact, or absent")
	}
	*e = true
	return nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *pageLimit) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > storage.MaxLimit {
		return fmt.Errorf("must be a whole number from 1 to %d", storage.MaxLimit)
	}
	*l = pageLimit(n)
	return nil
}

// Page returns the page for package storage.
func (p Page) Page() storage.Page {
	page := storage.Page{Limit: int(p.Limit), Sort: p.Sort, Cursor: p.Cursor, Exact: bool(p.Total)}
	if page.Limit == 0 {
		page.Limit = storage.DefaultLimit
	}
	return page
}

// Limits of the time that a request waits for locks.
const (
	DefaultWait = 3 * time.Second
	MaxWait     = 10 * time.Second
)

// Wait is the time that a request waits for locks: ?wait, in ms from 0 to 10000. With 0 it fails
// immediately if a lock is held.
type Wait struct {
	given bool
	wait  time.Duration
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *Wait) UnmarshalText(text []byte) error {
	ms, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || ms < 0 || ms > MaxWait.Milliseconds() {
		return fmt.Errorf("must be a whole number of milliseconds from 0 to %d", MaxWait.Milliseconds())
	}
	*w = Wait{true, time.Duration(ms) * time.Millisecond}
	return nil
}

// Duration returns the time to wait, DefaultWait by default.
func (w Wait) Duration() time.Duration { return w.or(DefaultWait) }

// LongWait is Wait with a default of MaxWait, for writers that do not exclude each other.
type LongWait struct{ Wait }

// Duration returns the time to wait, MaxWait by default.
func (w LongWait) Duration() time.Duration { return w.or(MaxWait) }

// or is Duration with another default.
func (w Wait) or(otherwise time.Duration) time.Duration {
	if !w.given {
		return otherwise
	}
	return w.wait
}

// Search is a search text of at most 200 characters: engines limit the length of a pattern.
type Search string

const maxSearchLength = 200

// MaxLength returns the maximum length, in characters, for the contract.
func (Search) MaxLength() int { return maxSearchLength }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Search) UnmarshalText(text []byte) error {
	if utf8.RuneCount(text) > maxSearchLength {
		return fmt.Errorf("must have at most %d characters", maxSearchLength)
	}
	*s = Search(text)
	return nil
}

// plainText rejects text that no column can store: invalid UTF-8 and NUL.
func plainText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

const maxReferenceLength = 100

// CheckReference returns the violated rule for the reference of a ledger entry, or nil. References
// that start with @ are reserved for this service.
func CheckReference(reference string) *apperr.Field {
	field := func(code, message string) *apperr.Field {
		return &apperr.Field{Pointer: "/reference", Code: code, Message: message}
	}
	switch {
	case reference == "":
		return field("required", "is required: it makes a repeated request safe")
	case utf8.RuneCountInString(reference) > maxReferenceLength:
		return field("max", "must have at most "+strconv.Itoa(maxReferenceLength)+" characters")
	case strings.HasPrefix(reference, "@"):
		return field("reserved", "must not start with @, which is reserved")
	case !naming.Plain(reference):
		return field("pattern", naming.Rule)
	}
	return nil
}
