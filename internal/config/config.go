package config

import (
	"fmt"
	"regexp"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
)

// Type is the type of a config's value.
type Type string

// The types of values.
const (
	String  Type = "string"
	Number  Type = "number"
	Boolean Type = "boolean"
	JSON    Type = "json"
)

// Enum returns the types.
func (Type) Enum() []string {
	return []string{string(String), string(Number), string(Boolean), string(JSON)}
}

// SchemaName returns the name of the schema in the contract.
func (Type) SchemaName() string { return "ValueType" }

// Limits of a config. Characters are Unicode code points.
const (
	MaxValueBytes  = 256 << 10
	MaxSchemaBytes = 32 << 10
	MaxRemark      = 500
	MaxNote        = 500
)

// Content is the part of a config that an edit may change.
type Content struct {
	// Value is JSON text. For the types number, boolean and json, it may also be a JSON string that
	// contains the value's text. "" is the value of a secret config that cannot be read.
	Value     string `gorm:"-"`
	ValueType Type
	// Schema is the JSON Schema that the value must meet, as JSON text; "" for none.
	Schema string `gorm:"column:value_schema"`
	Remark string
	// Protected configs change only through an approval; clearing the flag needs one too.
	Protected bool
	// Secret configs have an encrypted value, shown only to callers with SecretsPermission.
	Secret bool
}

// sameAs reports whether two contents are equal, ignoring the order and spelling of their JSON.
func (c Content) sameAs(other Content) bool {
	same := strictjson.Same(c.Value, other.Value) && strictjson.Same(c.Schema, other.Schema)
	c.Value, c.Schema = other.Value, other.Schema
	return same && c == other
}

// Config is one setting.
type Config struct {
	guard.Row
	Key string
	Content
	Stored
	Owners ownersText

	vault *vault
	// work is the request's budget for schema validation; set for a row that the request changes.
	work *work
	// hasNewValue is true if the write that produced the row sets a value.
	hasNewValue bool
	// claim is the claim of the write that produced the row, and takeOver its reason for taking
	// fields over; they are nil and "" for a user who took over no field.
	claim    *claim
	takeOver string
}

// TableName implements gorm's Tabler.
func (Config) TableName() string { return "configs" }

// Proposable implements guard.Proposable.
func (Config) Proposable() {}

// Protectable implements guard.Protectable.
func (Config) Protectable() {}

func (c *Config) label() string { return fmt.Sprintf("Config %q", c.Key) }

const (
	// ReadPermission is also checked by the search, the dashboard and the live feed.
	ReadPermission  = "configs:read"
	writePermission = "configs:write"
	// SecretsPermission is required, in addition to ReadPermission, to read the values of secret
	// configs. Callers with writePermission can replace such values without reading them.
	SecretsPermission = "configs:secrets"
	// overwritePermission is required in addition to writePermission.
	overwritePermission = "configs:overwrite"
)

const maxKey = 200

var keyPattern = regexp.MustCompile(`^[A-Za-z0-9._:/\[\]-]{1,200}$`)

// reservedKeys cannot be addressed: they are routes, or path segments that clients resolve. A key is
// one escaped path segment, so that "." and ".." between slashes of a key are no such segments.
var reservedKeys = map[string]string{
	"export":   "is the address of the export and cannot be a key",
	"import":   "is the address of the import and cannot be a key",
	"snapshot": "is the address of the snapshot and cannot be a key",
	"watch":    "is the address of the change feed and cannot be a key",
	".":        "cannot be a key: clients resolve it in URLs",
	"..":       "cannot be a key: clients resolve it in URLs",
}

// configKey is a key in a representation.
type configKey string

// Pattern returns the syntax of a key and its maximum length, in characters.
func (configKey) Pattern() (expression string, maxLength int) { return keyPattern.String(), maxKey }

// SchemaName returns the name of the schema in the contract.
func (configKey) SchemaName() string { return "ConfigKey" }

// isKey reports whether a config can have this key. It accepts reserved keys, because a config may
// have such a key from before the reservation.
func isKey(key string) bool { return keyPattern.MatchString(key) }

// checkKey validates the key of a new config.
func checkKey(key string) []apperr.Field {
	const pointer = "/key"
	switch {
	case key == "":
		return []apperr.Field{{Pointer: pointer, Code: "required", Message: "is required"}}
	case !keyPattern.MatchString(key):
		return []apperr.Field{{Pointer: pointer, Code: "pattern", Message: "must be 1 to 200 letters, digits and the characters . _ - : / [ ]"}}
	case reservedKeys[key] != "":
		return []apperr.Field{{Pointer: pointer, Code: "reserved", Message: reservedKeys[key]}}
	}
	return nil
}

// under returns the fields with their pointers below prefix.
func under(prefix string, fields []apperr.Field) []apperr.Field {
	for i := range fields {
		fields[i].Pointer = prefix + fields[i].Pointer
	}
	return fields
}

// escapePointer escapes a name as a token of a JSON pointer (RFC 6901, 3).
var escapePointer = strings.NewReplacer("~", "~0", "/", "~1").Replace
