package approvals

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// openKey is the unique key that limits an author to one open approval per change.
const openKey = "uq_approvals_open"

// rowsPerStatement bounds the rows that one statement inserts or names.
const rowsPerStatement = 500

// writing are the actions of history rows with content.
var writing = []string{"propose", "edit", "rebase"}

var sorts = storage.Sorts{
	Columns: map[string]string{"id": "id", "updatedTime": "updated_time", "expiresTime": "expires_time"},
	Default: "-id",
}

// Filter narrows a list of approvals. Fields with the zero value do not filter.
type Filter struct {
	// Status is nil for all.
	Status *status.State
	// Resource is the path of one of the changed resources.
	Resource string
	// AuthorID is 0 for all.
	AuthorID int64
	// WaitingForCaller selects approvals that the caller may vote for or complete; among stale
	// approvals, those that the caller can rebase or withdraw: the caller's approvals, and the
	// approvals of disabled authors if the caller may write the resource.
	WaitingForCaller bool

	// disabled are disabled authors, for stale approvals that wait for the caller.
	disabled []int64
}

// maxDisabled bounds the disabled authors with stale approvals that other users see.
const maxDisabled = 500

// withCaller adds the disabled authors to a filter that needs them.
func (s *Service) withCaller(ctx context.Context, f Filter) (_ Filter, err error) {
	if f.isStaleForCaller() {
		f.disabled, err = s.tenancy.Disabled(ctx, maxDisabled)
	}
	return f, err
}

func (f Filter) isStaleForCaller() bool {
	return f.WaitingForCaller && f.Status != nil && *f.Status == stale
}

// filters returns the filters of a list, the most selective first. A pending row that is overdue
// counts as expired.
func (s *Service) filters(f Filter, caller principal.Principal) (filters []storage.Filter) {
	now := s.clock.Now()
	reviewable := s.kindsThat(caller, s.mayReview)
	if f.WaitingForCaller && !f.isStaleForCaller() && reviewable == "" {
		return []storage.Filter{storage.InSubquery("-1")}
	}
	if f.Resource != "" {
		filters = append(filters, storage.InSubquery("SELECT t.approval_id FROM approval_targets t WHERE t.tenant_id = ? AND t.resource = ?", caller.TenantID, f.Resource))
	}
	waiting := []storage.Filter{storage.Equal("status", pending.Code), storage.Examined("expires_time > ?", now)}
	switch {
	case f.isStaleForCaller():
		filters = append(filters,
			storage.Indexed("author_id", "IN ?", append([]int64{callersID(caller)}, f.disabled...)),
			storage.Examined("(author_id = ? OR "+cmp.Or(s.kindsThat(caller, s.mayWrite), "1 = 0")+")", callersID(caller)),
		)
	case f.WaitingForCaller:
		const votes = "FROM approval_votes v WHERE v.tenant_id = approvals.tenant_id AND v.approval_id = approvals.id AND v.version >= approvals.content_version"
		filters = append(filters, append(waiting,
			storage.Examined("NOT EXISTS (SELECT 1 FROM approval_histories h WHERE h.tenant_id = approvals.tenant_id AND h.approval_id = approvals.id AND (h.changed_by IN ? OR h.creator_id IN ?) AND h.action IN ?)", caller.Users(), caller.Users(), writing),
			storage.Examined("(NOT EXISTS (SELECT 1 "+votes+" AND v.user_id = ?) OR (SELECT COUNT(*) "+votes+" AND v.verdict = ?) >= approvals.required)", caller.UserID, verdictApprove),
			storage.Examined("party_id NOT IN ? AND party_creator_id NOT IN ?", caller.Users(), caller.Users()),
			storage.Examined(reviewable),
		)...)
	}
	if f.AuthorID != 0 {
		filters = append(filters, storage.Equal("author_id", f.AuthorID))
	}
	if f.Status == nil {
		return filters
	}
	switch *f.Status {
	case pending:
		return append(filters, waiting...)
	case expired:
		return append(filters, storage.Either(
			storage.Equal("status", expired.Code),
			storage.Indexed("status", "= ? AND expires_time <= ?", pending.Code, now),
		))
	}
	return append(filters, storage.Equal("status", f.Status.Code))
}

// kindsThat returns the SQL condition for the kinds that may reports true for; "" for no kind.
func (s *Service) kindsThat(caller principal.Principal, may func(principal.Principal, string) bool) string {
	var conditions []string
	for _, kind := range slices.Sorted(maps.Keys(s.subjects)) {
		if caller.UserID != 0 && may(caller, kind) {
			conditions = append(conditions, "kind LIKE '"+kind+".%'")
		}
	}
	if len(conditions) == 0 {
		return ""
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}

func find(db *gorm.DB, id int64) (*Approval, error) {
	var a Approval
	if err := db.Where("id = ?", id).Take(&a).Error; err != nil {
		return nil, err
	}
	return &a, withParts(db.Session(&gorm.Session{NewDB: true}), []*Approval{&a}, math.MaxInt32)
}

// withParts reads the votes, the revisions and at most targets targets of approvals, in one query
// per table.
func withParts(db *gorm.DB, approvals []*Approval, targets int) error {
	if len(approvals) == 0 {
		return nil
	}
	byID := make(map[int64]*Approval, len(approvals))
	ids := make([]int64, len(approvals))
	for i, a := range approvals {
		byID[a.ID], ids[i] = a, a.ID
	}
	if err := storage.Attach(db, "approval_id", approvals, func(a *Approval) (int64, *[]Vote) { return a.ID, &a.Votes }, func(v Vote) int64 { return v.ApprovalID }); err != nil {
		return err
	}
	var named []struct {
		ApprovalID int64
		Resource   string
		Total      int
	}
	const sequenced = `SELECT approval_id, resource, total FROM (
			SELECT id, approval_id, resource, ROW_NUMBER() OVER (PARTITION BY approval_id ORDER BY id) AS ordinal, COUNT(*) OVER (PARTITION BY approval_id) AS total
			FROM approval_targets WHERE tenant_id = ? AND approval_id IN ?) sequenced
		WHERE ordinal <= ? ORDER BY id`
	caller, _ := principal.From(db.Statement.Context)
	if err := db.Raw(sequenced, caller.TenantID, ids, targets).Scan(&named).Error; err != nil {
		return fmt.Errorf("read the targets of approvals: %w", err)
	}
	for _, t := range named {
		a := byID[t.ApprovalID]
		a.Targets, a.TargetCount = append(a.Targets, t.Resource), t.Total
	}
	var written []Event
	err := db.Omit("content", "detail").Where("approval_id IN ? AND (action IN ? OR from_status IS NULL OR from_status <> to_status)", ids, writing).
		Order("id").Find(&written).Error
	if err != nil {
		return fmt.Errorf("read the authors and transitions of approvals: %w", err)
	}
	for _, w := range written {
		a := byID[w.ApprovalID]
		if slices.Contains(writing, w.Action) {
			a.Written = append(a.Written, writtenBy([]int64{w.ChangedBy, w.CreatorID}, w.ChangedTime))
		}
		if w.FromStatus == nil || *w.FromStatus != w.ToStatus {
			a.StatusRevision, a.StatusCreatorID = w.Revision, w.CreatorID
		}
	}
	return nil
}

// writtenBy returns the act of writing a version of the content.
func writtenBy(users []int64, at time.Time) Act {
	return Act{Users: users, Time: at, Predicate: "wrote a version of it"}
}

// findSameOpen returns the other open approval of a's author with the same digest, or nil.
func findSameOpen(tx *gorm.DB, a *Approval) (*Approval, error) {
	var found []Approval
	if err := tx.Where("author_id = ? AND open_digest = ? AND id <> ?", a.AuthorID, a.Digest, a.ID).Limit(1).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("find an open approval of the same change: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], withParts(tx, []*Approval{&found[0]}, math.MaxInt32)
}

// retryDuplicate retries the unit if the unique key reports that the author opened the same change
// concurrently: the retry finds that approval.
func retryDuplicate(err error) error {
	if storage.IsDuplicate(err, openKey) {
		return uow.Retry(fmt.Errorf("insert a duplicate approval: %w", err))
	}
	return err
}

// insert adds an approval with its targets.
func insert(ctx context.Context, u *uow.Unit, a *Approval) error {
	if err := retryDuplicate(guard.Insert(ctx, u, a)); err != nil {
		return fmt.Errorf("insert the approval: %w", err)
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	return insertTargets(tx, a, a.Targets)
}

func insertTargets(tx *gorm.DB, a *Approval, resources []string) error {
	targets := make([]target, len(resources))
	for i, resource := range resources {
		targets[i] = target{ApprovalID: a.ID, Resource: resource, Pending: isOpen(a.Status)}
	}
	if err := tx.CreateInBatches(targets, rowsPerStatement).Error; err != nil {
		return fmt.Errorf("insert the targets of an approval: %w", err)
	}
	return nil
}

// retarget updates the targets of an approval with new content.
func retarget(tx *gorm.DB, before, after *Approval) error {
	for some := range slices.Chunk(without(before.Targets, after.Targets), rowsPerStatement) {
		if err := tx.Exec("DELETE FROM approval_targets WHERE tenant_id = ? AND approval_id = ? AND resource IN ?", after.TenantID, after.ID, some).Error; err != nil {
			return fmt.Errorf("delete targets of an approval: %w", err)
		}
	}
	if more := without(after.Targets, before.Targets); len(more) > 0 {
		return insertTargets(tx, after, more)
	}
	return nil
}

// without returns the elements of some that are not in others.
func without(some, others []string) []string {
	excluded := make(map[string]bool, len(others))
	for _, other := range others {
		excluded[other] = true
	}
	return slices.DeleteFunc(slices.Clone(some), func(s string) bool { return excluded[s] })
}

// insertEvent inserts the history row of the approval's current version. from is nil for a new
// approval.
func insertEvent(ctx context.Context, u *uow.Unit, a *Approval, action string, from *int, detail map[string]any) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if detail == nil {
		detail = map[string]any{}
	}
	text, err := strictjson.Encode(detail)
	if err != nil {
		return fmt.Errorf("encode an event of an approval: %w", err)
	}
	caller, _ := principal.From(ctx)
	event := Event{ApprovalID: a.ID, CreatorID: caller.Via.CreatorID, Event: change.EventOf(a.Row, action, from, a.Status, text)}
	if from == nil || slices.Contains(writing, action) {
		event.Content = &a.Content
	}
	if err := tx.Create(&event).Error; err != nil {
		return fmt.Errorf("insert an event of an approval: %w", err)
	}
	if from == nil || *from != a.Status {
		a.StatusRevision, a.StatusCreatorID = event.Revision, event.CreatorID
	}
	return nil
}

func insertVote(ctx context.Context, u *uow.Unit, v Vote) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	v.VotedTime = u.Now()
	if err := tx.Create(&v).Error; err != nil {
		return fmt.Errorf("insert a vote: %w", err)
	}
	return nil
}

// write issues the guarded UPDATE for the next version of an approval:
//
//	UPDATE approvals SET status = ?, content = ?, …, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND status = ? AND version = ?
//
// and updates its targets. If the approval becomes equal to another open approval of its author,
// write returns the error of retryDuplicate.
func write(ctx context.Context, u *uow.Unit, before, after *Approval) error {
	set := guard.Set{"reason": after.Reason}
	if !isOpen(after.Status) {
		after.OpenDigest = nil
		set["open_digest"] = nil
	}
	if after.ContentVersion != before.ContentVersion {
		set["base_etag"], set["content"], set["digest"], set["open_digest"] = after.BaseETag, after.Content, after.Digest, after.OpenDigest
		set["kind"], set["effective_time"] = after.Kind, after.EffectiveTime
		set["note"], set["content_version"], set["required"], set["expires_time"] = after.Note, after.ContentVersion, after.Required, after.ExpiresTime
	}
	err := retryDuplicate(guard.Transition[Approval](ctx, u, before.Ref(), Machine.Of(before.Status), Machine.Of(after.Status), set))
	if err != nil {
		return err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if after.ContentVersion != before.ContentVersion {
		if err := retarget(tx, before, after); err != nil {
			return err
		}
	}
	if before.Status != after.Status {
		const statement = "UPDATE approval_targets SET pending = ? WHERE tenant_id = ? AND approval_id = ?"
		if err := tx.Exec(statement, isOpen(after.Status), after.TenantID, after.ID).Error; err != nil {
			return fmt.Errorf("mark the targets of an approval: %w", err)
		}
	}
	return guard.Advance(ctx, u, after)
}

// lockPending reads the open approvals that name one of the resources, except one, and locks them
// in the order of their ids:
//
//	SELECT DISTINCT approval_id FROM approval_targets WHERE tenant_id = ? AND resource IN (…) AND pending = ?
//	SELECT * FROM approvals WHERE tenant_id = ? AND id IN (…) AND status IN (…) ORDER BY id FOR UPDATE
func lockPending(ctx context.Context, u *uow.Unit, resources []string, but int64) ([]Approval, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for some := range slices.Chunk(resources, rowsPerStatement) {
		var named []int64
		err := tx.Model(&target{}).Distinct("approval_id").Where("resource IN ? AND pending = ? AND approval_id <> ?", some, true, but).Pluck("approval_id", &named).Error
		if err != nil {
			return nil, fmt.Errorf("find pending approvals: %w", err)
		}
		ids = append(ids, named...)
	}
	slices.Sort(ids)
	var rows []Approval
	for some := range slices.Chunk(slices.Compact(ids), rowsPerStatement) {
		var locked []Approval
		err := tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Omit("content"). //nolint:forbidigo // the version decides, in write
														Where("id IN ? AND status IN ?", some, open).Order("id").Find(&locked).Error
		if err != nil {
			return nil, fmt.Errorf("lock pending approvals: %w", err)
		}
		rows = append(rows, locked...)
	}
	return rows, nil
}
