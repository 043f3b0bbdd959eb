package merge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"interlock/internal/base/strictjson"
)

// Operations is a JSON Patch (RFC 6902) on documents with members that a merge patch can set too.
type Operations struct {
	operations []operation
	// check reads changed members as a merge patch of the same document. Errors: those of the
	// members' types.
	check func(text []byte) (any, error)
}

type operation struct {
	kind  string
	path  string
	value json.RawMessage
	patch jsonpatch.Patch
}

const (
	// maxOperations bounds a patch: each operation reads the document once.
	maxOperations = 100
	// maxPatched bounds a document that operations make, in bytes: copies can double it.
	maxPatched = 4 << 20
)

// OperationError is an operation that does not apply to a document.
type OperationError struct {
	// Index is the position of the operation in the patch.
	Index int
	// IsTest is set for a test of a value that the document does not have.
	IsTest bool
}

func (e *OperationError) Error() string {
	if e.IsTest {
		return "tests for a value that the resource does not have"
	}
	return "cannot be applied: the resource has nothing at its path, or nothing that the operation can change"
}

// ParseOperations reads a JSON Patch. check reads the members that it changes as a merge patch.
// Errors: of package strictjson.
func ParseOperations(text []byte, check func(text []byte) (any, error)) (Operations, error) {
	var list []struct {
		Op    string          `json:"op"`
		Path  *string         `json:"path"`
		From  *string         `json:"from"`
		Value json.RawMessage `json:"value"`
	}
	if err := strictjson.Decode(text, &list); err != nil {
		return Operations{}, err
	}
	if len(list) == 0 || len(list) > maxOperations {
		return Operations{}, &strictjson.Error{Message: fmt.Sprintf("must have 1 to %d operations", maxOperations)}
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return Operations{}, &strictjson.Error{Message: "is not a JSON Patch (RFC 6902)"}
	}
	operations := make([]operation, len(list))
	for i, op := range list {
		at := fmt.Sprintf("/%d", i)
		needsValue := op.Op == "add" || op.Op == "replace" || op.Op == "test"
		needsFrom := op.Op == "move" || op.Op == "copy"
		switch {
		case !needsValue && !needsFrom && op.Op != "remove":
			return Operations{}, &strictjson.Error{Pointer: at + "/op", Message: "must be one of add, remove, replace, move, copy, test"}
		case op.Path == nil || !strings.HasPrefix(*op.Path, "/"):
			return Operations{}, &strictjson.Error{Pointer: at + "/path", Message: "must be a JSON Pointer to a member of the resource, such as /name"}
		case needsValue && op.Value == nil:
			return Operations{}, &strictjson.Error{Pointer: at + "/value", Message: "is required"}
		case needsFrom && (op.From == nil || !strings.HasPrefix(*op.From, "/")):
			return Operations{}, &strictjson.Error{Pointer: at + "/from", Message: "must be a JSON Pointer to a member of the resource, such as /name"}
		}
		operations[i] = operation{kind: op.Op, path: *op.Path, value: op.Value, patch: patch[i : i+1]}
	}
	return Operations{operations: operations, check: check}, nil
}

// whole is a value in a merge patch that replaces another value without a merge, so that its nulls
// are preserved.
type whole struct{ value any }

// MarshalJSON writes the value.
func (w whole) MarshalJSON() ([]byte, error) { return Encode(w.value) }

// MergePatch returns the merge patch that changes a document as the operations do. It contains each
// changed member with its complete new value. Errors: OperationError; those of check.
func (o Operations) MergePatch(document any) (map[string]any, error) {
	text, err := Encode(document)
	if err != nil {
		return nil, err
	}
	before, err := Parse(text)
	if err != nil {
		return nil, err
	}
	for i, op := range o.operations {
		if text, err = op.apply(text); err != nil {
			return nil, &OperationError{Index: i, IsTest: op.kind == "test"}
		}
	}
	after, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return o.changes(before, after)
}

// changes returns the members that differ, as check reads them.
func (o Operations) changes(before, after any) (map[string]any, error) {
	from, _ := ObjectOf(before)
	to, _ := ObjectOf(after)
	changed := newObject(to.Len())
	for name := range from.All() {
		if _, stays := to.Get(name); !stays {
			changed.add(name, nil)
		}
	}
	for name, value := range to.All() {
		if was, present := from.Get(name); !present || !Equal(was, value) {
			changed.add(name, value)
		}
	}
	text, err := Encode(changed)
	if err != nil {
		return nil, err
	}
	checked, err := o.check(text)
	if err != nil {
		return nil, err
	}
	members, _ := ObjectOf(checked)
	patch := make(map[string]any, members.Len())
	for name, value := range members.All() {
		if _, isObject := ObjectOf(value); isObject {
			value = whole{value}
		}
		patch[name] = value
	}
	return patch, nil
}

var errTestFailed = errors.New("the value differs")

// apply applies one operation to a document. A test compares as [Equal] does; the library compares
// the spelling of numbers.
func (o operation) apply(text []byte) ([]byte, error) {
	if o.kind == "test" {
		return text, o.test(text)
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices, options.EscapeHTML, options.AccumulatedCopySizeLimit = false, false, maxPatched
	text, err := o.patch.ApplyWithOptions(text, options)
	if err != nil {
		return nil, fmt.Errorf("apply a JSON Patch: %w", err)
	}
	if len(text) > maxPatched {
		return nil, fmt.Errorf("a JSON Patch makes more than %d bytes", maxPatched)
	}
	return text, nil
}

func (o operation) test(text []byte) error {
	tree, err := Parse(text)
	if err != nil {
		return err
	}
	want, err := Parse(o.value)
	if err != nil {
		return err
	}
	for _, token := range strings.Split(o.path, "/")[1:] {
		if tree, err = child(tree, pointerDecoder.Replace(token)); err != nil {
			return err
		}
	}
	if !Equal(tree, want) {
		return errTestFailed
	}
	return nil
}

var pointerDecoder = strings.NewReplacer("~1", "/", "~0", "~")

// child returns the member or element of a tree that a token of a pointer names.
func child(tree any, token string) (any, error) {
	if object, ok := ObjectOf(tree); ok {
		if value, present := object.Get(token); present {
			return value, nil
		}
	}
	if list, ok := tree.([]any); ok {
		if i, err := strconv.Atoi(token); err == nil && strconv.Itoa(i) == token && i >= 0 && i < len(list) {
			return list[i], nil
		}
	}
	return nil, errTestFailed
}
