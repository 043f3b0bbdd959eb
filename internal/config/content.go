package config

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/strictjson"
	"interlock/internal/edge/httpapi"
)

// contentText is the content of a config in a request.
type contentText struct {
	// Any JSON of the type `valueType`.
	Value json.RawMessage `json:"value" validate:"required,json"`
	// The type of `value`; derived from the value if absent. `number`, `boolean` and `json` may also be sent as their text in
	// a JSON string; replies contain them in that form.
	ValueType Type   `json:"valueType"`
	Remark    string `json:"remark" validate:"max=500"`
	// The JSON Schema of the value; null for none.
	Schema json.RawMessage `json:"schema" types:"object boolean null"`
}

func (t contentText) content() Content {
	content := Content{Value: string(t.Value), ValueType: t.ValueType, Remark: t.Remark, Schema: string(t.Schema)}
	if content.Schema == "null" {
		content.Schema = ""
	}
	return content
}

// newContent is the content of a config in a create request.
type newContent struct {
	Protected bool `json:"protected" default:"false"`
	// Encrypt the value at rest, and return it only to callers with `configs:secrets`. 422 if the installation has no
	// encryption key.
	Secret bool `json:"secret" default:"false"`
	contentText
}

func (n newContent) content() Content {
	content := n.contentText.content()
	content.Protected, content.Secret = n.Protected, n.Secret
	return content
}

// textOf returns a content in the format of a request.
func textOf(c Content) newContent {
	return newContent{c.Protected, c.Secret, contentText{
		Value: json.RawMessage(c.Value), ValueType: c.ValueType, Remark: c.Remark, Schema: json.RawMessage(cmp.Or(c.Schema, "null")),
	}}
}

// readContent reads the content of a config that a batch creates. Pointers of errors are
// below prefix.
func readContent(body []byte, prefix string) (Content, error) {
	var content newContent
	if err := strictjson.Decode(body, &content); err != nil {
		return Content{}, unreadable(err, prefix)
	}
	return content.content(), checkSchemaShape(content.Schema, prefix+"/schema")
}

// patchBody is a patch of a config, in the form that package change accepts.
type patchBody struct{ tree any }

// configPatch has the members that a patch can change.
type configPatch struct {
	// Members of objects are merged one by one. A merge patch cannot set a null. A caller that receives `null` in place of a
	// secret value can only replace the value as a whole.
	Value     json.RawMessage `json:"value" validate:"json"`
	ValueType Type            `json:"valueType"`
	// Null removes it.
	Schema json.RawMessage `json:"schema" types:"object boolean null"`
	Remark *string         `json:"remark" validate:"max=500"`
	// Whether changes need an approval. Removing the protection needs one.
	Protected bool `json:"protected"`
	// Whether the value is encrypted and withheld. Setting it to false requires the permission `configs:secrets`.
	Secret bool `json:"secret"`
}

// Content returns the members that a patch can change, for the contract.
func (patchBody) Content() any { return configPatch{} }

// ReadBody implements httpapi.BodyReader.
func (b *patchBody) ReadBody(text []byte) (err error) {
	b.tree, err = readPatch(text, "")
	return err
}

// ReadOperations implements httpapi.PatchReader.
func (b *patchBody) ReadOperations(text []byte) (err error) {
	b.tree, err = merge.ParseOperations(text, func(changed []byte) (any, error) { return readPatch(changed, "") })
	return err
}

// readPatch reads a merge patch of a config and checks its shape. Pointers of errors
// are below prefix.
func readPatch(body []byte, prefix string) (any, error) {
	patch, err := strictjson.DecodePatch(body, "value", "valueType", "remark", "schema", "protected", "secret")
	if err != nil {
		return nil, unreadable(err, prefix)
	}
	var content configPatch
	for _, member := range []struct {
		name string
		into any
	}{{"valueType", &content.ValueType}, {"remark", &content.Remark}, {"protected", &content.Protected}, {"secret", &content.Secret}} {
		if err := patch.Decode(member.name, member.into); err != nil {
			return nil, unreadable(err, prefix)
		}
	}
	if err := checkSchemaShape(patch.Raw("schema"), prefix+"/schema"); err != nil {
		return nil, err
	}
	var members []merge.Member
	for _, name := range patch.Names() {
		value, err := merge.Parse(patch.Raw(name))
		switch {
		case err != nil:
			return nil, err
		case name == "remark" && value == nil:
			value = ""
		}
		members = append(members, merge.Member{Name: name, Value: value})
	}
	return merge.NewObject(members...), nil
}

// checkSchemaShape rejects values that cannot be a JSON Schema: all except objects, true and false.
func checkSchemaShape(schema json.RawMessage, pointer string) error {
	switch jsontext.Value(schema).Kind() {
	case '{', 't', 'f', 'n':
		return nil
	}
	if len(schema) == 0 {
		return nil
	}
	return apperr.Malformed(pointer, "must be a JSON Schema: an object, true or false")
}

// unreadable converts an error of strictjson to MalformedRequest, with its pointer below prefix.
func unreadable(err error, prefix string) error {
	var malformed *apperr.Error
	if err = httpapi.Unreadable(err); !errors.As(err, &malformed) {
		return err
	}
	return apperr.Malformed(prefix+malformed.Fields[0].Pointer, malformed.Fields[0].Message)
}
