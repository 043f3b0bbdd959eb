package config

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"interlock/internal/approvals"
	"interlock/internal/base/merge"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Kinds of changes, in approvals and in the audit log.
const (
	kindUpdate   = "config.update"
	kindDelete   = "config.delete"
	kindRollback = "config.rollback"
	kindBatch    = "config.batch"
	kindImport   = "config.import"
)

// pathOf returns the path of a config below the API's base, with its key as one segment.
func pathOf(key string) string { return pathPrefix + url.PathEscape(key) }

const pathPrefix = "configs/"

// proposeIfRequired reports whether the writes may be made now. If one of them changes a protected
// config, it proposes all of them as one approval, unless the unit applies an approval or the
// caller bypasses the votes; it also proposes them if the caller schedules them. After a false,
// package guard rejects a write of the protected row.
//
// Errors: guard.ErrStale and guard.ErrDeleted if a config has changed since the writes were planned.
func (s *Service) proposeIfRequired(ctx context.Context, u *uow.Unit, kind, note string, writes ...plannedWrite) (bool, error) {
	waits := plannedWrite.needsApproval
	if approvals.Scheduled(ctx) {
		waits = plannedWrite.changes
	}
	if !slices.ContainsFunc(writes, waits) {
		return true, nil
	}
	p, err := proposalOf(kind, note, writes)
	if err != nil {
		return false, err
	}
	return s.approvals.Propose(ctx, u, p)
}

// needsApproval reports whether a write changes a protected config.
func (w plannedWrite) needsApproval() bool {
	return w.before != nil && w.before.Protected && w.changes()
}

// changes reports whether a write changes its row.
func (w plannedWrite) changes() bool { return w.after != w.before }

// write issues the guarded UPDATE of one config, and makes the approvals that name the config
// stale:
//
//	UPDATE configs SET …, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND version = ? AND protected = ? AND proposed = 0
func (s *Service) write(ctx context.Context, u *uow.Unit, before *Config, set guard.Set) error {
	named, err := updateRow(ctx, u, before, set)
	if err != nil {
		return err
	}
	return s.markApprovalsStale(ctx, u, named, before)
}

// updateRow issues the guarded UPDATE, and reports whether open approvals may name the config.
func updateRow(ctx context.Context, u *uow.Unit, before *Config, set guard.Set) (named bool, err error) {
	err = guard.Update[Config](ctx, guard.Deferred(u), before.Ref(), set)
	if errors.Is(err, guard.ErrProposed) {
		return true, guard.UpdateProposed[Config](ctx, guard.Deferred(u), before.Ref(), set)
	}
	return u.Approval() != 0, err
}

// markApprovalsStale makes the approvals that name a config stale. named is false if no approval
// can name it.
func (s *Service) markApprovalsStale(ctx context.Context, u *uow.Unit, named bool, c *Config) error {
	if !named {
		return nil
	}
	return s.approvals.MarkStale(ctx, u, c.path())
}

// proposeEdit proposes an edit if it is scheduled or changes a protected config, and reports
// whether it has proposed the edit.
func (s *Service) proposeEdit(ctx context.Context, u *uow.Unit, before, after *Config, overwrite *change.Overwrite) (bool, error) {
	if !before.Protected && !approvals.Scheduled(ctx) {
		return false, nil
	}
	w := plannedWrite{Change: Change{Key: before.Key, Op: OpUpdate, IfMatch: guard.Precondition{Ref: before.Ref()}}, before: before, after: after}
	note := ""
	if overwrite != nil {
		note, w.Destroyed = overwrite.Reason, destroyedOf(overwrite.Destroyed)
		if len(w.Destroyed) > 0 {
			w.Action = Overwritten
		}
	}
	now, err := s.proposeIfRequired(ctx, u, kindUpdate, note, w)
	return !now, err
}

// proposalOf returns the proposal of changes of configs.
func proposalOf(kind, note string, writes []plannedWrite) (approvals.Proposal, error) {
	p := approvals.Proposal{Kind: kind, Note: noteOf(note, writes), MarkTargets: markTargets(writes), Unvoted: !slices.ContainsFunc(writes, plannedWrite.needsApproval)}
	switch kind {
	case kindBatch:
		p.Resource = "config-batches"
	case kindImport:
		p.Resource = "configs"
	default:
		p.Resource = writes[0].before.path()
		p.BaseETag = writes[0].before.Ref().ETag()
	}
	changes := make([]proposedChange, 0, len(writes))
	for _, w := range writes {
		if w.after == w.before {
			continue
		}
		c, err := proposedOf(w)
		if err != nil {
			return p, err
		}
		changes = append(changes, c)
		p.Targets = append(p.Targets, pathOf(w.Key))
	}
	var err error
	p.Content, err = encodeChanges(changes)
	return p, err
}

// markTargets marks the rows of writes as proposed, in the order of their keys.
func markTargets(writes []plannedWrite) func(ctx context.Context, u *uow.Unit) error {
	return func(ctx context.Context, u *uow.Unit) error {
		for _, w := range inKeyOrder(writes) {
			if w.before == nil || w.after == w.before {
				continue
			}
			if err := guard.Propose[Config](ctx, u, w.before.Ref()); err != nil {
				return err
			}
		}
		return nil
	}
}

// proposedOf returns one write in the format of an approval: a merge patch if one expresses the
// change, otherwise the whole content. A rollback and an import always use the whole content,
// because they restore exact texts.
func proposedOf(w plannedWrite) (proposedChange, error) {
	c := proposedChange{Key: w.Key, Op: w.Op, Claim: w.Claim, origin: w.origin}
	if w.after != nil {
		c.Claim = w.after.claim
	}
	if w.before != nil {
		c.ETag = w.before.Ref().ETag()
	}
	var err error
	switch w.Op {
	case OpDelete:
		return c, nil
	case OpUpdate:
		var patch any
		var possible bool
		if patch, possible, err = patchBetween(w.before, w.after); err != nil {
			return c, err
		}
		if possible {
			return c.withPatch(w, patch)
		}
		c.Op = OpReplace
	}
	if c.Patch, err = encodeContent(w.after.Content); err != nil {
		return c, err
	}
	content, err := merge.Parse(c.Patch)
	if err != nil {
		return c, err
	}
	return c.withPatch(w, content)
}

// patchBetween returns the merge patch from before to after, if one exists.
func patchBetween(before, after *Config) (patch any, possible bool, err error) {
	from, err := before.document(true)
	if err != nil {
		return nil, false, err
	}
	to, err := after.document(true)
	if err != nil {
		return nil, false, err
	}
	// The claim of the change contains its owners.
	patch, possible = merge.PatchBetween(withMember(from, ownerMember, nil), withMember(to, ownerMember, nil))
	if !possible {
		return nil, false, nil
	}
	// An approval applies the patch as an author who reads no secret value, and validation may
	// normalise the result, so the patch is tried the same way here.
	if from, err = before.document(false); err != nil {
		return nil, false, err
	}
	made, _, fields, err := before.applyDocument(author{}.patched(from, patch), author{})
	return patch, err == nil && len(fields) == 0 && made.Content == after.Content, nil
}
