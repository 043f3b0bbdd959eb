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

// Editable declares a resource whose rows are edited. T is the model.
type Editable[T any, M Model[T]] struct {
	Rows[T, M]
	// Document is the part of a row that an edit may change, as merge.Tree or merge.Parse
	// gives it. Its pointers are those of the representation.
	Document func(row M) (any, error)
	// ApplyPatch applies an edit's patch to a document; nil for merge.Patch. A resource that
	// has sets takes them so from arrays, and has their members as members of an object in
	// its document: two edits of one set then meet only where they touch the same member.
	ApplyPatch func(document, patch any) any
	// Revise checks an edited document by the rules and returns the row that it makes,
	// with the columns to set. The row given is not changed.
	Revise func(row M, document any) (M, guard.Set, error)
	// AtVersion returns a row as it was at an earlier version, from its history, or
	// gorm.ErrRecordNotFound. It is nil for a resource that keeps no history.
	AtVersion func(ctx context.Context, row M, version int64) (M, error)
	// Record leaves the traces of an edit: history, audit, events.
	Record func(ctx context.Context, u *uow.Unit, before, after M, overwrite *Overwrite) error
	// ProposeInstead is asked before a row is written: true when the change was proposed and is not
	// to be made now. The row stays as it is then. Nil for rows that cannot be protected.
	ProposeInstead func(ctx context.Context, u *uow.Unit, before, after M, overwrite *Overwrite) (bool, error)
	// Write issues the guarded UPDATE; nil for guard.Update.
	Write func(ctx context.Context, u *uow.Unit, before M, set guard.Set) error
	// Overwritable is set when rows may be overwritten on purpose.
	Overwritable bool
	// MergeQueue has merges into one row come one after the other; nil for rows that few want at
	// once.
	MergeQueue *RowQueues[M]
}

// Overwrite says why an edit may overwrite what others changed since its author read the
// row.
type Overwrite struct {
	Reason string
	// Destroyed is what the others had changed and is lost, by member. Apply sets it.
	Destroyed map[string]any
}

// Edit is one caller's edit of one row.
type Edit struct {
	// IfMatch is the version that the caller saw.
	IfMatch guard.Precondition
	// Patch is the merge patch (RFC 7396), as merge.Tree or merge.Parse gives it, its
	// members known and of the right types.
	Patch any
	// MergeDisjoint asks to apply a stale patch when it and what was changed
	// since touch different places.
	MergeDisjoint bool
	// Overwrite asks to make the row what its author saw and edited, whatever others changed
	// since; nil to be refused then. The resource must be Overwritable.
	Overwrite *Overwrite
}

// Merged says what an edit was merged with.
type Merged struct {
	FromVersion int64    `json:"fromVersion"`
	KeptTheirs  []string `json:"keptTheirs"`
}

// Edited is what became of an edit.
type Edited[M guard.Versioned] struct {
	Row M
	// Merged is set when a stale patch was merged.
	Merged *Merged
	// Overwrote names the members whose changes by others an edit destroyed.
	Overwrote []string
}

// Apply edits a row that the caller was just shown to exist.
//
// A patch that changes nothing returns the row as it is and writes nothing. A
// stale one is a VersionConflict with base, current and conflicts, unless it asked
// to be merged and can be. A row deleted meanwhile is NotFound.
func (e Editable[T, M]) Apply(ctx context.Context, u *uow.Unit, row M, edit Edit) (Edited[M], error) {
	overwrites := edit.Overwrite != nil && e.Overwritable
	switch isNewest := edit.IfMatch.Holds(row.Ref()); {
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

// applyTo applies a patch to the row that its author saw. Errors: guard.ErrStale.
func (e Editable[T, M]) applyTo(ctx context.Context, u *uow.Unit, row M, edit Edit) (Edited[M], error) {
	document, err := e.Document(row)
	if err != nil {
		return Edited[M]{}, err
	}
	after, err := e.revise(ctx, u, row, document, e.patched(document, edit.Patch), edit.Overwrite)
	if err != nil {
		return Edited[M]{}, err
	}
	return Edited[M]{Row: after}, nil
}

// retryIfStale has a unit run again that finds the row changed after it was read, also under a
// lock, which an engine may have dropped.
func retryIfStale(err error) error {
	if errors.Is(err, guard.ErrStale) {
		return uow.OvertakenBecause("record", err)
	}
	return err
}

// patched applies a patch to a document.
func (e Editable[T, M]) patched(document, patch any) any {
	if e.ApplyPatch != nil {
		return e.ApplyPatch(document, patch)
	}
	return merge.Patch(document, patch)
}

// applyMerged applies a patch that may be merged: to the row as the unit before this one has left
// it, or else to the row that its author saw, if that is thought to be the newest; or else, and
// always in a unit that was overtaken so, to the newest, which it reads under its lock.
func (e Editable[T, M]) applyMerged(ctx context.Context, u *uow.Unit, row M, edit Edit) (Edited[M], error) {
	base, isNewest := row, edit.IfMatch.Holds(row.Ref())
	if !isNewest {
		var err error
		if base, err = e.knownBase(ctx, row, edit); err != nil {
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
		if u.Begun() {
			return edited, slot.setRow(edited.Row, retryIfStale(err))
		}
		// Nothing was written: a refusal, or that nothing changes, is said of the row itself.
		isNewest = false
	}
	if !isNewest || !first {
		if row, err = e.readForUpdate(ctx, u, row.Ref().ID); err != nil {
			return Edited[M]{}, notFoundIfGone(err, e.Label(base))
		}
	}
	edited, err := e.mergeOnto(ctx, u, row, base, edit)
	return edited, slot.setRow(edited.Row, retryIfStale(err))
}

// mergeOnto merges a patch of the base onto a row. Errors: guard.ErrStale.
func (e Editable[T, M]) mergeOnto(ctx context.Context, u *uow.Unit, row, base M, edit Edit) (Edited[M], error) {
	if edit.IfMatch.Holds(row.Ref()) {
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

// applyOverwrite makes the newest row what the author of a stale edit saw and edited.
func (e Editable[T, M]) applyOverwrite(ctx context.Context, u *uow.Unit, row M, edit Edit) (Edited[M], error) {
	current, sides, err := e.lockSides(ctx, u, row, edit)
	if err != nil {
		return Edited[M]{}, err
	}
	destroyed := overwrittenMembers(sides)
	after, err := e.revise(ctx, u, current, sides.theirs, sides.yours, &Overwrite{edit.Overwrite.Reason, destroyed})
	return Edited[M]{Row: after, Overwrote: slices.Sorted(maps.Keys(destroyed))}, err
}

// lockSides returns the newest row, locked, and the sides of a stale edit of it.
func (e Editable[T, M]) lockSides(ctx context.Context, u *uow.Unit, row M, edit Edit) (M, sides, error) {
	base, err := e.knownBase(ctx, row, edit)
	if err != nil {
		return row, sides{}, err
	}
	current, err := e.readForUpdate(ctx, u, row.Ref().ID)
	if err != nil {
		return row, sides{}, notFoundIfGone(err, e.Label(row))
	}
	compared, err := e.compare(base, current, edit)
	return current, compared, err
}

// knownBase returns the row as the author of a stale edit saw it. One that is not known any more
// is refused as stale.
//
// It is read before the transaction begins: units that each hold one connection and wait for a
// second would starve the pool. The newest row is read FOR UPDATE after it, so that of many
// mergers each waits for the one before instead of losing to it over and over.
func (e Editable[T, M]) knownBase(ctx context.Context, row M, edit Edit) (M, error) {
	base, err := e.baseOf(ctx, row, edit)
	switch {
	case err != nil:
		return nil, err
	case base == nil:
		return nil, e.stale(row.Ref().ID, edit)
	}
	return *base, nil
}

// overwrittenMembers returns what the others changed and an overwriting edit takes away, by member.
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

// revise writes the row that a document makes, or nothing when it is the same.
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
			return row, notFoundIfGone(err, e.Label(row))
		}
	}
	if err := e.write(ctx, u, row, set); err != nil {
		return row, notFoundIfGone(err, e.Label(row))
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

// Delete removes a row under its precondition. remove issues the guarded DELETE
// and leaves the traces.
func (e Editable[T, M]) Delete(ctx context.Context, u *uow.Unit, row M, ifMatch guard.Precondition, remove func() error) error {
	if !ifMatch.Holds(row.Ref()) {
		return e.stale(row.Ref().ID, Edit{IfMatch: ifMatch})
	}
	err := remove()
	if errors.Is(err, guard.ErrStale) {
		return e.stale(row.Ref().ID, Edit{IfMatch: ifMatch})
	}
	return notFoundIfGone(err, e.Label(row))
}

// stale is answered as the conflict, built after the rollback.
func (e Editable[T, M]) stale(id int64, edit Edit) error {
	return uow.Explain(func(ctx context.Context) error { return e.Conflict(ctx, id, edit) })
}

// Conflict builds what the author of a stale edit is told, from the row as it is
// committed now.
func (e Editable[T, M]) Conflict(ctx context.Context, id int64, edit Edit) error {
	current, err := e.readCommitted(ctx, id)
	if err != nil {
		return notFoundIfGone(err, "The resource")
	}
	c := guard.Conflict{Resource: e.Label(current), Current: current.Stamp(), CurrentView: e.View(current)}
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
			refusal.Detail = fmt.Sprintf("%s was changed by %s since you read it, and version %d, which you edited, is not kept any more: what you changed can be neither compared nor merged. "+
				"Nothing of yours was applied; edit version %d.", c.Resource, c.Current.UpdatedBy.Name, c.Expected, c.Current.Version)
		}
		return refusal
	}
	sides, err := e.compare(*base, current, edit)
	if err != nil {
		return err
	}
	c.Expected, c.BaseView = edit.IfMatch.Ref.Version, e.View(*base)
	c.Base, c.Yours, c.Theirs = sides.base, sides.yours, sides.theirs
	refusal := c.Error()
	if edit.Patch == nil {
		// A deletion or a rollback has nothing that could be merged.
		refusal.With("autoMergeable", false)
	}
	return refusal
}

// baseOf returns the row as the author saw it, or nil when the tag is not one of
// this row, or that version is not kept any more.
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
		yours = e.patched(baseDocument, edit.Patch)
	}
	return sides{base: baseDocument, yours: yours, theirs: theirs}, nil
}

// notFoundIfGone tells a row that has gone meanwhile from every other error.
func notFoundIfGone(err error, label string) error {
	if errors.Is(err, guard.ErrGone) || storage.IsNotFound(err) {
		return apperr.New(apperr.NotFound, "%s was deleted meanwhile.", label)
	}
	return err
}
