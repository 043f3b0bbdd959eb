package approvals

import (
	"fmt"
	"slices"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

// Limits, in characters.
const (
	maxNote   = 500
	maxReason = 500
)

// maxOpen bounds the pending changes of one author. A unit that changes a resource makes all
// approvals that name it stale, so without a bound one author could make that unit too large to
// commit. N concurrent requests may exceed it by N.
const maxOpen = 200

// maxContent bounds the content of an approval, in bytes. It is stored in one row by one statement.
const maxContent = 4 << 20

const (
	// ReadPermission is also checked by the search, the dashboard and the live feed.
	ReadPermission   = "approvals:read"
	decidePermission = "approvals:decide"
	// bypassPermission is checked by Bypass.
	bypassPermission = "approvals:bypass"
)

// Approval is a change that waits, or waited, for the votes of others.
type Approval struct {
	guard.Row
	Status     int
	Kind       string
	Resource   string
	AuthorID   int64
	AuthorName string
	// PartyID, PartyCreatorID and PartyTime are the Party of the proposal; PartyTime is nil for none.
	PartyID        int64
	PartyCreatorID int64
	PartyTime      *time.Time
	Note           string
	// BaseETag is the version that the change is based on; "" for many or none.
	BaseETag string `gorm:"column:base_etag"`
	// Content is the change in its domain's format. Lists omit it.
	Content string
	// ContentVersion is the approval's version that set Content.
	ContentVersion int64
	Digest         string
	// OpenDigest equals Digest while the approval is open, and is nil otherwise. It is unique per
	// author.
	OpenDigest *string
	// Required is the number of votes that the change needs.
	Required int
	// Reason is the reason of a rejection or a bypass, or the reason why a scheduled change was not
	// applied.
	Reason      string
	ExpiresTime time.Time
	// EffectiveTime is the time at which the change is applied; nil for as soon as it has its
	// votes.
	EffectiveTime *time.Time
	// Comments is the number of comments.
	Comments int64

	// Targets are the paths of the changed resources; lists read the first MaxSides. TargetCount
	// is the number of all targets. Votes are in the order in which they were cast. Written are the
	// acts that wrote a version of the content.
	Targets     []string `gorm:"-"`
	TargetCount int      `gorm:"-"`
	Votes       []Vote   `gorm:"-"`
	Written     []Act    `gorm:"-"`
	// Abandoned is set if the approval is stale and its author is disabled; see markAbandoned.
	Abandoned bool `gorm:"-"`
	// StatusRevision is the version that set the status. Comments and votes make later versions.
	StatusRevision change.Revision `gorm:"-"`
	// StatusCreatorID is the creator of the API token that set the status; 0 for none.
	StatusCreatorID int64 `gorm:"-"`
}

// Vote is one user's verdict on one version of an approval.
type Vote struct {
	ID         int64
	TenantID   int64
	ApprovalID int64
	// Version is the approval's version that the voter read, Digest the digest of its content.
	Version  int64
	Digest   string
	UserID   int64
	UserName string
	principal.Via
	Verdict   string
	VotedTime time.Time
}

// TableName implements gorm's Tabler.
func (Vote) TableName() string { return "approval_votes" }

// The verdicts.
const (
	verdictApprove = "approve"
	verdictReject  = "reject"
)

// target is a resource that an approval changes.
type target struct {
	ID         int64
	TenantID   int64
	ApprovalID int64
	Resource   string
	// Pending is true while the approval is pending or scheduled.
	Pending bool
}

// TableName implements gorm's Tabler.
func (target) TableName() string { return "approval_targets" }

// Event is one version of an approval.
type Event struct {
	ID         int64
	TenantID   int64
	ApprovalID int64
	change.Event
	// CreatorID is the creator of the API token that made the version; 0 for none.
	CreatorID int64
	// Content is the content that the version proposes; nil if it equals the content of the version
	// before. It is stored so that the content behind a vote can be shown after an edit.
	Content *string
}

// TableName implements gorm's Tabler.
func (Event) TableName() string { return "approval_histories" }

// Comment is a comment on an approval.
type Comment struct {
	ApprovalID int64
	change.Comment
}

// TableName implements gorm's Tabler.
func (Comment) TableName() string { return "approval_comments" }

func (a *Approval) label() string { return fmt.Sprintf("approval %d", a.ID) }

func (a *Approval) path() string { return fmt.Sprintf("approvals/%d", a.ID) }

// state returns the approval's status at a time: a pending approval is expired from ExpiresTime on.
func (a *Approval) state(now time.Time) status.State {
	if a.Status == pending.Code && !now.Before(a.ExpiresTime) {
		return expired
	}
	return Machine.Of(a.Status)
}

// proposal returns the change in the form in which its domain proposed it.
func (a *Approval) proposal() Proposal {
	return Proposal{
		Kind: a.Kind, Resource: a.Resource, BaseETag: a.BaseETag, Targets: a.Targets, Content: []byte(a.Content), Note: a.Note, Party: a.party(),
		EffectiveTime: a.EffectiveTime, Unvoted: a.Required == 0,
	}
}

// party returns the Party of the proposal; nil for none.
func (a *Approval) party() *Party {
	if a.PartyTime == nil {
		return nil
	}
	return &Party{UserID: a.PartyID, CreatorID: a.PartyCreatorID, Time: *a.PartyTime}
}

// setContent sets the content of the approval to a proposal with its digest. The approval becomes
// pending, or scheduled if the change needs no votes.
func (a *Approval) setContent(p Proposal, digest string, rules Rules, now time.Time) {
	a.Kind, a.Resource, a.BaseETag, a.Content, a.Note = p.Kind, p.Resource, p.BaseETag, string(p.Content), p.Note
	a.Targets, a.TargetCount, a.EffectiveTime = slices.Clone(p.Targets), len(p.Targets), p.EffectiveTime
	a.PartyID, a.PartyCreatorID, a.PartyTime = 0, 0, nil
	if p.Party != nil {
		a.PartyID, a.PartyCreatorID, a.PartyTime = p.Party.UserID, p.Party.CreatorID, &p.Party.Time
	}
	a.Digest = digest
	a.OpenDigest = &a.Digest
	a.Status, a.Required, a.ExpiresTime = pending.Code, rules.Required, now.Add(rules.Lasts)
	if p.Unvoted && p.EffectiveTime != nil {
		a.Status, a.Required = scheduled.Code, 0
	}
}

// waitsForItsTime reports whether the effective time is in the future.
func (a *Approval) waitsForItsTime(now time.Time) bool {
	return a.EffectiveTime != nil && now.Before(*a.EffectiveTime)
}

// isCurrent reports whether a vote is for the current content.
func (a *Approval) isCurrent(v Vote) bool {
	return v.Version >= a.ContentVersion && v.Digest == a.Digest
}

// approvers returns the users who approved the current content.
func (a *Approval) approvers() []int64 {
	var users []int64
	for _, v := range a.Votes {
		if v.Verdict == verdictApprove && a.isCurrent(v) {
			users = append(users, v.UserID)
		}
	}
	return users
}

// waitsFor reports whether a caller may still vote, or complete a quorum that the valid votes have
// reached. It does not check permissions.
func (a *Approval) waitsFor(caller principal.Principal, now time.Time) bool {
	if caller.UserID == 0 || a.state(now) != pending || slices.ContainsFunc(caller.Users(), a.isParty) {
		return false
	}
	approvers := a.approvers()
	return len(approvers) >= a.Required || !slices.Contains(approvers, caller.UserID)
}
