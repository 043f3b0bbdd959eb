package httpapi

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
)

// How long a request waits for the locks that its operation needs.
const (
	DefaultWait = 3 * time.Second
	LongestWait = 10 * time.Second
)

// WaitParam reads ?wait, in ms from 0 to 10000: how long to wait for a lock. 0 fails at
// once when it is held; without it DefaultWait.
func WaitParam(c echo.Context) (time.Duration, error) { return WaitParamOr(c, DefaultWait) }

// WaitParamOr is WaitParam with a default of the route's own.
func WaitParamOr(c echo.Context, otherwise time.Duration) (time.Duration, error) {
	text := c.QueryParam("wait")
	if text == "" {
		return otherwise, nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms < 0 || ms > LongestWait.Milliseconds() {
		return 0, apperr.Malformed("?wait", "must be a whole number of milliseconds from 0 to "+strconv.FormatInt(LongestWait.Milliseconds(), 10))
	}
	return time.Duration(ms) * time.Millisecond, nil
}

const longestReference = 100

// CheckReference returns what is wrong with the reference by which a caller names an
// entry of a ledger, or nil. One that begins with @ is this service's own.
func CheckReference(reference string) *apperr.Field {
	field := func(code, message string) *apperr.Field {
		return &apperr.Field{Pointer: "/reference", Code: code, Message: message}
	}
	switch {
	case reference == "":
		return field("required", "is required: it makes a repeated request harmless")
	case utf8.RuneCountInString(reference) > longestReference:
		return field("max", "must have at most "+strconv.Itoa(longestReference)+" characters")
	case strings.HasPrefix(reference, "@"):
		return field("reserved", "must not begin with @: those are this service's own")
	// An engine takes texts that differ in spaces at their end for the same.
	case strings.TrimSpace(reference) != reference, strings.ContainsFunc(reference, unicode.IsControl):
		return field("pattern", "must have no spaces at its ends and no control characters")
	}
	return nil
}
