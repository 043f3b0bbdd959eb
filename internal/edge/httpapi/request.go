package httpapi

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-playground/validator/v10"
	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
)

// A route declares its request as a struct. The type or the tag of a field states its source:
//
//	UserID  string              `path:"userId" of:"user"`  a path parameter; NotFound if it cannot be parsed
//	Status  string              `query:"status"`           an optional query parameter; others are rejected
//	Query   url.Values                                     the whole query; then no parameter is rejected
//	After   string              `header:"Last-Event-ID"`   a header
//	Session string              `cookie:"session"`         a cookie, "" without one
//	Page                                                   an embedded struct of such fields
//	Body    entryRequest                                   the body, strict JSON that satisfies its validate tags; a pointer is nil without a body, []byte is the text
//	IfMatch guard.Precondition                             required; optional as a pointer
//	Request *http.Request                                  the request
//	Address Address                                        the caller's IP address
//	Secure  Secure                                         whether the request came over TLS
//	Key     Key                                            the idempotency key, for a route without a unit of work
//
// A parameter is a string, an integer from 1 (or from the tag min), a bool, a time (as a pointer,
// nil if absent), or an encoding.TextUnmarshaler whose error states the expected text. A []string
// in the query is a comma-separated list, or a repeated parameter. A type that implements Needing
// has further requirements. A body that implements BodyReader parses itself. With the tag
// validate:"-" on Body, the service checks the body's rules, after the precondition. After parsing,
// the request is checked in this order: its method Check, if it has one; the validate tags of the
// query; the precondition.

// BodyReader is a body with its own syntax, such as a merge patch.
type BodyReader interface {
	// ReadBody parses the body. Errors: of package strictjson, or MalformedRequest.
	ReadBody(text []byte) error
}

// Needing is implemented by the type of a query parameter that requires a further permission or a
// recent second factor.
type Needing interface {
	// Needs returns the requirements; the shape adds the name of the parameter.
	Needs() Need
}

// PatchReader is the body of a PATCH: a merge patch (RFC 7396), or a JSON Patch (RFC 6902).
type PatchReader interface {
	BodyReader
	// ReadOperations parses a JSON Patch. Errors: as of BodyReader.
	ReadOperations(text []byte) error
}

// The media types of a PATCH. A body without a type, or of type application/json, is a merge patch.
const (
	mimeMergePatch = "application/merge-patch+json"
	mimeJSONPatch  = "application/json-patch+json"
)

// readPatch parses the body of a PATCH by its media type.
func readPatch(mediaType string, text []byte, into PatchReader) error {
	switch name, _, err := mime.ParseMediaType(mediaType); {
	case mediaType == "", err == nil && (name == mimeMergePatch || name == echo.MIMEApplicationJSON):
		return Unreadable(into.ReadBody(text))
	case err == nil && name == mimeJSONPatch:
		return Unreadable(into.ReadOperations(text))
	}
	return apperr.New(apperr.UnsupportedMediaType, "Send a PATCH as %s or %s.", mimeMergePatch, mimeJSONPatch)
}

// checker is implemented by requests with rules that need no row.
type checker interface{ Check() error }

// shape is the parsed declaration of a request type.
type shape struct {
	path, query, header, cookie []field
	// The indexes of the fields that their type, or the name Body, identifies; nil for none.
	body, precondition, request, address, secure, key, wholeQuery []int
	// mustMatch is true if the precondition is required.
	mustMatch bool
	// isUnchecked is true if the service checks the rules of the body.
	isUnchecked bool
	// needs are the requirements of the query parameters.
	needs  []Need
	hidden hiddenMembers
}

type field struct {
	index []int
	name  string
	// of is the kind of record that a path parameter identifies.
	of   string
	read reader
	// rules is the validate tag.
	rules string
}

// shapeOf parses the tags of a request type. It panics on an invalid declaration, when the route
// is registered.
func shapeOf[In any]() *shape {
	s := &shape{}
	t := reflect.TypeFor[In]()
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("httpapi: a request is a struct, and %s is none", t))
	}
	s.add(t, nil)
	return s
}

func (s *shape) add(t reflect.Type, at []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		switch {
		case s.addParameter(t, f, index):
		case f.Name == "Body":
			s.body, s.hidden, s.isUnchecked = index, hiddenMembersOf(f.Type), f.Tag.Get("validate") == "-"
		case f.Type == reflect.TypeFor[guard.Precondition]():
			s.precondition, s.mustMatch = index, true
		case f.Type == reflect.TypeFor[*guard.Precondition]():
			s.precondition = index
		case f.Type == reflect.TypeFor[*http.Request]():
			s.request = index
		case f.Type == reflect.TypeFor[url.Values]():
			s.wholeQuery = index
		case f.Type == reflect.TypeFor[Address]():
			s.address = index
		case f.Type == reflect.TypeFor[Secure]():
			s.secure = index
		case f.Type == reflect.TypeFor[Key]():
			s.key = index
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			s.add(f.Type, index)
		default:
			panic(fmt.Sprintf("httpapi: nothing says where %s.%s comes from", t, f.Name))
		}
	}
}

// addParameter adds a field with a tag for the path, the query, a header or a cookie, and reports
// whether the field has one.
func (s *shape) addParameter(t reflect.Type, f reflect.StructField, index []int) bool {
	for _, place := range []struct {
		tag  string
		list *[]field
	}{{"path", &s.path}, {"query", &s.query}, {"header", &s.header}, {"cookie", &s.cookie}} {
		name := f.Tag.Get(place.tag)
		if name == "" {
			continue
		}
		read := readerOf(f)
		if read == nil || place.tag == "cookie" && f.Type.Kind() != reflect.String {
			panic(fmt.Sprintf("httpapi: a %s cannot be read into %s.%s, a %s", place.tag, t, f.Name, f.Type))
		}
		*place.list = append(*place.list, field{index: index, name: name, of: f.Tag.Get("of"), read: read, rules: f.Tag.Get("validate")})
		plain := f.Type
		if plain.Kind() == reflect.Pointer {
			plain = plain.Elem()
		}
		if needing, ok := reflect.Zero(plain).Interface().(Needing); ok && place.tag == "query" {
			need := needing.Needs()
			need.Parameter = name
			s.needs = append(s.needs, need)
		}
		return true
	}
	return false
}

// receive reads the resource and then the request.
func receive[R, In any](c echo.Context, s *shape, find Find[R]) (row R, in In, err error) {
	if row, err = find(c.Request().Context(), Path{c}); err != nil {
		return row, in, err
	}
	return row, in, s.read(c, &in)
}

// read parses a request into a pointer to its struct.
func (s *shape) read(c echo.Context, into any) error {
	v := reflect.ValueOf(into).Elem()
	for _, f := range s.path {
		text := c.Param(f.name)
		if err := f.parse(text, v); err != nil {
			return apperr.MissingRow(f.of, text)
		}
	}
	if err := s.readQuery(c.QueryParams(), v); err != nil {
		return err
	}
	for _, f := range s.header {
		text := c.Request().Header.Get(f.name)
		if text == "" {
			continue
		}
		if err := f.parse(text, v); err != nil {
			return apperr.Malformed(f.name, err.Error())
		}
	}
	for _, f := range s.cookie {
		if cookie, err := c.Cookie(f.name); err == nil {
			v.FieldByIndex(f.index).SetString(cookie.Value)
		}
	}
	if s.request != nil {
		v.FieldByIndex(s.request).Set(reflect.ValueOf(c.Request()))
	}
	if s.address != nil {
		v.FieldByIndex(s.address).SetString(c.RealIP())
	}
	if s.secure != nil {
		v.FieldByIndex(s.secure).SetBool(c.Get(secureKey) != nil)
	}
	if s.key != nil {
		key, err := IdempotencyKey(c.Request())
		if err != nil {
			return err
		}
		v.FieldByIndex(s.key).SetString(key)
	}
	if err := s.readBody(c, v); err != nil {
		return err
	}
	if asks, ok := into.(checker); ok {
		if err := asks.Check(); err != nil {
			return err
		}
	}
	for _, f := range s.query {
		if err := f.validate(v); err != nil {
			return err
		}
	}
	return s.readPrecondition(c, v)
}

func (s *shape) readQuery(query url.Values, v reflect.Value) error {
	if s.wholeQuery != nil {
		v.FieldByIndex(s.wholeQuery).Set(reflect.ValueOf(query))
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.ContainsFunc(s.query, func(f field) bool { return f.name == name }) {
			return apperr.Malformed("?"+name, s.unknown())
		}
	}
	for _, f := range s.query {
		values := query[f.name]
		if len(values) == 0 {
			continue
		}
		if len(values) > 1 && v.FieldByIndex(f.index).Kind() != reflect.Slice {
			return apperr.Malformed("?"+f.name, "was given more than once")
		}
		if err := f.parse(strings.Join(values, ","), v); err != nil {
			return badParameter("?"+f.name, err)
		}
	}
	return nil
}

// badParameter returns MalformedRequest, or ValidationFailed for a time out of range.
func badParameter(place string, err error) error {
	if errors.Is(err, clock.ErrRange) {
		return apperr.Invalid(apperr.Field{Pointer: place, Code: "range", Message: err.Error()})
	}
	return apperr.Malformed(place, err.Error())
}

func (s *shape) unknown() string {
	if len(s.query) == 0 {
		return "is not known: this route takes no parameters"
	}
	names := make([]string, len(s.query))
	for i, f := range s.query {
		names[i] = f.name
	}
	slices.Sort(names)
	return "is not known: this route takes " + strings.Join(names, ", ")
}

func (s *shape) readBody(c echo.Context, v reflect.Value) error {
	text := bodyOf(c)
	if s.body == nil {
		if len(text) == 0 || reads(c.Request()) {
			return nil
		}
		return Unreadable(strictjson.Decode(text, &struct{}{}))
	}
	place := v.FieldByIndex(s.body)
	if place.Kind() == reflect.Pointer {
		if len(text) == 0 {
			return nil
		}
		place.Set(reflect.New(place.Type().Elem()))
	} else {
		place = place.Addr()
	}
	switch into := place.Interface().(type) {
	case *[]byte:
		*into = text
		return nil
	case PatchReader:
		return readPatch(c.Request().Header.Get(echo.HeaderContentType), text, into)
	case BodyReader:
		return Unreadable(into.ReadBody(text))
	default:
		if err := strictjson.Decode(text, into); err != nil {
			return Unreadable(err)
		}
		if s.isUnchecked {
			return nil
		}
		return Validate(into)
	}
}

func (s *shape) readPrecondition(c echo.Context, v reflect.Value) error {
	values := c.Request().Header.Values("If-Match")
	if s.precondition == nil || len(values) == 0 && !s.mustMatch {
		return nil
	}
	p, err := guard.ParsePrecondition(strings.Join(values, ", "))
	if err != nil {
		return err
	}
	if s.mustMatch {
		v.FieldByIndex(s.precondition).Set(reflect.ValueOf(p))
	} else {
		v.FieldByIndex(s.precondition).Set(reflect.ValueOf(&p))
	}
	return nil
}

// parse reads a text into the field. Its errors state the expected text. An empty text leaves a
// field unchanged, unless the field is a pointer: its type then parses the empty text.
func (f field) parse(text string, request reflect.Value) error {
	into := request.FieldByIndex(f.index)
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	} else if text == "" {
		return nil
	}
	return f.read(text, into)
}

// validate checks the validate tag of a parameter.
func (f field) validate(request reflect.Value) error {
	var broken validator.ValidationErrors
	if f.rules != "" && errors.As(validate.Var(request.FieldByIndex(f.index).Interface(), f.rules), &broken) {
		return apperr.Malformed("?"+f.name, sentence(broken[0]))
	}
	return nil
}

// reader parses a text into a value of one type.
type reader func(text string, into reflect.Value) error

// readerOf returns the reader of a field's type, or of its element type if it is a pointer; nil
// if a parameter cannot have that type.
func readerOf(f reflect.StructField) reader {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return readTime
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return readByItself
	case t == reflect.TypeFor[[]string]():
		return readList
	}
	switch t.Kind() {
	case reflect.String:
		return readString
	case reflect.Int64, reflect.Int:
		return numberFrom(f.Tag.Get("min"))
	case reflect.Bool:
		return readBool
	default:
		return nil
	}
}

func readByItself(text string, into reflect.Value) error {
	return into.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
}

func readList(text string, into reflect.Value) error {
	into.Set(reflect.ValueOf(strings.Split(text, ",")))
	return nil
}

func readString(text string, into reflect.Value) error {
	if !plainText(text) {
		return errors.New("must be text without NUL")
	}
	into.SetString(text)
	return nil
}

// numberFrom returns the reader of integers from a minimum, 1 by default.
func numberFrom(named string) reader {
	least, err := strconv.ParseInt(named, 10, 64)
	if err != nil {
		least = 1
	}
	return func(text string, into reflect.Value) error {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < least || strconv.FormatInt(n, 10) != text {
			return fmt.Errorf("must be a whole number from %d", least)
		}
		into.SetInt(n)
		return nil
	}
}

func readBool(text string, into reflect.Value) error {
	if text != "true" && text != "false" {
		return errors.New("must be true or false")
	}
	into.SetBool(text == "true")
	return nil
}

func readTime(text string, into reflect.Value) error {
	at, err := clock.Parse(text)
	into.Set(reflect.ValueOf(at))
	return err //nolint:wrapcheck // its text is what the parameter must be
}
