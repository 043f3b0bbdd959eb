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

// Editable is what a domain says about the rows of one resource. M is a pointer
// to the model.
type Editable[M guard.Versioned] interface {
	// Label names the row for people: `config "checkout.tax"`.
	Label(row M) string
	// View is the row's representation.
	View(row M) any
	// Document is the part of the row that an edit may change, as merge.Tree
	// gives it. Its pointers are those of the representation.
	Document(row M) (any, error)
	// At returns the row as it was at an earlier version, from its history, or
	// gorm.ErrRecordNotFound.
	At(ctx context.Context, row M, version int64) (M, error)
	// Fetch reads the row as it is committed now; locked asks for it FOR UPDATE in
	// the unit's transaction.
	Fetch(ctx context.Context, id int64) (M, error)
	FetchLocked(ctx context.Context, u *uow.Unit, id int64) (M, error)
	// Revise checks an edited document by the rules and returns the row that it
	// makes, with the columns to set. The row given is not changed.
	Revise(row M, document any) (M, guard.Set, error)
	// Write issues the guarded UPDATE.
	Write(ctx context.Context, u *uow.Unit, ref guard.Ref, set guard.Set) error
	// Record leaves the traces of the change: history, audit, events.
	Record(ctx context.Context, u *uow.Unit, before, after M) error
}

// Edit is one caller's edit of one row.
type Edit struct {
	// IfMatch is the version that the caller saw.
	IfMatch guard.Precondition
	// Patch is the merge patch (RFC 7396), as merge.Parse gives it, its members
	// known and of the right types.
	Patch any
	// MergeDisjoint asks to apply a stale patch when it and what was changed
	// since touch different places.
	MergeDisjoint bool
	// Overwrite asks to make the row what its author had before him, whatever others
	// changed since. The resource must be Overwritable.
	Overwrite bool
}

// Overwritable is an Editable whose rows may be overwritten on purpose.
type Overwritable[M guard.Versioned] interface {
	Editable[M]
	// Overwriting returns the resource that leaves the traces of an overwriting edit.
	// Destroyed is what others had changed since and is lost, by member.
	Overwriting(destroyed map[string]any) Editable[M]
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
func Apply[M guard.Versioned](ctx context.Context, u *uow.Unit, res Editable[M], row M, edit Edit) (Edited[M], error) {
	if !edit.IfMatch.Holds(row.Ref()) {
		switch {
		case edit.Overwrite:
			return applyOver(ctx, u, res, row, edit)
		case edit.MergeDisjoint:
			return applyMerged(ctx, u, res, row, edit)
		}
		return Edited[M]{}, stale(res, row.Ref().ID, edit)
	}
	document, err := res.Document(row)
	if err != nil {
		return Edited[M]{}, err
	}
	after, err := revise(ctx, u, res, row, document, merge.Patch(document, edit.Patch))
	if errors.Is(err, guard.ErrStale) {
		if edit.MergeDisjoint || edit.Overwrite {
			return Edited[M]{}, uow.Again(err)
		}
		return Edited[M]{}, stale(res, row.Ref().ID, edit)
	}
	return Edited[M]{Row: after}, err
}

// applyMerged merges a stale patch onto the newest row.
func applyMerged[M guard.Versioned](ctx context.Context, u *uow.Unit, res Editable[M], row M, edit Edit) (Edited[M], error) {
	current, sides, err := lockSides(ctx, u, res, row, edit)
	if err != nil {
		return Edited[M]{}, err
	}
	result := merge.ThreeWay(sides.base, sides.yours, sides.theirs)
	if !result.AutoMergeable {
		return Edited[M]{}, stale(res, row.Ref().ID, edit)
	}
	after, err := revise(ctx, u, res, current, sides.theirs, result.Merged)
	if err != nil {
		return Edited[M]{}, err
	}
	return Edited[M]{Row: after, Merged: &Merged{FromVersion: edit.IfMatch.Ref.Version, KeptTheirs: result.TheirsOnly}}, nil
}

// applyOver makes the newest row what the author of a stale edit had before him.
func applyOver[M guard.Versioned](ctx context.Context, u *uow.Unit, res Editable[M], row M, edit Edit) (Edited[M], error) {
	over, ok := res.(Overwritable[M])
	if !ok {
		return Edited[M]{}, stale(res, row.Ref().ID, edit)
	}
	current, sides, err := lockSides(ctx, u, res, row, edit)
	if err != nil {
		return Edited[M]{}, err
	}
	destroyed := lost(sides)
	after, err := revise(ctx, u, over.Overwriting(destroyed), current, sides.theirs, sides.yours)
	return Edited[M]{Row: after, Overwrote: slices.Sorted(maps.Keys(destroyed))}, err
}

// lockSides returns the newest row, locked, and the sides of a stale edit of it. It reads
// the row FOR UPDATE, so that of many mergers each waits for the one before instead of
// losing to it over and over. A row whose base is not known any more is refused as stale.
func lockSides[M guard.Versioned](ctx context.Context, u *uow.Unit, res Editable[M], row M, edit Edit) (M, sides, error) {
	id := row.Ref().ID
	// The base is read before the transaction begins: units that each hold one
	// connection and wait for a second would starve the pool.
	base, err := baseOf(ctx, res, row, edit)
	switch {
	case err != nil:
		return row, sides{}, err
	case base == nil:
		return row, sides{}, stale(res, id, edit)
	}
	current, err := res.FetchLocked(ctx, u, id)
	if err != nil {
		return row, sides{}, goneOr(err, res.Label(row))
	}
	compared, err := compare(res, *base, current, edit)
	return current, compared, err
}

// lost returns what the others changed and an overwriting edit takes away, by member.
func lost(s sides) map[string]any {
	base, _ := s.base.(map[string]any)
	yours, _ := s.yours.(map[string]any)
	theirs, _ := s.theirs.(map[string]any)
	destroyed := make(map[string]any)
	for _, documents := range []map[string]any{base, theirs} {
		for name := range documents {
			was, kept := theirs[name], yours[name]
			if !merge.Equal(was, base[name]) && !merge.Equal(was, kept) {
				destroyed[name] = was
			}
		}
	}
	return destroyed
}

// revise writes the row that a document makes, or nothing when it is the same.
func revise[M guard.Versioned](ctx context.Context, u *uow.Unit, res Editable[M], row M, before, document any) (M, error) {
	if merge.Equal(before, document) {
		return row, nil
	}
	after, set, err := res.Revise(row, document)
	if err != nil {
		return row, err
	}
	if err := res.Write(ctx, u, row.Ref(), set); err != nil {
		return row, goneOr(err, res.Label(row))
	}
	if err := guard.Advance(ctx, u, after); err != nil {
		return row, err
	}
	return after, res.Record(ctx, u, row, after)
}

// Delete removes a row under its precondition. remove issues the guarded DELETE
// and leaves the traces.
func Delete[M guard.Versioned](ctx context.Context, u *uow.Unit, res Editable[M], row M, ifMatch guard.Precondition, remove func() error) error {
	if !ifMatch.Holds(row.Ref()) {
		return stale(res, row.Ref().ID, Edit{IfMatch: ifMatch})
	}
	err := remove()
	if errors.Is(err, guard.ErrStale) {
		return stale(res, row.Ref().ID, Edit{IfMatch: ifMatch})
	}
	return goneOr(err, res.Label(row))
}

// stale is answered as the conflict, built after the rollback.
func stale[M guard.Versioned](res Editable[M], id int64, edit Edit) error {
	return uow.Explain(func(ctx context.Context) error { return Conflict(ctx, res, id, edit) })
}

// Conflict builds what the author of a stale edit is told, from the row as it is
// committed now.
func Conflict[M guard.Versioned](ctx context.Context, res Editable[M], id int64, edit Edit) error {
	current, err := res.Fetch(ctx, id)
	if err != nil {
		return goneOr(err, "The resource")
	}
	c := guard.Conflict{Resource: res.Label(current), Current: current.Stamp(), CurrentView: res.View(current)}
	base, err := baseOf(ctx, res, current, edit)
	if err != nil {
		return err
	}
	if base == nil {
		return c.Error()
	}
	sides, err := compare(res, *base, current, edit)
	if err != nil {
		return err
	}
	c.Expected, c.BaseView = edit.IfMatch.Ref.Version, res.View(*base)
	c.Base, c.Yours, c.Theirs = sides.base, sides.yours, sides.theirs
	e := c.Error()
	if edit.Patch == nil {
		// A deletion or a rollback has nothing that could be merged.
		e.With("autoMergeable", false)
	}
	return e
}

// baseOf returns the row as the author saw it, or nil when the tag is not one of
// this row.
func baseOf[M guard.Versioned](ctx context.Context, res Editable[M], current M, edit Edit) (*M, error) {
	if edit.IfMatch.Ref.ID != current.Ref().ID {
		return nil, nil
	}
	base, err := res.At(ctx, current, edit.IfMatch.Ref.Version)
	switch {
	case storage.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the base of a stale edit: %w", err)
	}
	return &base, nil
}

type sides struct{ base, yours, theirs any }

func compare[M guard.Versioned](res Editable[M], base, current M, edit Edit) (sides, error) {
	baseDocument, err := res.Document(base)
	if err != nil {
		return sides{}, err
	}
	theirs, err := res.Document(current)
	if err != nil {
		return sides{}, err
	}
	yours := baseDocument
	if edit.Patch != nil {
		yours = merge.Patch(baseDocument, edit.Patch)
	}
	return sides{base: baseDocument, yours: yours, theirs: theirs}, nil
}

// goneOr tells a row that has gone meanwhile from every other error.
func goneOr(err error, label string) error {
	if errors.Is(err, guard.ErrGone) || storage.IsNotFound(err) {
		return apperr.New(apperr.NotFound, "%s was deleted meanwhile.", label)
	}
	return err
}
