package config

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Op is the operation of a member of a batch.
type Op string

// The operations of a batch.
const (
	OpCreate Op = "create"
	OpUpdate Op = "update"
	OpDelete Op = "delete"
	// OpReplace replaces the whole content of a config. Only approvals contain it.
	OpReplace Op = "replace"
)

// Change is one member of a batch.
type Change struct {
	// Index is its index in the request.
	Index int
	Key   string
	Op    Op
	// IfMatch is the version that the author read, for update and delete.
	IfMatch guard.Precondition
	// Patch is the merge patch of an update.
	Patch any
	// Content is the content of a create or a replacement.
	Content Content
	// Claim is the claim of a proposed change; nil for that of the request.
	Claim *claim
	origin
}

// origin describes the source of a proposed change in the history and the audit log.
type origin struct {
	// Action is the action in the history; "" for the default of the operation.
	Action Action `json:"action,omitempty"`
	// ContentOf is the version that a rollback restores.
	ContentOf int64 `json:"contentOfVersion,omitempty"`
	// Destroyed contains the members that an overwriting edit destroyed.
	Destroyed map[string]any `json:"destroyed,omitempty"`
}

// Result is the outcome of one member of a batch.
type Result struct {
	Index   int    `json:"index" validate:"min=0"`
	Key     string `json:"key"`
	Op      Op     `json:"op" validate:"oneof=create update delete"`
	Version int64  `json:"version"`
	// Absent for a deleted config.
	ETag string `json:"etag,omitempty"`
}

// Batch applies all changes or none, in one unit with one audit row. Each key is named at most
// once.
//
// It writes rows in the order of their keys, so that two batches never deadlock.
//
// Errors: BatchConflict, with every change that conflicts with the committed rows in its member
// conflicts; ValidationFailed with pointers into the batch.
func (s *Service) Batch(ctx context.Context, u *uow.Unit, note string, changes []Change) ([]Result, error) {
	rows, err := s.rowsOf(ctx, changes)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if conflicts(c, rows[c.Key]) {
			return nil, s.batchConflict(changes)
		}
	}
	writes, err := s.planWrites(ctx, changes, rows, s.authorOf(ctx))
	if err != nil {
		return nil, err
	}
	note = noteOf(note, writes)
	now, err := s.proposeIfRequired(ctx, u, kindBatch, note, writes...)
	if err == nil && !now {
		return nil, nil
	}
	results := make([]Result, len(changes))
	if err == nil {
		err = s.applyAll(ctx, u, writes, note, func(w plannedWrite, result Result) { results[w.index] = result })
	}
	switch {
	case isConflict(err):
		return nil, s.batchConflict(changes)
	case err != nil:
		return nil, err
	}
	u.Audit(batchEntry(note, results))
	return results, nil
}

func batchEntry(note string, results []Result) uow.Entry {
	return uow.Entry{Action: kindBatch, Resource: "config-batches", Note: note, Detail: map[string]any{"changes": results}}
}

// applyAll applies writes in the order of their keys, then makes the approvals that name the
// changed configs stale. Errors: also those for which isConflict is true.
func (s *Service) applyAll(ctx context.Context, u *uow.Unit, writes []plannedWrite, note string, done func(w plannedWrite, result Result)) error {
	var changed []string
	for _, w := range inKeyOrder(writes) {
		result, named, err := s.apply(ctx, u, w, note)
		if err != nil {
			return err
		}
		if named {
			changed = append(changed, pathOf(w.Key))
		}
		done(w, result)
	}
	return s.approvals.MarkStale(ctx, u, changed...)
}

// isConflict reports whether a write was rejected because another user changed its row.
func isConflict(err error) bool {
	return errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrDeleted) || storage.IsDuplicate(err, uniqueKey)
}

func (s *Service) rowsOf(ctx context.Context, changes []Change) (map[string]*Config, error) {
	return byKeys(s.read(ctx), keysOf(changes))
}

func keysOf(changes []Change) []string {
	keys := make([]string, len(changes))
	for i, c := range changes {
		keys[i] = c.Key
	}
	return keys
}

// conflicts reports whether a change conflicts with the current row of its key. row is nil if no
// row has the key.
func conflicts(c Change, row *Config) bool {
	if c.Op == OpCreate {
		return row != nil
	}
	return row == nil || !c.IfMatch.Matches(row.Ref())
}

// plannedWrite is one validated change.
type plannedWrite struct {
	Change
	// index is the index of its result.
	index int
	// before is the row that was read, nil for a create. after is the new row, nil for a delete.
	before, after *Config
	set           guard.Set
	// takeOver is the reason of a deletion for taking fields over; "" to reject it if a field has another owner.
	takeOver string
}

func inKeyOrder(writes []plannedWrite) []plannedWrite {
	return slices.SortedFunc(slices.Values(writes), func(a, b plannedWrite) int { return cmp.Compare(a.Key, b.Key) })
}

// planWrites validates all changes and returns their writes. Errors: ValidationFailed with the
// violations of all changes; BatchConflict with the changes of fields with other owners.
func (s *Service) planWrites(ctx context.Context, changes []Change, rows map[string]*Config, by author) ([]plannedWrite, error) {
	writes := make([]plannedWrite, len(changes))
	var violations []apperr.Field
	owned := []map[string]any{}
	blank := s.blank(ctx)
	for i, c := range changes {
		if row := rows[c.Key]; row != nil {
			row.work = blank.work
		}
		writes[i] = plannedWrite{Change: c, index: i, before: rows[c.Key]}
		fields, err := writes[i].check(blank, by)
		var rejection *apperr.Error
		if errors.As(err, &rejection) && rejection.Code == apperr.InUse {
			owned = append(owned, memberOf(c, rejection))
			continue
		}
		if err != nil {
			return nil, err
		}
		violations = append(violations, fields...)
	}
	switch {
	case len(violations) > 0:
		return nil, apperr.Invalid(violations...)
	case len(owned) > 0:
		return nil, apperr.New(apperr.BatchConflict, "%d of %d changes are of configs with other owners; nothing was changed.", len(owned), len(changes)).
			With("conflicts", owned)
	}
	return writes, nil
}

// check validates a change of one config. blank is the initial row of a create. Errors: those of
// with.
func (w *plannedWrite) check(blank Config, author author) ([]apperr.Field, error) {
	at, by := memberPointer("changes", w.Index), author.claiming(w.Claim)
	var fields []apperr.Field
	var err error
	switch w.Op {
	case OpCreate:
		w.after, fields, err = blank.filled(w.Key, w.Content, by)
		return append(under(at, checkKey(w.Key)), under(at+"/patch", fields)...), err
	case OpDelete:
		return nil, w.permitDeletion(by)
	case OpUpdate:
		var document any
		if document, err = w.before.document(by.reads); err != nil {
			return nil, err
		}
		patched := by.patched(document, w.Patch)
		if merge.Equal(document, patched) {
			w.after = w.before
			return nil, nil
		}
		w.after, w.set, fields, err = w.before.applyDocument(patched, by)
	case OpReplace:
		w.after, w.set, fields, err = w.before.with(w.Content, valueNew, by, w.claimedFields())
	}
	return under(at+"/patch", fields), err
}

// apply applies one write, and reports whether open approvals may name its config.
func (s *Service) apply(ctx context.Context, u *uow.Unit, w plannedWrite, note string) (result Result, named bool, err error) {
	result = Result{Index: w.Index, Key: w.Key, Op: w.Op}
	after := w.after
	switch {
	case w.Op == OpCreate:
		named, err = true, s.insert(ctx, u, after, note)
	case w.Op == OpDelete:
		after, named, err = s.remove(ctx, u, w.before, withReason(note, w.takeOver))
	case after != w.before:
		named, err = s.update(ctx, u, w, note)
	}
	if err != nil {
		return result, false, err
	}
	result.Version = after.Version
	if w.Op != OpDelete {
		result.ETag = after.Ref().ETag()
	}
	return result, named, nil
}

// update writes new content to a row, and reports whether open approvals may name its config.
func (s *Service) update(ctx context.Context, u *uow.Unit, w plannedWrite, note string) (bool, error) {
	named, err := updateRow(ctx, u, w.before, w.set)
	if err != nil {
		return false, err
	}
	if err := guard.Advance(ctx, u, w.after); err != nil {
		return false, err
	}
	if err := s.encryptEarlierVersions(ctx, u, w.before, w.after); err != nil {
		return false, err
	}
	return named, s.record(ctx, u, w.after, cmp.Or(w.Action, Updated), note)
}

// batchConflict returns BatchConflict with every conflict, read after the rollback.
func (s *Service) batchConflict(changes []Change) error {
	return uow.Explain(func(ctx context.Context) error {
		rows, err := s.rowsOf(ctx, changes)
		if err != nil {
			return err
		}
		list := []map[string]any{}
		for _, c := range changes {
			if !conflicts(c, rows[c.Key]) {
				continue
			}
			e, err := s.conflictOf(ctx, c, rows[c.Key])
			if err != nil {
				return err
			}
			list = append(list, memberOf(c, e))
		}
		conflict := apperr.New(apperr.BatchConflict, "%d of %d changes conflict with changes that others made since; nothing was changed.", len(list), len(changes)).
			With("conflicts", list)
		if len(list) == 0 {
			return uow.Retry(conflict)
		}
		return conflict
	})
}

// conflictOf returns the error that the change would get outside a batch.
func (s *Service) conflictOf(ctx context.Context, c Change, row *Config) (*apperr.Error, error) {
	var err error
	switch {
	case c.Op == OpCreate:
		err = alreadyExists(ctx, row)
	case row == nil:
		err = apperr.MissingRow("config", c.Key)
	default:
		err = s.editable(ctx).Conflict(ctx, row.ID, change.Edit{IfMatch: c.IfMatch, Patch: c.Patch})
	}
	var e *apperr.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	return e, nil
}

func memberOf(c Change, e *apperr.Error) map[string]any {
	member := map[string]any{"index": c.Index, "key": c.Key, "code": e.Code, "detail": e.Detail}
	for name, value := range e.Members {
		member[name] = value
	}
	return member
}
