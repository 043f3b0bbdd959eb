package merge

import (
	"encoding/json"
	"reflect"
	"strconv"

	"interlock/internal/base/strictjson"
)

// Equal reports whether two trees contain the same JSON value: members in any order,
// numbers by exact decimal value (1, 1.0 and 100e-2 are equal, and so are 0 and -0),
// strings by code point.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case *Object, map[string]any:
		x, _ := ObjectOf(a)
		y, ok := ObjectOf(b)
		return ok && x.sameAs(y)
	case []any:
		b, ok := b.([]any)
		return ok && equalArrays(a, b)
	case string:
		b, ok := b.(string)
		return ok && a == b
	}
	if x, ok := numberText(a); ok {
		y, ok := numberText(b)
		return ok && (x == y || strictjson.CanonicalNumber(x) == strictjson.CanonicalNumber(y))
	}
	return reflect.DeepEqual(a, b)
}

func equalArrays(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalValues(a, b Value) bool {
	return a.Present == b.Present && (!a.Present || Equal(a.JSON, b.JSON))
}

func numberText(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return v.String(), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	}
	return "", false
}
