package approvals

import (
	"context"
	"fmt"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

// Found is a search result.
type Found struct {
	ID       int64
	Resource string
	Status   string
}

// ByResource returns at most limit approvals with a target that starts with text, newest first. It
// matches the path of a target and its key without the collection.
func (s *Service) ByResource(ctx context.Context, text string, limit int) ([]Found, error) {
	spellings := storage.Spellings(text)
	for _, subject := range s.subjects {
		for _, spelling := range storage.Spellings(text) {
			spellings = append(spellings, subject.Grants().Path+spelling)
		}
	}
	targets, err := storage.ByPrefix[target](s.db.Read(ctx), "resource", spellings, limit)
	if err != nil {
		return nil, fmt.Errorf("find approvals by resource: %w", err)
	}
	names := make(map[int64]string, len(targets))
	ids := make([]int64, len(targets))
	for i, t := range targets {
		ids[i], names[t.ApprovalID] = t.ApprovalID, t.Resource
	}
	var rows []Approval
	if err := s.db.Read(ctx).Omit("content").Where("id IN ?", ids).Order("id DESC").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the approvals that were found: %w", err)
	}
	found := make([]Found, len(rows))
	for i, a := range rows {
		found[i] = Found{ID: a.ID, Resource: names[a.ID], Status: a.state(s.clock.Now()).Name}
	}
	return found, nil
}

// callerAsAuthor returns the author id of the context's caller, for a Filter.
func callerAsAuthor(ctx context.Context) int64 {
	caller, _ := principal.From(ctx)
	return callersID(caller)
}

// callersID returns a caller's id as an author; -1 for the program.
func callersID(caller principal.Principal) int64 {
	if caller.UserID < 1 {
		return -1
	}
	return caller.UserID
}

// Waiting counts the approvals that wait for the context's caller.
type Waiting struct {
	// ToDecide: the caller may vote for or complete them. Mine: the caller's, waiting for others.
	// Stale: the caller can rebase or withdraw them, as the author or, if the author is disabled,
	// as a user who may write the resource. ToReview: made without the votes.
	ToDecide, Mine, Stale, ToReview storage.Count
}

// maxWaiting bounds the counts of Waiting, because each candidate needs a lookup of its votes and
// its history.
const maxWaiting = 1_000

// CountWaiting counts the approvals that wait for the context's caller.
func (s *Service) CountWaiting(ctx context.Context) (Waiting, error) {
	caller, _ := principal.From(ctx)
	me := callerAsAuthor(ctx)
	var w Waiting
	for _, part := range []struct {
		into   *storage.Count
		filter Filter
	}{
		{&w.ToDecide, Filter{WaitingForCaller: true}},
		{&w.Mine, Filter{AuthorID: me, Status: &pending}},
		{&w.Stale, Filter{WaitingForCaller: true, Status: &stale}},
		{&w.ToReview, Filter{Status: &bypassed}},
	} {
		filter, err := s.withCaller(ctx, part.filter)
		if err != nil {
			return w, err
		}
		count, err := storage.CountAtMost[Approval](s.db.Read(ctx), maxWaiting, s.filters(filter, caller)...)
		if err != nil {
			return w, fmt.Errorf("count the approvals that wait: %w", err)
		}
		*part.into = count
	}
	return w, nil
}
