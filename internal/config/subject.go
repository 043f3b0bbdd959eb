package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"gorm.io/gorm"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// subject is the approvals.Subject of configs.
type subject struct{ *Service }

// Grants implements approvals.Subject.
func (subject) Grants() approvals.Grants {
	return approvals.Grants{Kind: "config", Path: pathPrefix, Read: ReadPermission, Write: writePermission}
}

// Lock implements approvals.Subject. The version guard of each config suffices.
func (subject) Lock(ctx context.Context, _ *uow.Unit, _ approvals.Proposal) (context.Context, error) {
	return ctx, nil
}

// Apply implements approvals.Subject.
func (s subject) Apply(ctx context.Context, u *uow.Unit, p approvals.Proposal) error {
	writes, err := s.planned(ctx, u, p)
	if err != nil {
		return err
	}
	results := make([]Result, len(writes))
	err = s.applyAll(ctx, u, writes, p.Note, func(w plannedWrite, result Result) { results[w.index] = result })
	switch {
	case isConflict(err):
		return approvals.ErrStaleBase
	case err != nil:
		return err
	}
	u.Audit(entryOf(u, p, writes, results))
	return nil
}

// planned returns the writes of a proposal, validated by the current rules. Errors: ErrStaleBase.
func (s subject) planned(ctx context.Context, u *uow.Unit, p approvals.Proposal) ([]plannedWrite, error) {
	tx, err := s.tx(ctx, u)
	if err != nil {
		return nil, err
	}
	changes, err := s.decodeChanges(ctx, p)
	if err != nil {
		return nil, err
	}
	rows, err := byKeys(tx, keysOf(changes))
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if conflicts(c, rows[c.Key]) {
			return nil, approvals.ErrStaleBase
		}
	}
	return s.planWrites(ctx, changes, rows, author{now: s.clock.Now()})
}

// entryOf returns the audit entry of an approved change, equal to the audit entry of the same
// change without an approval.
func entryOf(u *uow.Unit, p approvals.Proposal, writes []plannedWrite, results []Result) uow.Entry {
	switch p.Kind {
	case kindBatch:
		return batchEntry(p.Note, results)
	case kindImport:
		counts := map[string]int{verdictCreate: 0, verdictUpdate: 0}
		for _, w := range writes {
			if w.before == nil {
				counts[verdictCreate]++
			} else {
				counts[verdictUpdate]++
			}
		}
		return uow.Entry{Action: kindImport, Resource: "configs", Note: p.Note, Detail: map[string]any{"counts": counts}}
	}
	w := writes[0]
	detail := versionDetail{From: w.before.Version, To: results[0].Version, Changed: []string{}, Destroyed: w.Destroyed, Approval: u.Approval()}
	if w.after != nil {
		detail.Changed = w.before.differences(w.after)
	}
	entry := uow.Entry{Action: p.Kind, Resource: w.before.path(), Note: p.Note, Detail: detail}
	if w.ContentOf != 0 {
		entry.Detail = rollbackDetail{detail, w.ContentOf}
	}
	return entry
}

// Revise implements approvals.Subject for an edit of one config.
func (s subject) Revise(ctx context.Context, u *uow.Unit, p approvals.Proposal, patch json.RawMessage) (approvals.Proposal, error) {
	if p.Kind != kindUpdate {
		return p, approvals.Unrevisable()
	}
	tree, err := readPatch(patch, "/patch")
	if err != nil {
		return p, err
	}
	writes, err := s.planned(ctx, u, p)
	if err != nil {
		return p, err
	}
	w := writes[0]
	by := s.authorOf(ctx).claiming(w.Claim)
	document, err := w.before.document(by.reads)
	if err != nil {
		return p, err
	}
	patched := by.patched(document, tree)
	if merge.Equal(document, patched) {
		return p, apperr.Invalid(apperr.Field{Pointer: "/patch", Code: "nothing", Message: "changes nothing; withdraw the approval instead"})
	}
	after, set, fields, err := w.before.applyDocument(patched, by)
	if err == nil && len(fields) > 0 {
		err = apperr.Invalid(under("/patch", fields)...)
	}
	if err != nil {
		return p, err
	}
	w.Op, w.after, w.set, w.origin = OpUpdate, after, set, origin{}
	return proposalOf(p.Kind, p.Note, []plannedWrite{w})
}

// Rebase implements approvals.Subject: it merges the proposal with concurrent changes, config by
// config.
func (s subject) Rebase(ctx context.Context, u *uow.Unit, p approvals.Proposal) (approvals.Proposal, error) {
	tx, err := s.tx(ctx, u)
	if err != nil {
		return p, err
	}
	changes, err := s.decodeChanges(ctx, p)
	if err != nil {
		return p, err
	}
	rows, err := byKeys(tx, keysOf(changes))
	if err != nil {
		return p, err
	}
	var writes []plannedWrite
	blank := s.blank(ctx)
	for _, c := range changes {
		if row := rows[c.Key]; row != nil {
			row.work = blank.work
		}
		w, err := rebased(tx, c, rows[c.Key], blank, s.authorOf(ctx).claiming(c.Claim))
		if errors.Is(err, approvals.ErrNoChange) {
			continue
		}
		if err != nil {
			return p, err
		}
		w.index = len(writes)
		writes = append(writes, w)
	}
	if len(writes) == 0 {
		return p, approvals.ErrNoChange
	}
	if p.Kind == kindRollback && writes[0].ContentOf == 0 {
		p.Kind = kindUpdate
	}
	return proposalOf(p.Kind, p.Note, writes)
}

// rebased returns the write of a proposed change on the current config; current is nil if no config
// has the key. The caller becomes the author of the write, with the caller's permissions. Errors:
// ErrStaleBase, ErrNoChange, ValidationFailed and those of with.
func rebased(tx *gorm.DB, c Change, current *Config, blank Config, by author) (plannedWrite, error) {
	w := plannedWrite{Change: c, before: current}
	switch {
	case c.Op == OpCreate && current == nil, c.Op == OpDelete && current != nil && c.IfMatch.Matches(current.Ref()):
		return w, rejectionOf(w.check(blank, author{}))
	case c.Op == OpDelete && current == nil:
		return w, approvals.ErrNoChange
	// An equal secret value is not reported as ErrNoChange, which would confirm a guess.
	case c.Op == OpCreate && current.sameAs(c.Content) && !current.isConfidential():
		return w, approvals.ErrNoChange
	case c.Op == OpCreate, c.Op == OpDelete, current == nil, c.IfMatch.Ref.ID != current.ID:
		return w, approvals.ErrStaleBase
	}
	base, err := versionOf(tx, current, c.IfMatch.Ref.Version)
	if err != nil {
		return w, err
	}
	yours, err := proposedContent(c, base)
	if err != nil {
		return w, err
	}
	var documents [3]any
	for i, side := range []*Config{base, yours, current} {
		if documents[i], err = side.document(false); err != nil {
			return w, err
		}
	}
	merged := merge.ThreeWay(documents[0], documents[1], documents[2])
	switch {
	case !merged.AutoMergeable:
		return w, approvals.ErrStaleBase
	case merge.Equal(merged.Merged, documents[2]):
		return w, approvals.ErrNoChange
	}
	after, set, fields, err := current.applyDocument(merged.Merged, by)
	if err := rejectionOf(fields, err); err != nil {
		return w, err
	}
	if !c.IfMatch.Matches(current.Ref()) {
		// A merge is neither the version that a rollback restores nor the content before an
		// overwriting edit.
		w.origin = origin{}
	}
	w.Op, w.after, w.set, w.IfMatch = OpUpdate, after, set, guard.Precondition{Ref: current.Ref()}
	return w, nil
}

// rejectionOf returns the error of a change: err, or its violations.
func rejectionOf(fields []apperr.Field, err error) error {
	if err == nil && len(fields) > 0 {
		return apperr.Invalid(fields...)
	}
	return err
}

// proposedContent applies an update or a replacement to its base. It retains the stored form of the
// base's value, which is encrypted if the config became secret since.
func proposedContent(c Change, base *Config) (*Config, error) {
	w := plannedWrite{Change: c, before: base}
	if err := rejectionOf(w.check(*base, author{})); err != nil {
		return nil, err
	}
	if after := w.after; base.isConfidential() && !base.Secret && !after.Secret && !after.hasNewValue {
		after.Stored = base.Stored
	}
	return w.after, nil
}

// Conflict implements approvals.Subject.
func (s subject) Conflict(ctx context.Context, p approvals.Proposal) (approvals.Conflict, error) {
	changes, err := s.decodeChanges(ctx, p)
	if err != nil {
		return approvals.Conflict{}, err
	}
	rows, err := s.rowsOf(ctx, changes)
	if err != nil {
		return approvals.Conflict{}, err
	}
	members, moved := []map[string]any{}, 0
	var first *apperr.Error
	for _, c := range changes {
		if !conflicts(c, rows[c.Key]) {
			continue
		}
		// Each member has a base and a current version, so that a full list could be gigabytes.
		if moved++; moved > approvals.MaxSides {
			continue
		}
		if c, err = s.asPatch(ctx, c, rows[c.Key]); err != nil {
			return approvals.Conflict{}, err
		}
		e, err := s.conflictOf(ctx, c, rows[c.Key])
		if err != nil {
			return approvals.Conflict{}, err
		}
		if first == nil {
			first = e
		}
		members = append(members, memberOf(c, e))
	}
	switch {
	case moved == 0:
		return approvals.Conflict{Detail: "The configs of the approval are unchanged.", Members: map[string]any{}}, nil
	case len(changes) == 1:
		return approvals.Conflict{Stale: true, Detail: first.Detail, Members: maps.Clone(first.Members)}, nil
	}
	return approvals.Conflict{
		Stale:   true,
		Detail:  fmt.Sprintf("%d of its %d changes conflict with changes that others made since.", moved, len(changes)),
		Members: map[string]any{"members": members, "moved": moved},
	}, nil
}

// asPatch converts a replacement to a patch of its base, so that it can be compared. Without the
// base, which retention may have deleted, the change is returned unchanged.
func (s subject) asPatch(ctx context.Context, c Change, current *Config) (Change, error) {
	if c.Op != OpReplace || current == nil || c.IfMatch.Ref.ID != current.ID {
		return c, nil
	}
	base, err := baseOf(s.read(ctx), c)
	if err != nil || base == nil {
		return c, err
	}
	after, err := proposedContent(c, base)
	if err != nil {
		return c, err
	}
	c.Patch, _, err = patchBetween(base, after)
	return c, err
}

// Show implements approvals.Subject.
func (s subject) Show(ctx context.Context, p approvals.Proposal) (approvals.Rendered, error) {
	var changes []proposedChange
	if err := json.Unmarshal(p.Content, &changes); err != nil {
		return approvals.Rendered{}, fmt.Errorf("decode the proposed changes: %w", err)
	}
	hidden, err := s.withheld(ctx, basesInClear(changes))
	if err != nil {
		return approvals.Rendered{}, err
	}
	for i, c := range changes {
		if changes[i], err = s.shownChange(ctx, c, hidden[c.Key]); err != nil {
			return approvals.Rendered{}, err
		}
	}
	if p.Kind == kindUpdate && changes[0].Op == OpUpdate {
		return approvals.Rendered{Patch: changes[0].Patch, Masked: changes[0].Masked}, nil
	}
	text, err := strictjson.Encode(changes)
	return approvals.Rendered{Changes: text}, err
}

// Sides implements approvals.Subject.
func (s subject) Sides(ctx context.Context, p approvals.Proposal) ([]approvals.Comparison, error) {
	changes, err := s.decodeChanges(ctx, p)
	if err != nil {
		return nil, err
	}
	rows, err := s.rowsOf(ctx, changes)
	if err != nil {
		return nil, err
	}
	bases := make(map[string]guard.Ref, len(changes))
	for _, c := range changes {
		bases[c.Key] = c.IfMatch.Ref
	}
	hidden, err := s.withheld(ctx, bases)
	if err != nil {
		return nil, err
	}
	sides := make([]approvals.Comparison, len(changes))
	for i, c := range changes {
		if sides[i], err = s.side(ctx, c, rows[c.Key], hidden[c.Key]); err != nil {
			return nil, err
		}
	}
	return sides, nil
}

// side returns one resource of a proposal. The proposed value is withheld while the config is
// secret, also if the approval would make it readable.
func (s subject) side(ctx context.Context, c Change, current *Config, hidden bool) (approvals.Comparison, error) {
	side := approvals.Comparison{Resource: pathOf(c.Key)}
	if current != nil {
		side.Current = viewOf(ctx, current)
	}
	if c.Op == OpCreate {
		side.Proposed = proposedView(ctx, &Config{Content: c.Content}, hidden)
		return side, nil
	}
	base, err := baseOf(s.read(ctx), c)
	if err != nil || base == nil {
		return side, err
	}
	side.Base = viewOf(ctx, base)
	if c.Op == OpDelete {
		return side, nil
	}
	after, err := proposedContent(c, base)
	if err != nil {
		return side, err
	}
	side.Proposed = proposedView(ctx, after, hidden || base.isConfidential() && !after.hasNewValue)
	return side, nil
}

// versionOf reads an earlier version of a config, the base of a proposal. Errors: ErrStaleBase if
// retention has deleted it.
func versionOf(db *gorm.DB, current *Config, version int64) (*Config, error) {
	if current.Version == version {
		return current, nil
	}
	var h History
	err := db.Where("config_id = ? AND version = ?", current.ID, version).Take(&h).Error
	switch {
	case storage.IsNotFound(err):
		return nil, approvals.ErrStaleBase
	case err != nil:
		return nil, fmt.Errorf("read the base of the proposal: %w", err)
	}
	return h.config(current), nil
}

// baseOf reads the version that a change is based on, also of a deleted config; nil if it is not in
// the history.
func baseOf(db *gorm.DB, c Change) (*Config, error) {
	var h History
	err := db.Where("config_id = ? AND version = ?", c.IfMatch.Ref.ID, c.IfMatch.Ref.Version).Take(&h).Error
	switch {
	case storage.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the base of the proposal: %w", err)
	}
	row := &Config{Key: h.Key, vault: h.vault}
	row.ID, row.TenantID, row.CreatedTime = h.ConfigID, h.TenantID, h.ChangedTime
	return h.config(row), nil
}
