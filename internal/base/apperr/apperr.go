// Package apperr defines the error type that is sent to callers: a stable code, a sentence,
// and the data that the caller needs to fix the request.
//
// It is independent of HTTP; httpapi maps codes to statuses. An error that is not an *Error
// is a fault of the program or of an engine, and none of its text is sent to a client.
package apperr

import (
	"errors"
	"fmt"
	"reflect"
	"time"
	"unicode"
	"unicode/utf8"

	"interlock/internal/base/clip"
)

// Code identifies an error for programs. Codes are part of the HTTP contract and never
// change their meaning.
type Code string

// The codes of the contract.
const (
	MalformedRequest      Code = "malformed_request"
	PreconditionMalformed Code = "precondition_malformed"
	IdempotencyKeyInvalid Code = "idempotency_key_invalid"
	ActionIDInFuture      Code = "action_id_in_future"
	IdempotencyKeyReused  Code = "idempotency_key_reused"
	RequestInProgress     Code = "request_in_progress"
	IdempotencyViolation  Code = "idempotency_violation"
	InflightDuplicate     Code = "inflight_duplicate"
	SequenceSuperseded    Code = "sequence_superseded"
	QuotaExceeded         Code = "quota_exceeded"
	Unauthenticated       Code = "unauthenticated"
	InvalidCredentials    Code = "invalid_credentials"
	Forbidden             Code = "forbidden"
	CSRFFailed            Code = "csrf_failed"
	StepUpRequired        Code = "step_up_required"
	NotFound              Code = "not_found"
	Gone                  Code = "gone"
	MethodNotAllowed      Code = "method_not_allowed"
	AlreadyExists         Code = "already_exists"
	TransitionNotAllowed  Code = "transition_not_allowed"
	StatusChanged         Code = "status_changed"
	BatchConflict         Code = "batch_conflict"
	LimitReached          Code = "limit_reached"
	InsufficientStock     Code = "insufficient_stock"
	InsufficientBalance   Code = "insufficient_balance"
	PayloadMismatch       Code = "payload_mismatch"
	TotalChanged          Code = "total_changed"
	SoldOut               Code = "sold_out"
	SaleNotOpen           Code = "sale_not_open"
	QueueFull             Code = "queue_full"
	InUse                 Code = "in_use"
	ApprovalStale         Code = "approval_stale"
	VersionConflict       Code = "version_conflict"
	PayloadTooLarge       Code = "payload_too_large"
	UnsupportedMediaType  Code = "unsupported_media_type"
	ValidationFailed      Code = "validation_failed"
	ResourceLocked        Code = "resource_locked"
	PreconditionRequired  Code = "precondition_required"
	RateLimited           Code = "rate_limited"
	TooManyAttempts       Code = "too_many_attempts"
	NothingToShip         Code = "nothing_to_ship"
	Unavailable           Code = "unavailable"
	OutcomeUnknown        Code = "outcome_unknown"
	Internal              Code = "internal"
)

// Field is one invalid location of the request.
type Field struct {
	// Pointer is the JSON Pointer (RFC 6901) of the location, "" for the whole body.
	Pointer string `json:"pointer"`
	// Code is a short name of the violated rule, such as "required" or "max".
	Code string `json:"code"`
	// Message states the expected value, for display.
	Message string `json:"message"`
}

// Error is an error that may be sent to a caller.
type Error struct {
	Code   Code
	Detail string
	// Fields lists the invalid locations, for ValidationFailed and MalformedRequest.
	Fields []Field
	// Members are further members of the reply, such as "current".
	Members map[string]any
	// RetryAfter is the time that a client should wait; zero omits the header.
	RetryAfter time.Duration

	cause error
}

// New returns an error with a code and a sentence for display. It capitalizes the first
// letter, because the sentence may start with a name.
func New(code Code, format string, args ...any) *Error {
	sentence := fmt.Sprintf(format, args...)
	first, size := utf8.DecodeRuneInString(sentence)
	if unicode.IsLower(first) {
		sentence = string(unicode.ToUpper(first)) + sentence[size:]
	}
	return &Error{Code: code, Detail: sentence}
}

// Error implements error.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Detail, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Detail)
}

// Unwrap returns the cause, which is logged and never sent.
func (e *Error) Unwrap() error { return e.cause }

// Because adds the cause, which is logged and never sent.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// With adds a member to the reply.
func (e *Error) With(name string, value any) *Error {
	if e.Members == nil {
		e.Members = make(map[string]any)
	}
	e.Members[name] = value
	return e
}

// WithMembers adds the fields of a struct to the reply, by their names in JSON.
func (e *Error) WithMembers(members any) *Error {
	v := reflect.ValueOf(members)
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, value := f.Tag.Get("json"), v.FieldByIndex(f.Index)
		if value.Kind() == reflect.Pointer && !value.IsNil() {
			value = value.Elem()
		}
		if !f.Anonymous {
			e.With(name, value.Interface())
		}
	}
	return e
}

// After sets the time that the client should wait before a retry.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// Fields collects the violations of a request.
type Fields []Field

// Check adds a violation unless ok.
func (f *Fields) Check(ok bool, pointer, code, message string) {
	if !ok {
		*f = append(*f, Field{Pointer: pointer, Code: code, Message: message})
	}
}

// Invalid returns a ValidationFailed error for the violations.
func Invalid(fields ...Field) *Error {
	e := &Error{Code: ValidationFailed, Detail: "The request breaks a rule; nothing was changed.", Fields: fields}
	if len(fields) == 1 {
		e.Detail = fmt.Sprintf("%s %s.", place(fields[0].Pointer), fields[0].Message)
	}
	return e
}

// Malformed returns a MalformedRequest error that names one location of the request: in the
// body, a query parameter as "?name", or "?" for the whole query.
func Malformed(pointer, message string) *Error {
	return &Error{
		Code:   MalformedRequest,
		Detail: fmt.Sprintf("%s %s.", place(pointer), message),
		Fields: []Field{{Pointer: pointer, Code: "malformed", Message: message}},
	}
}

// maxShown is the maximum number of characters of the client's text that an error contains.
const maxShown = 128

// MissingRow returns a NotFound error, such as MissingRow("config", "a.b").
func MissingRow(kind, id string) *Error {
	return New(NotFound, "There is no %s %q.", kind, clip.Text(id, maxShown))
}

// Has reports whether err is an *Error with the code.
func Has(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

func place(pointer string) string {
	switch pointer {
	case "":
		return "The body"
	case "?":
		return "The query of the address"
	}
	return clip.Text(pointer, maxShown)
}
