package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Documents are trees of nil, bool, string, json.Number, []any and map[string]any. Objects are
// compared by member, other values as a whole. Numbers are compared by exact decimal value and are
// not reformatted. The service and the web admin compare alike; api/merge-cases.json tests all
// three.

// Difference is a JSON Pointer that both sides changed, with the value on each side; nil if the
// side has no value there.
type Difference struct {
	// Pointer is the JSON Pointer (RFC 6901).
	Pointer string          `json:"pointer"`
	Base    json.RawMessage `json:"base,omitempty"`
	Yours   json.RawMessage `json:"yours,omitempty"`
	Theirs  json.RawMessage `json:"theirs,omitempty"`
}

// Comparison is the result of a three-way comparison.
type Comparison struct {
	Conflicts  []Difference
	TheirsOnly []string
	YoursOnly  []string
	// Merged contains both edits; nil if there are conflicts.
	Merged json.RawMessage
}

// ThreeWay compares two edits of base. A JSON Pointer is contested if both edits changed it, even
// to the same value, or if one edit changed a member of a value that the other edit replaced.
func ThreeWay(base, yours, theirs json.RawMessage) (Comparison, error) {
	var sides [3]any
	for i, text := range []json.RawMessage{base, yours, theirs} {
		tree, err := parse(text)
		if err != nil {
			return Comparison{}, err
		}
		sides[i] = tree
	}
	var m merger
	merged := m.merge("", value{sides[0], true}, value{sides[1], true}, value{sides[2], true})
	slices.SortFunc(m.Conflicts, func(a, b Difference) int { return cmp.Compare(a.Pointer, b.Pointer) })
	slices.Sort(m.TheirsOnly)
	slices.Sort(m.YoursOnly)
	if len(m.Conflicts) == 0 {
		m.Merged = merged.text()
	}
	return m.Comparison, nil
}

// value is a JSON value that may be absent.
type value struct {
	tree    any
	present bool
}

func (v value) object() (map[string]any, bool) {
	object, ok := v.tree.(map[string]any)
	return object, ok
}

func (v value) text() json.RawMessage {
	if !v.present {
		return nil
	}
	// A parsed tree can always be encoded.
	text, _ := encode(v.tree)
	return text
}

func (v value) equal(w value) bool {
	return v.present == w.present && (!v.present || equal(v.tree, w.tree))
}

func member(object map[string]any, name string) value {
	tree, present := object[name]
	return value{tree, present}
}

type merger struct{ Comparison }

func (m *merger) merge(at string, base, yours, theirs value) value {
	b, baseIs := base.object()
	y, yoursIs := yours.object()
	t, theirsIs := theirs.object()
	if baseIs && yoursIs && theirsIs {
		return m.mergeObjects(at, b, y, t)
	}
	yoursChanged, theirsChanged := !base.equal(yours), !base.equal(theirs)
	switch {
	case yoursChanged && theirsChanged:
		m.Conflicts = append(m.Conflicts, Difference{at, base.text(), yours.text(), theirs.text()})
		return value{}
	case yoursChanged:
		m.YoursOnly = appendChanged(m.YoursOnly, at, base, yours)
		return yours
	case theirsChanged:
		m.TheirsOnly = appendChanged(m.TheirsOnly, at, base, theirs)
	}
	return theirs
}

func (m *merger) mergeObjects(at string, base, yours, theirs map[string]any) value {
	merged := make(map[string]any, len(theirs))
	for name := range names(base, yours, theirs) {
		v := m.merge(below(at, name), member(base, name), member(yours, name), member(theirs, name))
		if v.present {
			merged[name] = v.tree
		}
	}
	return value{merged, true}
}

func appendChanged(pointers []string, at string, before, after value) []string {
	b, wasObject := before.object()
	a, isObject := after.object()
	if !wasObject || !isObject {
		if before.equal(after) {
			return pointers
		}
		return append(pointers, at)
	}
	for name := range names(b, a) {
		pointers = appendChanged(pointers, below(at, name), member(b, name), member(a, name))
	}
	return pointers
}

func names(objects ...map[string]any) map[string]struct{} {
	all := map[string]struct{}{}
	for _, object := range objects {
		for name := range object {
			all[name] = struct{}{}
		}
	}
	return all
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

func below(at, name string) string { return at + "/" + pointerEscaper.Replace(name) }

// patchBetween returns the merge patch (RFC 7396) from before to after. A merge patch cannot
// express nulls inside new objects; callers detect this with [applied].
func patchBetween(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for name := range names(before, after) {
		was, is := member(before, name), member(after, name)
		b, wasObject := was.object()
		a, isObject := is.object()
		switch {
		case was.equal(is):
		case !is.present:
			patch[name] = nil
		case wasObject && isObject:
			patch[name] = patchBetween(b, a)
		default:
			patch[name] = is.tree
		}
	}
	return patch
}

// applied returns the document after a merge patch (RFC 7396, section 2).
func applied(doc, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	target, _ := doc.(map[string]any)
	result := make(map[string]any, len(target)+len(changes))
	for name, tree := range target {
		result[name] = tree
	}
	for name, change := range changes {
		if change == nil {
			delete(result, name)
			continue
		}
		result[name] = applied(result[name], change)
	}
	return result
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name := range a {
			if !member(a, name).equal(member(b, name)) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || decimalOf(a.String()) == decimalOf(b.String()))
	}
	return reflect.DeepEqual(a, b)
}

// decimal is a number as ±digits × 10^exponent in normal form: digits neither start nor end with
// zero. Exponents of more than 18 digits stay text and are compared by spelling, which can only
// report a needless conflict.
type decimal struct {
	negative bool
	digits   string
	exponent int64
	remote   string
}

func decimalOf(text string) decimal {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return decimal{}
	}
	d := decimal{negative: negative, digits: significant, exponent: int64(len(digits) - len(significant) - len(fraction))}
	exponent, descending := strings.CutPrefix(strings.TrimPrefix(exponent, "+"), "-")
	exponent = strings.TrimLeft(exponent, "0")
	sign := ""
	if descending {
		sign = "-"
	}
	const most = 18
	if len(exponent) > most {
		d.remote = sign + exponent
		return d
	}
	if exponent != "" {
		shift, err := strconv.ParseInt(sign+exponent, 10, 64)
		if err != nil {
			return decimal{remote: text} // not a JSON number: equal to itself only
		}
		d.exponent += shift
	}
	return d
}

func parse(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("parse JSON document: %w", err)
	}
	return tree, nil
}

// encode writes a value as compact JSON without escapes for HTML.
func encode(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}
