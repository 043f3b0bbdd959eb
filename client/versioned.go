package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Person is who did something.
type Person struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Stamp is which state of a resource a value is.
type Stamp struct {
	Version int64 `json:"version"`
	// ETag guards Save and Delete. It is bound to the row: a resource that was deleted
	// and created anew never matches.
	ETag        string    `json:"etag"`
	CreatedTime time.Time `json:"createdTime"`
	UpdatedTime time.Time `json:"updatedTime"`
	UpdatedBy   Person    `json:"updatedBy"`
}

func (s *Stamp) stamp() *Stamp { return s }

// Merged says what a Save with [MergeDisjoint] kept of what others had changed.
type Merged struct {
	FromVersion int64    `json:"fromVersion"`
	KeptTheirs  []string `json:"keptTheirs"`
}

// Versioned is a value that can be changed and saved: [*Config], [*Item], [*Campaign],
// [*FlashSale], [*User], [*Role] and [*Settings].
type Versioned interface {
	json.Unmarshaler
	stamp() *Stamp
	origin() *asRead
	// editable names the members that a Save sends.
	editable() []string
}

// asRead is what a value's editable members were when it was read. Copies of the value
// share it; it is replaced, never changed.
type asRead struct{ document map[string]any }

func (r *asRead) origin() *asRead { return r }

// document returns the editable members of a value as they are now. A null is as good
// as absent, as in a merge patch.
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

// remember makes what a value holds now its origin.
func remember(v Versioned) error {
	now, err := document(v)
	if err != nil {
		return err
	}
	v.origin().document = now
	return nil
}

// changes returns the merge patch of what was changed since a value was read.
func changes(v Versioned) (map[string]any, error) {
	before := v.origin().document
	if before == nil || v.stamp().ETag == "" {
		return nil, errors.New("the value was never read from the service")
	}
	now, err := document(v)
	if err != nil {
		return nil, fmt.Errorf("compare with what was read: %w", err)
	}
	patch := patchBetween(before, now)
	if !equal(applied(before, patch), any(now)) {
		return nil, errors.New("the change puts a null into an object, which a merge patch cannot say")
	}
	return patch, nil
}

// save sends what was changed in v since it was read and makes v the saved value.
func save(ctx context.Context, c *Client, path string, v Versioned, options []CallOption) error {
	patch, err := changes(v)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return c.do(ctx, request{method: http.MethodPatch, path: path, body: patch, ifMatch: v.stamp().ETag}, v, options)
}

func remove(ctx context.Context, c *Client, path, etag string, options []CallOption) error {
	return c.do(ctx, request{method: http.MethodDelete, path: path, ifMatch: etag}, nil, options)
}

// Merge puts what was changed in mine, since it was read, on top of the current state,
// so that it can be saved again. When both sides changed the same place it returns
// [ErrContested] and leaves mine as it is; Conflicts names the places, and [Conflict.Take]
// begins anew from the current state.
func (c *Conflict) Merge(mine Versioned) error {
	if string(c.Base) == "null" {
		return fmt.Errorf("merge: it was deleted and created anew: %w", ErrContested)
	}
	before := mine.origin().document
	yours, err := document(mine)
	if err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	kept, err := encode(mine)
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
		if err := json.Unmarshal(kept, mine); err != nil {
			return fmt.Errorf("merge: %w", err)
		}
		mine.origin().document = before
		return fmt.Errorf("merge %d places: %w", len(m.Conflicts), ErrContested)
	}
	return overlay(mine, merged, theirs)
}

// overlay sets the editable members of a value that has just been read.
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

// Take makes mine the current state; what was changed in it is dropped.
func (c *Conflict) Take(mine Versioned) error {
	if err := json.Unmarshal(c.Current, mine); err != nil {
		return fmt.Errorf("take the current state: %w", err)
	}
	return nil
}

// transition posts an action that answers with the resource.
func transition[T any](ctx context.Context, c *Client, path string, body any, options []CallOption) (T, error) {
	return call[T](ctx, c, request{method: http.MethodPost, path: path, body: body}, options)
}

func get[T any](ctx context.Context, c *Client, path string, options []CallOption) (T, error) {
	return call[T](ctx, c, request{method: http.MethodGet, path: path}, options)
}
