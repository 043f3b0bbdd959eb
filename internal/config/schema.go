package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
)

const (
	// schemaURL is the base URI of a schema. No other URL can be loaded.
	schemaURL = "interlock:///schema"
	// maxSchemaFields bounds the reported violations of a value.
	maxSchemaFields = 20
	maxMessage      = 300
)

// checkSchema compiles a JSON Schema (2020-12, unless its $schema names an older draft) and
// validates the decoded value. Formats are annotations, as in the draft; patterns are RE2. The work
// is spent from w (schema_cost.go).
func checkSchema(schema string, value any, w *work) []apperr.Field {
	w.config = maxConfigWork
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return schemaFault("must be a JSON Schema")
	}
	if faults := appendTreeFaults(nil, "/schema", document, 1); len(faults) > 0 {
		return faults
	}
	compiled, err := w.compile(document, len(schema), countValues(value)*maxListCost(document))
	if _, stopped := isStop(err); stopped {
		return schemaFault("cannot be used: " + err.Error())
	}
	if err != nil {
		return schemaFault("is not a JSON Schema that can be used: " + explainSchema(err))
	}
	var invalid *jsonschema.ValidationError
	switch err := validate(compiled, value); {
	case err == nil:
		return nil
	case errors.As(err, &invalid):
		return brokenRules(invalid)
	default:
		return schemaFault("cannot be used: " + err.Error())
	}
}

func schemaFault(message string) []apperr.Field {
	return []apperr.Field{{Pointer: "/schema", Code: "schema", Message: clip.Text(message, maxMessage)}}
}

// compile compiles a schema. bytes is its size, and before is the work of comparing with the value
// once. Errors: also those for which isStop is true.
func (w *work) compile(document any, bytes int, before int64) (schema *jsonschema.Schema, err error) {
	defer catchStop(&err)
	w.spend(int64(bytes)*compileWork + before)
	compiler := jsonschema.NewCompiler()
	compiler.UseRegexpEngine(w.patterns())
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(nowhere{})
	compiler.RegisterVocabulary(w.steps(maxListCost(document)))
	compiler.AssertVocabs()
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return nil, err
	}
	return compiler.Compile(schemaURL)
}

// nowhere rejects references outside the schema: a config must not read local files or connect to
// servers.
type nowhere struct{}

func (nowhere) Load(string) (any, error) {
	return nil, errors.New("a schema can only refer to itself")
}

func validate(schema *jsonschema.Schema, value any) (err error) {
	defer catchStop(&err)
	return schema.Validate(value)
}

// catchStop converts the panic of work.spend to an error.
func catchStop(err *error) {
	p := recover()
	if stop, is := isStop(p); is {
		*err = stop
	} else if p != nil {
		panic(p)
	}
}

var english = message.NewPrinter(language.English)

// explainSchema describes the error of a schema, without the library's prefixes.
func explainSchema(err error) string {
	var invalid *jsonschema.SchemaValidationError
	var rules *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &rules) {
		leaf := rules
		for len(leaf.Causes) > 0 {
			leaf = leaf.Causes[0]
		}
		return fmt.Sprintf("%s at %q", leaf.ErrorKind.LocalizedString(english), pointerTo(leaf.InstanceLocation))
	}
	var unloadable *jsonschema.LoadURLError
	if errors.As(err, &unloadable) {
		return fmt.Sprintf("%q cannot be loaded, %v", unloadable.URL, unloadable.Err)
	}
	return strings.ReplaceAll(err.Error(), schemaURL, "")
}

// brokenRules lists the innermost violated rules.
func brokenRules(e *jsonschema.ValidationError) []apperr.Field {
	var fields []apperr.Field
	var descend func(e *jsonschema.ValidationError)
	descend = func(e *jsonschema.ValidationError) {
		if len(fields) == maxSchemaFields {
			return
		}
		if len(e.Causes) == 0 {
			fields = append(fields, apperr.Field{
				Pointer: clip.Text("/value"+pointerTo(e.InstanceLocation), maxMessage),
				Code:    keyword(e),
				Message: clip.Text("breaks its schema: "+e.ErrorKind.LocalizedString(english), maxMessage),
			})
			return
		}
		for _, cause := range e.Causes {
			descend(cause)
		}
	}
	descend(e)
	return fields
}

func keyword(e *jsonschema.ValidationError) string {
	if _, ok := e.ErrorKind.(*kind.FalseSchema); ok {
		return "schema"
	}
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		return path[0]
	}
	return "schema"
}

func pointerTo(location []string) string {
	var pointer strings.Builder
	for _, token := range location {
		pointer.WriteByte('/')
		pointer.WriteString(escapePointer(token))
	}
	return pointer.String()
}
