package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-playground/validator/v10"
	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/naming"
	"interlock/internal/base/strictjson"
)

// maxBody is the maximum size of a body, in bytes, unless the route sets another.
const maxBody = 1 << 20

// maxOpenBody is the maximum size of a body on a route without authentication, in bytes.
const maxOpenBody = 16 << 10

const bodyKey = "httpapi.body"

// readBody reads the complete body, so that each run of the unit of work reads the same bytes.
func readBody(c echo.Context, limit int64) error {
	request := c.Request()
	if coding := request.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return apperr.New(apperr.MalformedRequest, "Compressed bodies are not supported; send plain JSON without Content-Encoding.")
	}
	if request.ContentLength > limit {
		return tooLarge(limit)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), request.Body, limit))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return tooLarge(limit)
	case errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return apperr.New(apperr.MalformedRequest, "The body did not arrive in time. Send it again, over a faster link or in parts.").Because(err)
	case err != nil:
		return apperr.New(apperr.MalformedRequest, "The body ended before it was complete.").Because(err)
	}
	c.Set(bodyKey, body)
	return nil
}

// bodyOf returns the bytes from readBody.
func bodyOf(c echo.Context) []byte {
	body, _ := c.Get(bodyKey).([]byte)
	return body
}

// Unreadable turns an error of strictjson into MalformedRequest, or into ValidationFailed for a
// well-formed value that breaks a rule.
func Unreadable(err error) error {
	var at *strictjson.Error
	switch {
	case !errors.As(err, &at):
		return err
	case at.Code != "":
		return apperr.Invalid(apperr.Field{Pointer: at.Pointer, Code: at.Code, Message: at.Message})
	default:
		return apperr.Malformed(at.Pointer, at.Message)
	}
}

// embedded is the name of embedded structs in a namespace. It is the name of no member, and pointer
// removes it, because JSON has the members of an embedded struct in the outer object.
const embedded = "\x00"

var validate = newValidator()

func newValidator() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(field reflect.StructField) string {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" && field.Anonymous {
			return embedded
		}
		return name
	})
	for tag, rule := range map[string]validator.Func{
		"pattern": func(field validator.FieldLevel) bool {
			text, ok := field.Field().Interface().(patterned)
			return ok && text.Valid()
		},
		"enum": func(field validator.FieldLevel) bool {
			value, ok := field.Field().Interface().(enumerated)
			return ok && slices.Contains(value.Enum(), field.Field().String())
		},
		"name": func(field validator.FieldLevel) bool {
			return len(nameViolations("", field.Field().String(), field.Param())) == 0
		},
		"reference": func(field validator.FieldLevel) bool { return CheckReference(field.Field().String()) == nil },
		"range": func(field validator.FieldLevel) bool {
			least, most := bounds(field.Param())
			return field.Field().Int() >= least && field.Field().Int() <= most
		},
		"nonzero": func(field validator.FieldLevel) bool { return !field.Field().IsZero() },
	} {
		if err := v.RegisterValidation(tag, rule, tag == "name" || tag == "reference"); err != nil {
			panic(err) // only for a name or a function that is empty
		}
	}
	return v
}

// patterned is a string type with a rule for its values. The validate tag "pattern" checks it.
type patterned interface {
	Valid() bool
	Rule() string
}

// enumerated is a string type with a fixed set of values. The validate tag "enum" checks it.
type enumerated interface{ Enum() []string }

// nameViolations returns the violations of the validate tag "name". The parameter of the tag is the
// maximum length.
func nameViolations(pointer, text, maxLength string) apperr.Fields {
	longest, err := strconv.Atoi(maxLength)
	if err != nil {
		panic("httpapi: the tag name needs a maximum length: " + maxLength)
	}
	return naming.Check(pointer, text, longest)
}

// Validate checks the validate tags of a struct.
func Validate(value any) error {
	err := validate.Struct(value)
	var broken validator.ValidationErrors
	if !errors.As(err, &broken) {
		return err
	}
	// A namespace starts with the name of the struct's type, if it has one.
	root := reflect.Indirect(reflect.ValueOf(value)).Type().Name()
	var fields apperr.Fields
	for _, b := range broken {
		location := pointer(strings.TrimPrefix(strings.TrimPrefix(b.Namespace(), root), "."))
		fields = append(fields, violations(location, b)...)
	}
	return apperr.Invalid(fields...)
}

// violations returns the violations of one field. Unless a case is listed here, the code of a
// violation is its tag.
func violations(location string, b validator.FieldError) apperr.Fields {
	switch b.Tag() {
	case "enum":
		if value, ok := b.Value().(enumerated); ok {
			return apperr.Fields{{Pointer: location, Code: "oneof", Message: "must be one of " + strings.Join(value.Enum(), ", ")}}
		}
	case "name":
		if text, ok := b.Value().(string); ok {
			return nameViolations(location, text, b.Param())
		}
	case "reference":
		if text, ok := b.Value().(string); ok {
			violation := CheckReference(text)
			violation.Pointer = location
			return apperr.Fields{*violation}
		}
	case "excluded_if":
		return apperr.Fields{{Pointer: location, Code: "excluded", Message: "must be omitted"}}
	case "required_if":
		return apperr.Fields{{Pointer: location, Code: "required", Message: "is required"}}
	}
	return apperr.Fields{{Pointer: location, Code: b.Tag(), Message: sentence(b)}}
}

// pointer turns "items[2].sku" into "/items/2/sku".
func pointer(path string) string {
	return "/" + strings.NewReplacer(embedded+".", "", ".", "/", "[", "/", "]", "").Replace(path)
}

func sentence(b validator.FieldError) string {
	text := b.Kind() == reflect.String
	many := b.Kind() == reflect.Slice || b.Kind() == reflect.Map
	switch b.Tag() {
	case "required":
		return "is required"
	case "max", "lte":
		if text {
			return "must have at most " + countOf(b.Param(), "character")
		}
		if many {
			return "must have at most " + countOf(b.Param(), "member")
		}
		return "must be at most " + b.Param()
	case "min", "gte":
		if text {
			return "must have at least " + countOf(b.Param(), "character")
		}
		if many {
			return "must have at least " + countOf(b.Param(), "member")
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
	case "range":
		least, most := bounds(b.Param())
		return fmt.Sprintf("must be from %d to %d", least, most)
	case "nonzero":
		return "must not be 0"
	case "unique":
		return "must not name the same one twice"
	case "email":
		return "must be an email address"
	case "iso3166_1_alpha2":
		return "must be a country code of ISO 3166-1 with two capital letters"
	}
	return "breaks the rule " + b.Tag()
}

// bounds returns the two parameters of the validate tag "range".
func bounds(param string) (least, most int64) {
	if _, err := fmt.Sscan(param, &least, &most); err != nil {
		panic("httpapi: the tag range needs two numbers: " + param)
	}
	return least, most
}

// countOf writes "1 member" and "2 members".
func countOf(n, of string) string {
	if n != "1" {
		of += "s"
	}
	return n + " " + of
}
