package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Person identifies a user.
type Person struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Stamp identifies the version of a resource that a value contains.
type Stamp struct {
	Version int64 `json:"version"`
	// ETag guards Save and Delete. It is bound to the row, so a recreated resource never matches.
	ETag        string    `json:"etag"`
	CreatedTime time.Time `json:"createdTime"`
	UpdatedTime time.Time `json:"updatedTime"`
	UpdatedBy   Person    `json:"updatedBy"`
}

func (s *Stamp) stamp() *Stamp { return s }

// Merged lists the changes of other writers that a Save with [MergeDisjoint] preserved.
type Merged struct {
	FromVersion int64    `json:"fromVersion"`
	KeptTheirs  []string `json:"keptTheirs"`
}

// Versioned is a value that can be edited and saved, such as [*Config].
type Versioned interface {
	json.Unmarshaler
	stamp() *Stamp
	origin() *originState
	// editable names the members that a Save sends.
	editable() []string
}

// originState contains the editable members of a value when it was read. Copies of the value share it;
// it is replaced, never modified.
type originState struct{ document map[string]any }

func (r *originState) origin() *originState { return r }

// document returns the current editable members of a value. A null equals an absent member, as in a
// merge patch.
func document(v Versioned) (map[string]any, error) {
	text, err := encode(v)
	if err != nil {
		return nil, err
	}
	tree, err := parse(text)
	if err != nil {
		return nil, err
	}
	whole, _ := tree.(map[string]any)
	picked := map[string]any{}
	for _, name := range v.editable() {
		if member := whole[name]; member != nil {
			picked[name] = member
		}
	}
	return picked, nil
}

// setOrigin makes the current members of a value its origin.
func setOrigin(v Versioned) error {
	now, err := document(v)
	if err != nil {
		return err
	}
	v.origin().document = now
	return nil
}

// changes returns the merge patch since a value was read.
func changes(v Versioned) (map[string]any, error) {
	before := v.origin().document
	if before == nil || v.stamp().ETag == "" {
		return nil, errors.New("the value was never read from the service")
	}
	now, err := document(v)
	if err != nil {
		return nil, fmt.Errorf("compare with the value that was read: %w", err)
	}
	patch := patchBetween(before, now)
	if !equal(applied(before, patch), any(now)) {
		return nil, errors.New("the change puts a null into an object, which a merge patch cannot say")
	}
	return patch, nil
}

// save sends the changes in v since it was read and replaces v with the saved value.
func save(ctx context.Context, c *Client, path string, v Versioned, options []CallOption) error {
	patch, err := changes(v)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return c.do(ctx, request{method: http.MethodPatch, path: path, body: patch, ifMatch: v.stamp().ETag}, v, options)
}

// Merge applies the changes in mine since it was read to the current state, so that mine can be
// saved again. If both sides changed the same JSON Pointer, it returns [ErrContested] and leaves
// mine unchanged; Conflicts lists the pointers, and [Conflict.Take] starts again from the current
// state.
func (c *Conflict) Merge(mine Versioned) error {
	if string(c.Base) == "null" {
		return fmt.Errorf("merge: it was deleted and created again: %w", ErrContested)
	}
	before := mine.origin().document
	yours, err := document(mine)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	edited, err := encode(mine)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	if err := c.Take(mine); err != nil {
		return err
	}
	theirs := mine.origin().document
	var m merger
	merged, _ := m.merge("", value{before, true}, value{yours, true}, value{theirs, true}).object()
	if len(m.Conflicts) > 0 {
		if err := json.Unmarshal(edited, mine); err != nil {
			return fmt.Errorf("merge: %w", err)
		}
		mine.origin().document = before
		return fmt.Errorf("merge %d JSON pointers: %w", len(m.Conflicts), ErrContested)
	}
	return overlay(mine, merged, theirs)
}

// overlay sets the editable members of a newly read value.
func overlay(v Versioned, members, read map[string]any) error {
	text, err := encode(v)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	tree, err := parse(text)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	whole := tree.(map[string]any)
	for _, name := range v.editable() {
		delete(whole, name)
		if member, present := members[name]; present {
			whole[name] = member
		}
	}
	if text, err = encode(whole); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	v.origin().document = read
	return nil
}

// Take replaces mine with the current state and drops its changes.
func (c *Conflict) Take(mine Versioned) error {
	if err := json.Unmarshal(c.Current, mine); err != nil {
		return fmt.Errorf("take the current state: %w", err)
	}
	return nil
}
