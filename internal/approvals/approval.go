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

// maxOpen is how many changes of one author may be pending at once. Whoever changes a resource
// makes all approvals that name it stale in the same unit: without a bound one author could
// propose so many that no change of it would come to its end. Requests that run at once may
// exceed it by as many as they are.
const maxOpen = 200

// maxContent bounds what an approval holds, in bytes: it is kept in one row, and one statement.
const maxContent = 4 << 20

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See approvals, their votes and their history. With the permission to write what they change also: edit and withdraw one's own, withdraw what a disabled author has left stale, rebase, and comment."},
	{Name: decidePermission, Meaning: "Approve, reject and comment on what others propose, and review what others bypassed.", Decides: true},
	{Name: bypassPermission, Meaning: "Make a protected change without the votes, with a reason that others review."},
}

const (
	// ReadPermission is also what the search, the dashboard and the live feed ask.
	ReadPermission   = "approvals:read"
	decidePermission = "approvals:decide"
	// bypassPermission is what Bypass needs.
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
	// Content is the change in its domain's form. Lists leave it out.
	Content string
	// ContentVersion is the version of the approval that brought the content.
	ContentVersion int64
	Digest         string
	// OpenDigest is the digest while the approval is open; an author has one such.
	OpenDigest *string
	// Required is how many votes it takes.
	Required int
	// Reason is that of a rejection or a bypass, or why what was scheduled was not made.
	Reason      string
	ExpiresTime time.Time
	// EffectiveTime is when the change is to be made, nil for as soon as it has its votes.
	EffectiveTime *time.Time
	// Comments counts them.
	Comments int64

	// Targets are the paths of what is changed, of which lists read the first MostSides, and
	// TargetCount how many there are; Votes all votes in their order, and Written the acts that
	// wrote any version of the content.
	Targets     []string `gorm:"-"`
	TargetCount int      `gorm:"-"`
	Votes       []Vote   `gorm:"-"`
	Written     []Act    `gorm:"-"`
	// Abandoned is set where it is stale and its author is disabled; see markAbandoned.
	Abandoned bool `gorm:"-"`
	// StatusRevision is the version that gave it its status: comments and votes come after it.
	StatusRevision change.Revision `gorm:"-"`
	// StatusCreatorID is the creator of the API token that gave it its status; 0 for none.
	StatusCreatorID int64 `gorm:"-"`
}

// Vote is one user's verdict on one version of an approval.
type Vote struct {
	ID         int64
	TenantID   int64
	ApprovalID int64
	// Version is the approval's that the voter read, and Digest that of its content.
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
	// Content is what the version proposes, nil for the same as the version before. It is kept
	// so that what somebody voted for is known after an edit.
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

// state is the approval's status at a time.
func (a *Approval) state(now time.Time) status.State {
	if a.Status == pending.Code && !now.Before(a.ExpiresTime) {
		return expired
	}
	return Machine.Of(a.Status)
}

// proposal is the change as its domain asked for it.
func (a *Approval) proposal() Proposal {
	return Proposal{
		Kind: a.Kind, Resource: a.Resource, BaseETag: a.BaseETag, Targets: a.Targets, Content: []byte(a.Content), Note: a.Note, Party: a.party(),
		EffectiveTime: a.EffectiveTime, Unvoted: a.Required == 0,
	}
}

// party is the Party of the proposal, nil for none.
func (a *Approval) party() *Party {
	if a.PartyTime == nil {
		return nil
	}
	return &Party{UserID: a.PartyID, CreatorID: a.PartyCreatorID, Time: *a.PartyTime}
}

// setContent makes a proposal with its digest the content of the approval, and the approval pending; or scheduled
// when the change takes no votes.
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

// waitsForItsTime reports whether the change is not to be made yet, whatever votes it has.
func (a *Approval) waitsForItsTime(now time.Time) bool {
	return a.EffectiveTime != nil && now.Before(*a.EffectiveTime)
}

// stands reports whether a vote is for the present content.
func (a *Approval) stands(v Vote) bool { return v.Version >= a.ContentVersion && v.Digest == a.Digest }

// approvers are the users whose votes for the present content stand.
func (a *Approval) approvers() []int64 {
	var users []int64
	for _, v := range a.Votes {
		if v.Verdict == verdictApprove && a.stands(v) {
			users = append(users, v.UserID)
		}
	}
	return users
}

// waitsFor reports whether a caller may still vote, or make a change whose valid votes are enough.
// Permissions are not checked here.
func (a *Approval) waitsFor(caller principal.Principal, now time.Time) bool {
	if caller.UserID == 0 || a.state(now) != pending || slices.ContainsFunc(caller.Users(), a.isParty) {
		return false
	}
	approvers := a.approvers()
	return len(approvers) >= a.Required || !slices.Contains(approvers, caller.UserID)
}
