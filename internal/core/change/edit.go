package change

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Editable declares an editable resource. T is the model.
type Editable[T any, M Model[T]] struct {
	Rows[T, M]
	// Document is the editable part of a row, in the form of merge.Tree or merge.Parse. Its JSON
	// Pointers are those of the representation.
	Document func(row M) (any, error)
	// ApplyPatch applies an edit's patch to a document; nil for merge.Patch. A resource
	// with sets accepts them as arrays and stores their members as members of an object in
	// its document: two edits of one set then conflict only if they change the same member.
	ApplyPatch func(document, patch any) any
	// Represent converts a document to the form of the representation, to which the paths of a JSON
	// Patch refer; nil if both forms are equal.
	Represent func(document any) any
	// Revise validates an edited document and returns the resulting row and the columns to
	// set. It does not modify its argument.
	Revise func(row M, document any) (M, guard.Set, error)
	// AtVersion returns the row at an earlier version, from its history, or
	// gorm.ErrRecordNotFound. It is nil for a resource without history.
	AtVersion func(ctx context.Context, row M, version int64) (M, error)
	// Record writes history, audit and events of an edit.
	Record func(ctx context.Context, u *uow.Unit, before, after M, overwrite *Overwrite) error
	// ProposeInstead runs before a row is written. It returns true if it proposed the
	// change for approval; the row is then not written. Nil for rows that cannot be
	// protected.
	ProposeInstead func(ctx context.Context, u *uow.Unit, before, after M, overwrite *Overwrite) (bool, error)
	// Write issues the guarded UPDATE; nil for guard.Update.
	Write func(ctx context.Context, u *uow.Unit, before M, set guard.Set) error
	// Overwritable permits edits that overwrite the changes of other users.
	Overwritable bool
	// MergeQueue serializes merges into one row; nil for rows with few concurrent edits.
	MergeQueue *RowQueues[M]
}

// Overwrite states why an edit may overwrite the changes made since its author read the
// row.
type Overwrite struct {
	Reason string
	// Destroyed contains the overwritten changes of other users, by member. Apply sets it.
	Destroyed map[string]any
}

// Edit is one caller's edit of one row.
type Edit struct {
	// IfMatch is the version that the caller read.
	IfMatch guard.Precondition
	// Patch is the merge patch (RFC 7396) in the form of merge.Tree or merge.Parse, with known
	// members of valid types, or merge.Operations (RFC 6902).
	Patch any
	// MergeDisjoint requests that a stale patch be merged if it and the changes made since the
	// author's read affect different JSON Pointers.
	MergeDisjoint bool
	// Overwrite requests that the row become the author's edited version, regardless of
	// changes made since; nil to reject a stale edit. The resource must be Overwritable.
	Overwrite *Overwrite
}

// Merged describes the merge of an edit.
type Merged struct {
	FromVersion int64    `json:"fromVersion"`
	KeptTheirs  []string `json:"keptTheirs"`
}

// Edited is the result of an edit.
type Edited[M guard.Versioned] struct {
	Row M
	// Merged is set when a stale patch was merged.
	Merged *Merged
	// Overwrote lists the members for which the edit overwrote changes of other users.
	Overwrote []string
}

// Apply edits a row that the caller has just read.
//
// A patch that changes nothing returns the row unchanged and writes nothing. A stale patch
// is a VersionConflict with base, current and conflicts, unless a merge was requested and
// is possible. A row that was deleted concurrently is NotFound.
func (e Editable[T, M]) Apply(ctx context.Context, u *uow.Unit, row M, edit Edit) (Edited[M], error) {
	overwrites := edit.Overwrite != nil && e.Overwritable
	switch isNewest := edit.IfMatch.Matches(row.Ref()); {
	case isNewest && overwrites:
		edited, err := e.applyTo(ctx, u, row, edit)
		return edited, retryIfStale(err)
	case overwrites:
		edited, err := e.applyOverwrite(ctx, u, row, edit)
		return edited, retryIfStale(err)
	case edit.MergeDisjoint:
		return e.applyMerged(ctx, u, row, edit)
	case isNewest:
		edited, err := e.applyTo(ctx, u, row, edit)
		if errors.Is(err, guard.ErrStale) {
			err = e.stale(row.Ref().ID, edit)
		}
		return edited, err
	}
	return Edited[M]{}, e.stale(row.Ref().ID, edit)
}

// applyTo applies a patch to the row version that its author read. Errors: guard.ErrStale.
func (e Editable[T, M]) applyTo(ctx context.Context, u *uow.Unit, row M, edit Edit) (Edited[M], error) {
	document, err := e.Document(row)
	if err != nil {
		return Edited[M]{}, err
	}
	patched, err := e.patched(document, edit.Patch)
	if err != nil {
		return Edited[M]{}, err
	}
	after, err := e.revise(ctx, u, row, document, patched, edit.Overwrite)
	if err != nil {
		return Edited[M]{}, err
	}
	return Edited[M]{Row: after}, nil
}

// retryIfStale makes the unit run again if the row changed after the unit read it. That can
// happen under a lock too, because an engine may have dropped the lock.
func retryIfStale(err error) error {
	if errors.Is(err, guard.ErrStale) {
		return uow.OvertakenBecause("record", err)
	}
	return err
}

// patched applies a patch to a document. Errors: those of MergePatch.
func (e Editable[T, M]) patched(document, patch any) (any, error) {
	shown := document
	if e.Represent != nil {
		shown = e.Represent(document)
	}
	patch, err := MergePatch(shown, patch)
	switch {
	case err != nil:
		return nil, err
	case e.ApplyPatch != nil:
		return e.ApplyPatch(document, patch), nil
	}
	return merge.Patch(document, patch), nil
}

// MergePatch returns a patch of a document as a merge patch. Errors: ValidationFailed for an
// operation of a JSON Patch that does not apply; those of its check.
func MergePatch(document, patch any) (any, error) {
	operations, ok := patch.(merge.Operations)
	if !ok {
		return patch, nil
	}
	made, err := operations.MergePatch(document)
	var failed *merge.OperationError
	if errors.As(err, &failed) {
		code := "operation"
		if failed.IsTest {
			code = "test"
		}
		return nil, apperr.Invalid(apperr.Field{Pointer: fmt.Sprintf("/%d", failed.Index), Code: code, Message: failed.Error()})
	}
	return made, err
}

// applyMerged applies a patch that may be merged. It first tries the row as committed by
// the preceding unit of the queue, or else the row that the author read if that seems to be
// the newest. Otherwise, and on every retry, it uses the newest row, read under its lock.
func (e Editable[T, M]) applyMerged(ctx context.Context, u *uow.Unit, row M, edit Edit) (Edited[M], error) {
	base, isNewest := row, edit.IfMatch.Matches(row.Ref())
	if !isNewest {
		var err error
		if base, err = e.readBase(ctx, row, edit); err != nil {
			return Edited[M]{}, err
		}
	}
	slot, err := e.MergeQueue.enter(ctx, u, row.Ref().ID)
	if err != nil {
		return Edited[M]{}, err
	}
	first := u.Attempt() == 1
	if newest, known := slot.predecessorRow(); known && first {
		edited, err := e.mergeOnto(ctx, u, newest, base, edit)
		if u.HasStarted() {
			return edited, slot.setRow(edited.Row, retryIfStale(err))
		}
		// Nothing was written: a rejection or an unchanged row must be decided on the
		// stored row.
		isNewest = false
	}
	if !isNewest || !first {
		if row, err = e.readForUpdate(ctx, u, row.Ref().ID); err != nil {
			return Edited[M]{}, notFoundIfDeleted(err, e.Label(base))
		}
	}
	edited, err := e.mergeOnto(ctx, u, row, base, edit)
	return edited, slot.setRow(edited.Row, retryIfStale(err))
}

// mergeOnto merges a patch of base into row. Errors: guard.ErrStale.
func (e Editable[T, M]) mergeOnto(ctx context.Context, u *uow.Unit, row, base M, edit Edit) (Edited[M], error) {
	if edit.IfMatch.Matches(row.Ref()) {
		return e.applyTo(ctx, u, row, edit)
	}
	sides, err := e.compare(base, row, edit)
	if err != nil {
		return Edited[M]{}, err
	}
	result := merge.ThreeWay(sides.base, sides.yours, sides.theirs)
	if !result.AutoMergeable {
		return Edited[M]{}, e.stale(row.Ref().ID, edit)
	}
	after, err := e.revise(ctx, u, row, sides.theirs, result.Merged, nil)
	if err != nil {
		return Edited[M]{}, err
	}
	return Edited[M]{Row: after, Merged: &Merged{FromVersion: edit.IfMatch.Ref.Version, KeptTheirs: result.TheirsOnly}}, nil
}

// applyOverwrite replaces the newest row by the version that the author of a stale edit
// made.
func (e Editable[T, M]) applyOverwrite(ctx context.Context, u *uow.Unit, row M, edit Edit) (Edited[M], error) {
	current, sides, err := e.lockSides(ctx, u, row, edit)
	if err != nil {
		return Edited[M]{}, err
	}
	destroyed := overwrittenMembers(sides)
	after, err := e.revise(ctx, u, current, sides.theirs, sides.yours, &Overwrite{edit.Overwrite.Reason, destroyed})
	return Edited[M]{Row: after, Overwrote: slices.Sorted(maps.Keys(destroyed))}, err
}

// lockSides returns the newest row, locked, and the three sides of a stale edit of it.
func (e Editable[T, M]) lockSides(ctx context.Context, u *uow.Unit, row M, edit Edit) (M, sides, error) {
	base, err := e.readBase(ctx, row, edit)
	if err != nil {
		return row, sides{}, err
	}
	current, err := e.readForUpdate(ctx, u, row.Ref().ID)
	if err != nil {
		return row, sides{}, notFoundIfDeleted(err, e.Label(row))
	}
	compared, err := e.compare(base, current, edit)
	return current, compared, err
}

// readBase returns the row version that the author of a stale edit read. If the history no
// longer contains it, the edit is rejected as stale.
//
// readBase reads on another connection, so it runs before the transaction begins: units that each
// use one connection and wait for a second one would exhaust the pool. The newest row is read FOR
// UPDATE afterwards, so that concurrent mergers queue for the row lock instead of failing
// repeatedly.
func (e Editable[T, M]) readBase(ctx context.Context, row M, edit Edit) (M, error) {
	base, err := e.baseOf(ctx, row, edit)
	switch {
	case err != nil:
		return nil, err
	case base == nil:
		return nil, e.stale(row.Ref().ID, edit)
	}
	return *base, nil
}

// overwrittenMembers returns the changes of other users that an overwriting edit discards,
// by member.
func overwrittenMembers(s sides) map[string]any {
	base, _ := merge.ObjectOf(s.base)
	yours, _ := merge.ObjectOf(s.yours)
	theirs, _ := merge.ObjectOf(s.theirs)
	destroyed := make(map[string]any)
	for _, document := range []*merge.Object{base, theirs} {
		for name := range document.All() {
			before, _ := base.Get(name)
			was, _ := theirs.Get(name)
			now, _ := yours.Get(name)
			if !merge.Equal(was, before) && !merge.Equal(was, now) {
				destroyed[name] = was
			}
		}
	}
	return destroyed
}

// revise writes the row for document, or nothing if document equals before.
func (e Editable[T, M]) revise(ctx context.Context, u *uow.Unit, row M, before, document any, overwrite *Overwrite) (M, error) {
	if merge.Equal(before, document) {
		return row, nil
	}
	after, set, err := e.Revise(row, document)
	if err != nil {
		return row, err
	}
	if e.ProposeInstead != nil {
		if proposed, err := e.ProposeInstead(ctx, u, row, after, overwrite); err != nil || proposed {
			return row, notFoundIfDeleted(err, e.Label(row))
		}
	}
	if err := e.write(ctx, u, row, set); err != nil {
		return row, notFoundIfDeleted(err, e.Label(row))
	}
	if err := guard.Advance(ctx, u, after); err != nil {
		return row, err
	}
	return after, e.Record(ctx, u, row, after, overwrite)
}

func (e Editable[T, M]) write(ctx context.Context, u *uow.Unit, row M, set guard.Set) error {
	if e.Write != nil {
		return e.Write(ctx, u, row, set)
	}
	return guard.Update[T](ctx, guard.Deferred(u), row.Ref(), set)
}

// Delete deletes a row under its precondition. remove issues the guarded DELETE and records
// the deletion.
func (e Editable[T, M]) Delete(ctx context.Context, u *uow.Unit, row M, ifMatch guard.Precondition, remove func() error) error {
	if !ifMatch.Matches(row.Ref()) {
		return e.stale(row.Ref().ID, Edit{IfMatch: ifMatch})
	}
	err := remove()
	if errors.Is(err, guard.ErrStale) {
		return e.stale(row.Ref().ID, Edit{IfMatch: ifMatch})
	}
	return notFoundIfDeleted(err, e.Label(row))
}

// stale returns an error that the unit's runner replaces by the conflict response after the
// rollback.
func (e Editable[T, M]) stale(id int64, edit Edit) error {
	return uow.Explain(func(ctx context.Context) error { return e.Conflict(ctx, id, edit) })
}

// Conflict builds the conflict response for the author of a stale edit from the committed
// row.
func (e Editable[T, M]) Conflict(ctx context.Context, id int64, edit Edit) error {
	current, err := e.readCommitted(ctx, id)
	if err != nil {
		return notFoundIfDeleted(err, "The resource")
	}
	c := guard.Conflict{Resource: e.Label(current), Current: current.Stamp(), CurrentView: e.View(ctx, current)}
	base, err := e.baseOf(ctx, current, edit)
	if err != nil {
		return err
	}
	if base == nil {
		if seen := edit.IfMatch.Ref; seen.ID == current.Ref().ID && seen.Version < current.Ref().Version {
			c.Expected = seen.Version
		}
		refusal := c.Error()
		if c.Expected != 0 && e.AtVersion != nil {
			refusal.Detail = fmt.Sprintf("%s was changed by %s since you read it, and version %d, which you edited, is no longer stored: your changes can be neither compared nor merged. "+
				"Nothing of yours was applied; edit version %d.", c.Resource, c.Current.UpdatedBy.Name, c.Expected, c.Current.Version)
		}
		return refusal
	}
	sides, err := e.compare(*base, current, edit)
	if err != nil {
		return err
	}
	c.Expected, c.BaseView = edit.IfMatch.Ref.Version, e.View(ctx, *base)
	c.Base, c.Yours, c.Theirs = sides.base, sides.yours, sides.theirs
	refusal := c.Error()
	if edit.Patch == nil {
		// A deletion or a rollback has no patch to merge.
		refusal.With("autoMergeable", false)
	}
	return refusal
}

// baseOf returns the row version that the author read, or nil if the tag belongs to another
// row or the history no longer contains that version.
func (e Editable[T, M]) baseOf(ctx context.Context, current M, edit Edit) (*M, error) {
	if e.AtVersion == nil || edit.IfMatch.Ref.ID != current.Ref().ID {
		return nil, nil
	}
	base, err := e.AtVersion(ctx, current, edit.IfMatch.Ref.Version)
	switch {
	case storage.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the base of a stale edit: %w", err)
	}
	return &base, nil
}

type sides struct{ base, yours, theirs any }

func (e Editable[T, M]) compare(base, current M, edit Edit) (sides, error) {
	baseDocument, err := e.Document(base)
	if err != nil {
		return sides{}, err
	}
	theirs, err := e.Document(current)
	if err != nil {
		return sides{}, err
	}
	yours := baseDocument
	if edit.Patch != nil {
		if yours, err = e.patched(baseDocument, edit.Patch); err != nil {
			return sides{}, err
		}
	}
	return sides{base: baseDocument, yours: yours, theirs: theirs}, nil
}

// notFoundIfDeleted returns NotFound for a row that was deleted concurrently, and other errors
// unchanged.
func notFoundIfDeleted(err error, label string) error {
	if errors.Is(err, guard.ErrDeleted) || storage.IsNotFound(err) {
		return apperr.New(apperr.NotFound, "%s was deleted since you read it.", label)
	}
	return err
}
