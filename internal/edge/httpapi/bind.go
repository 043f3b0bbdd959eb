package httpapi

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-playground/validator/v10"
	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

// maxBody is the largest body that is read, in bytes, unless a route takes more.
const maxBody = 1 << 20

const bodyKey = "httpapi.body"

// readBody takes the whole body once, so that a unit that is run again reads the
// same bytes.
func readBody(c echo.Context, limit int64) error {
	request := c.Request()
	if request.ContentLength > limit {
		return tooLarge(limit)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), request.Body, limit))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return tooLarge(limit)
	case err != nil:
		return apperr.New(apperr.MalformedRequest, "The body ended before it was complete.").Because(err)
	}
	c.Set(bodyKey, body)
	return nil
}

// Body returns the bytes of the request's body.
func Body(c echo.Context) []byte {
	body, _ := c.Get(bodyKey).([]byte)
	return body
}

// Bind decodes the body strictly into a request struct and checks its validate
// tags. What cannot be read is MalformedRequest, what breaks a rule is
// ValidationFailed; both name the places.
func Bind(c echo.Context, into any) error {
	if err := strictjson.Decode(Body(c), into); err != nil {
		return Unreadable(err)
	}
	return Validate(into)
}

// BindPatch decodes the body as a merge patch (RFC 7396) that may have the members of
// into, each read into its pointer. What cannot be read is MalformedRequest.
func BindPatch(c echo.Context, into map[string]any) (strictjson.Patch, error) {
	patch, err := strictjson.DecodePatch(Body(c), slices.Collect(maps.Keys(into))...)
	if err != nil {
		return patch, Unreadable(err)
	}
	for _, name := range patch.Names() {
		if _, err := patch.Decode(name, into[name]); err != nil {
			return patch, Unreadable(err)
		}
	}
	return patch, nil
}

// Unreadable turns an error of strictjson into MalformedRequest.
func Unreadable(err error) error {
	var at *strictjson.Error
	if errors.As(err, &at) {
		return apperr.Malformed(at.Pointer, at.Message)
	}
	return err
}

var validate = newValidator()

func newValidator() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(field reflect.StructField) string {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		return name
	})
	err := v.RegisterValidation("pattern", func(field validator.FieldLevel) bool {
		text, ok := field.Field().Interface().(patterned)
		return ok && text.Valid()
	})
	if err != nil {
		panic(err) // only for a name or a function that is empty
	}
	return v
}

// patterned is a text whose type says which texts are possible: the tag pattern asks it.
type patterned interface {
	Valid() bool
	Rule() string
}

// Validate checks the validate tags of a struct.
func Validate(value any) error {
	err := validate.Struct(value)
	var broken validator.ValidationErrors
	if !errors.As(err, &broken) {
		return err
	}
	// A namespace begins with the name of the struct's type, if it has one.
	root := reflect.Indirect(reflect.ValueOf(value)).Type().Name()
	fields := make([]apperr.Field, len(broken))
	for i, b := range broken {
		place := strings.TrimPrefix(strings.TrimPrefix(b.Namespace(), root), ".")
		fields[i] = apperr.Field{Pointer: pointer(place), Code: b.Tag(), Message: sentence(b)}
	}
	return apperr.Invalid(fields...)
}

// pointer turns "items[2].sku" into "/items/2/sku".
func pointer(path string) string {
	return "/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(path)
}

func sentence(b validator.FieldError) string {
	text := b.Kind() == reflect.String
	many := b.Kind() == reflect.Slice || b.Kind() == reflect.Map
	switch b.Tag() {
	case "required":
		return "is required"
	case "max", "lte":
		if text {
			return "must have at most " + b.Param() + " characters"
		}
		if many {
			return "must have at most " + b.Param() + " members"
		}
		return "must be at most " + b.Param()
	case "min", "gte":
		if text {
			return "must have at least " + b.Param() + " characters"
		}
		if many {
			return "must have at least " + b.Param() + " members"
		}
		return "must be at least " + b.Param()
	case "gt":
		return "must be greater than " + b.Param()
	case "oneof":
		return "must be one of " + strings.ReplaceAll(b.Param(), " ", ", ")
	case "pattern":
		if text, ok := b.Value().(patterned); ok {
			return text.Rule()
		}
	case "unique":
		return "must not name the same one twice"
	}
	return "breaks the rule " + b.Tag()
}

// IfMatch returns the caller's precondition, which the request must have.
func IfMatch(c echo.Context) (guard.Precondition, error) {
	return guard.ParsePrecondition(strings.Join(c.Request().Header.Values("If-Match"), ", "))
}

// MergesDisjoint reports whether the request asks that its patch, when stale, be merged
// with what it does not touch: ?merge=disjoint.
func MergesDisjoint(c echo.Context) (bool, error) {
	if !c.QueryParams().Has("merge") {
		return false, nil
	}
	if c.QueryParam("merge") != "disjoint" {
		return false, apperr.Malformed("?merge", "must be disjoint, or be left out")
	}
	return true, nil
}

// EditOf returns the edit that the request makes of a resource with a patch: whether it
// may be merged, and the precondition, which it must have.
func EditOf(c echo.Context, patch any) (change.Edit, error) {
	merges, err := MergesDisjoint(c)
	if err != nil {
		return change.Edit{}, err
	}
	ifMatch, err := IfMatch(c)
	if err != nil {
		return change.Edit{}, err
	}
	return change.Edit{IfMatch: ifMatch, Patch: patch, MergeDisjoint: merges}, nil
}

// OptionalIfMatch is IfMatch for transitions: nil when the caller sent none.
func OptionalIfMatch(c echo.Context) (*guard.Precondition, error) {
	if len(c.Request().Header.Values("If-Match")) == 0 {
		return nil, nil
	}
	p, err := IfMatch(c)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// PageOf reads limit, sort and cursor from the query.
func PageOf(c echo.Context) (storage.Page, error) {
	page := storage.Page{Limit: storage.DefaultLimit, Sort: c.QueryParam("sort"), Cursor: c.QueryParam("cursor")}
	if text := c.QueryParam("limit"); text != "" {
		limit, err := strconv.Atoi(text)
		if err != nil || limit < 1 || limit > storage.MaxLimit {
			return page, apperr.Malformed("?limit", "must be a whole number from 1 to "+strconv.Itoa(storage.MaxLimit))
		}
		page.Limit = limit
	}
	return page, nil
}

// List is the reply to a list request.
type List[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
	Total      int64   `json:"total"`
}

// ListOf returns one page of a list, its rows shown by view.
func ListOf[R, V any](listing storage.Listing[R], view func(R) V) List[V] {
	items := make([]V, len(listing.Rows))
	for i, row := range listing.Rows {
		items[i] = view(row)
	}
	return List[V]{Items: items, NextCursor: listing.Next, Total: listing.Total}
}

// Listed answers 200 with one page, its rows shown by view.
func Listed[R, V any](listing storage.Listing[R], view func(R) V) Reply {
	return OK(ListOf(listing, view))
}

// PathID reads a positive integer from the path. Anything else names no row, so
// it is NotFound.
func PathID(c echo.Context, name, kind string) (int64, error) {
	text := c.Param(name)
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != text {
		return 0, apperr.MissingRow(kind, text)
	}
	return id, nil
}

// PathCustomer reads what the shop calls a customer from the path. What no customer can
// be called names none, so it is NotFound.
func PathCustomer(c echo.Context, name string) (id principal.CustomerID, err error) {
	text := c.Param(name)
	if id.UnmarshalText([]byte(text)) != nil {
		return "", apperr.MissingRow("user", text)
	}
	return id, nil
}

// CustomerParam reads what the shop calls a customer from the query; none is "".
func CustomerParam(c echo.Context, name string) (id principal.CustomerID, err error) {
	text := c.QueryParam(name)
	if text == "" {
		return "", nil
	}
	if err := id.UnmarshalText([]byte(text)); err != nil {
		return "", apperr.Malformed("?"+name, err.Error())
	}
	return id, nil
}

// plainText refuses what no column can keep: invalid UTF-8 and NUL.
func plainText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// TimeParam reads an RFC 3339 time from the query; none is the zero time.
func TimeParam(c echo.Context, name string) (time.Time, error) {
	text := c.QueryParam(name)
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if year := at.UTC().Year(); err != nil || year < 1 || year > 9999 {
		return time.Time{}, apperr.Malformed("?"+name, "must be a time in RFC 3339, such as 2026-11-21T08:00:00Z")
	}
	return at.UTC(), nil
}
