package httpapi

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

// Edit is a request to edit a row by a merge patch on its content C.
type Edit[C any] struct {
	Body    Patch[C]
	Merge   *Disjoint `query:"merge"`
	IfMatch guard.Precondition
}

// Change returns the edit for package change.
func (e Edit[C]) Change() change.Edit {
	return change.Edit{IfMatch: e.IfMatch, Patch: e.Body.tree, MergeDisjoint: e.Merge != nil}
}

// Disjoint is ?merge=disjoint: a stale patch is merged if its fields have not changed since. A
// request type has a field *Disjoint, which is nil without the parameter.
type Disjoint struct{}

// UnmarshalText implements encoding.TextUnmarshaler.
func (*Disjoint) UnmarshalText(text []byte) error {
	if string(text) != "disjoint" {
		return errors.New("must be disjoint, or absent")
	}
	return nil
}

// Patch is a merge patch (RFC 7396) or a JSON Patch (RFC 6902) on the JSON members of C.
type Patch[C any] struct{ tree any }

// Content returns a value of C, for the contract.
func (Patch[C]) Content() any { return *new(C) }

// Tree returns the patch for package change.
func (p Patch[C]) Tree() any { return p.tree }

// ReadOperations implements PatchReader.
func (p *Patch[C]) ReadOperations(text []byte) (err error) {
	p.tree, err = merge.ParseOperations(text, func(changed []byte) (any, error) {
		var patch Patch[C]
		err := patch.ReadBody(changed)
		return patch.tree, Unreadable(err)
	})
	return err
}

// ReadBody implements BodyReader. It accepts the members of C, each with its type.
func (p *Patch[C]) ReadBody(text []byte) error {
	var content C
	members := map[string]any{}
	v := reflect.ValueOf(&content).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			members[name] = v.FieldByIndex(f.Index).Addr().Interface()
		}
	}
	patch, err := strictjson.DecodePatch(text, slices.Collect(maps.Keys(members))...)
	if err != nil {
		return err
	}
	for _, name := range patch.Names() {
		if err := patch.Decode(name, members[name]); err != nil {
			return err
		}
	}
	tree, err := merge.Tree(patch.Text())
	if err != nil {
		return err
	}
	changes, _ := tree.(map[string]any)
	for _, name := range patch.Names() {
		if spelled, ok := respelled(members[name]); ok {
			if changes[name], err = merge.Tree(spelled); err != nil {
				return err
			}
		}
	}
	p.tree = tree
	return nil
}

// respelled returns a member in the spelling of the representations, so that a different spelling of
// the same value does not count as a change: the customer "42" as 42, an instant in another zone.
func respelled(member any) (any, bool) {
	switch value := member.(type) {
	case **principal.CustomerID:
		return value, true
	case *time.Time:
		return *value, true
	}
	return nil, false
}

// StepBody is the body of a transition. The decoder does not check the rules for its members; the
// service does, after the precondition. An empty body is the zero Step.
type StepBody[S any] struct{ Step S }

// ReadBody implements BodyReader.
func (b *StepBody[S]) ReadBody(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return strictjson.Decode(text, &b.Step)
}
