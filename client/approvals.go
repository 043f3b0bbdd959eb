package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Approvals are changes that wait for the votes of others.
type Approvals struct{ client *Client }

// ApprovalStatus is where an approval is.
type ApprovalStatus string

// The statuses of approvals. Approved means applied.
const (
	ApprovalPending   ApprovalStatus = "pending"
	ApprovalApproved  ApprovalStatus = "approved"
	ApprovalRejected  ApprovalStatus = "rejected"
	ApprovalWithdrawn ApprovalStatus = "withdrawn"
	ApprovalStale     ApprovalStatus = "stale"
	ApprovalExpired   ApprovalStatus = "expired"
	ApprovalBypassed  ApprovalStatus = "bypassed"
	ApprovalReviewed  ApprovalStatus = "reviewed"
	ApprovalScheduled ApprovalStatus = "scheduled"
)

// Approval is a change that waits, or waited, for the votes of others.
type Approval struct {
	Stamp
	ID int64 `json:"id"`
	// Kind is such as config.update.
	Kind string `json:"kind"`
	// Resource is the path of what is changed, Targets those of all that is, in lists and
	// refusals of the first 20, and TargetCount how many there are.
	Resource    string   `json:"resource"`
	Targets     []string `json:"targets"`
	TargetCount int      `json:"targetCount"`
	Author      Person   `json:"author"`
	Note        string   `json:"note"`
	// BaseETag is the version that it is based on; "" for many or none.
	BaseETag string `json:"baseEtag"`
	// Currency is of the amounts in the proposal and its sides (ISO 4217).
	Currency string `json:"currency"`
	// Patch is the merge patch of an edit of one resource, and Changes what else is
	// proposed. Both are nil in lists.
	Patch   json.RawMessage `json:"patch"`
	Changes json.RawMessage `json:"changes"`
	// Masked is set when a secret value in Patch is withheld, and null there.
	Masked bool `json:"masked,omitempty"`
	// Digest is of what is proposed: votes are for it.
	Digest string `json:"digest"`
	// Required is how many votes it takes; 0 for what waits for its time alone.
	Required           int            `json:"required"`
	Votes              []ApprovalVote `json:"votes"`
	Status             ApprovalStatus `json:"status"`
	AllowedTransitions []string       `json:"allowedTransitions"`
	// Reason is that of a rejection or a bypass, or why what was scheduled could not be made.
	Reason      string    `json:"reason"`
	ExpiresTime time.Time `json:"expiresTime"`
	// EffectiveTime is when the change is to be made, nil for as soon as it has its votes.
	EffectiveTime *time.Time `json:"effectiveTime"`
	// Comments is how many there are.
	Comments int64 `json:"comments"`
	// StatusBy is who gave it its status, and StatusTime when.
	StatusBy   Person    `json:"statusBy"`
	StatusTime time.Time `json:"statusTime"`
	// WaitingForMe says whether the caller may still vote; of a stale one, whether they are to rebase or withdraw it.
	WaitingForMe bool `json:"waitingForMe"`
	// Sides are what there was, would be and is; in Get only.
	Sides []ApprovalSide `json:"sides"`
}

// ApprovalVote is one user's word on one version of an approval.
type ApprovalVote struct {
	User Person `json:"user"`
	// Token is the API token that it was cast with; nil for none.
	Token   *TokenRef `json:"token"`
	Verdict string    `json:"verdict"`
	Version int64     `json:"version"`
	Time    time.Time `json:"time"`
	// Stands is false for a vote on other content than the approval has now.
	Stands bool `json:"stands"`
}

// ApprovalSide is one resource of an approval; null where it is not there.
type ApprovalSide struct {
	Resource string          `json:"resource"`
	Base     json.RawMessage `json:"base"`
	Proposed json.RawMessage `json:"proposed"`
	Current  json.RawMessage `json:"current"`
}

// ApprovalFilter narrows a list of approvals.
type ApprovalFilter struct {
	Paging
	Status ApprovalStatus
	// Resource is the path of something that is changed.
	Resource string
	// Author is the id of a user, or "me".
	Author string
	// WaitingForMe leaves what the caller may still vote for; with the status stale, what they are to rebase or withdraw.
	WaitingForMe bool
}

// ApprovalComment is what somebody said of an approval.
type ApprovalComment struct {
	Comment
	ApprovalID int64 `json:"approvalId"`
}

// ApprovalEvent is one version of an approval.
type ApprovalEvent struct {
	Version  int64           `json:"version"`
	Action   string          `json:"action"`
	From     ApprovalStatus  `json:"from"`
	To       ApprovalStatus  `json:"to"`
	Detail   json.RawMessage `json:"detail"`
	Currency string          `json:"currency"`
	// Patch and Changes are what the version proposes, where it brought that.
	Patch       json.RawMessage `json:"patch"`
	Changes     json.RawMessage `json:"changes"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
}

// Proposed is what a change of something protected returns in the place of its result: it
// was not made and waits for the votes of others.
type Proposed struct{ Approval Approval }

// Error says what waits.
func (p *Proposed) Error() string {
	return "the change of " + p.Approval.Resource + " waits for approval " + strconv.FormatInt(p.Approval.ID, 10)
}

// StaleApproval is an approval that cannot be decided, because what it would change has
// changed. What it says of the resource is there as far as the caller may read it.
type StaleApproval struct {
	*Problem        `json:"-"`
	ExpectedVersion *int64          `json:"expectedVersion"`
	CurrentVersion  int64           `json:"currentVersion"`
	CurrentETag     string          `json:"currentEtag"`
	UpdatedBy       Person          `json:"updatedBy"`
	UpdatedTime     time.Time       `json:"updatedTime"`
	Base            json.RawMessage `json:"base"`
	Current         json.RawMessage `json:"current"`
	Conflicts       []Difference    `json:"conflicts"`
	AutoMergeable   bool            `json:"autoMergeable"`
	// Members are the first 20 that have changed, for a change of many resources, and Moved
	// how many have.
	Members []MemberConflict `json:"members"`
	Moved   int              `json:"moved"`
}

// Unwrap returns the problem.
func (s *StaleApproval) Unwrap() error { return s.Problem }

const approvalsPath = "/api/v1/approvals/"

// proposed returns what a reply proposed in the place of the change; nil when it did not.
func (a answer) proposed() error {
	if a.status != http.StatusAccepted || !strings.HasPrefix(a.header.Get("Location"), approvalsPath) {
		return nil
	}
	p := new(Proposed)
	if err := json.Unmarshal(a.body, &p.Approval); err != nil {
		return err
	}
	return p
}

// Bypass makes a change of something protected at once, for a reason that others review. It
// needs the permission approvals:bypass.
func Bypass(reason string) CallOption { return query("bypass", reason) }

// At makes a change of a config or a flash sale at a time in the future: it returns [Proposed],
// which waits for its votes, where it takes any, and then for the time. Others who change the
// same meanwhile make it stale.
func At(t time.Time) CallOption { return query("effectiveTime", t.Format(time.RFC3339Nano)) }

func approvalPath(id int64) string { return "/approvals/" + strconv.FormatInt(id, 10) }

// List lists approvals, the newest first or as the filter's Sort says.
func (s *Approvals) List(f ApprovalFilter) List[Approval] {
	query := f.parameters().text("status", string(f.Status)).text("resource", f.Resource).text("author", f.Author)
	if f.WaitingForMe {
		query = query.text("waitingFor", "me")
	}
	return List[Approval]{s.client, "/approvals", query}
}

// Get reads an approval.
func (s *Approvals) Get(ctx context.Context, id int64, options ...CallOption) (Approval, error) {
	return get[Approval](ctx, s.client, approvalPath(id), options)
}

// History lists an approval's versions, newest first.
func (s *Approvals) History(id int64, p Paging) List[ApprovalEvent] {
	return List[ApprovalEvent]{s.client, approvalPath(id) + "/history", p.parameters()}
}

// Comments lists what was said of an approval, oldest first.
func (s *Approvals) Comments(id int64, p Paging) List[ApprovalComment] {
	return List[ApprovalComment]{s.client, approvalPath(id) + "/comments", p.parameters()}
}

// Comment says something of an approval. It is a new version of the approval that leaves the
// votes as they are.
func (s *Approvals) Comment(ctx context.Context, id int64, text string, options ...CallOption) (ApprovalComment, error) {
	return comment[ApprovalComment](ctx, s.client, approvalPath(id), text, options)
}

// Edit gives what the caller has proposed another patch and another note; what is nil stays.
// The votes so far are void then. It and all that follow are on a as it was read: a [Conflict]
// when it was edited, voted for or decided meanwhile.
func (s *Approvals) Edit(ctx context.Context, a Approval, patch json.RawMessage, note *string, options ...CallOption) (Approval, error) {
	body := struct {
		Patch json.RawMessage `json:"patch,omitempty"`
		Note  *string         `json:"note,omitempty"`
	}{patch, note}
	return call[Approval](ctx, s.client, request{method: http.MethodPatch, path: approvalPath(a.ID), body: body, ifMatch: a.ETag}, options)
}

// Reschedule gives what the caller has proposed another time; nil for as soon as it has its
// votes. The votes so far are void then.
func (s *Approvals) Reschedule(ctx context.Context, a Approval, at *time.Time, options ...CallOption) (Approval, error) {
	body := map[string]*time.Time{"effectiveTime": at}
	return call[Approval](ctx, s.client, request{method: http.MethodPatch, path: approvalPath(a.ID), body: body, ifMatch: a.ETag}, options)
}

// Approve votes for the change. With the last vote that is needed it is made. A
// [StaleApproval] when what it would change has changed.
func (s *Approvals) Approve(ctx context.Context, a Approval, options ...CallOption) (Approval, error) {
	return s.act(ctx, a, "approve", nil, options)
}

// Reject ends an approval without its change.
func (s *Approvals) Reject(ctx context.Context, a Approval, reason string, options ...CallOption) (Approval, error) {
	return s.act(ctx, a, "reject", map[string]string{"reason": reason}, options)
}

// Withdraw takes back what the caller has proposed.
func (s *Approvals) Withdraw(ctx context.Context, a Approval, options ...CallOption) (Approval, error) {
	return s.act(ctx, a, "withdraw", nil, options)
}

// Rebase merges a stale change onto what is there now. A [StaleApproval] when both sides
// changed the same place.
func (s *Approvals) Rebase(ctx context.Context, a Approval, options ...CallOption) (Approval, error) {
	return s.act(ctx, a, "rebase", nil, options)
}

// Review says that the caller has looked at a change that was made without the votes.
func (s *Approvals) Review(ctx context.Context, a Approval, note string, options ...CallOption) (Approval, error) {
	return s.act(ctx, a, "review", map[string]string{"note": note}, options)
}

func (s *Approvals) act(ctx context.Context, a Approval, action string, body any, options []CallOption) (Approval, error) {
	return call[Approval](ctx, s.client, request{method: http.MethodPost, path: approvalPath(a.ID) + "/" + url.PathEscape(action), body: body, ifMatch: a.ETag}, options)
}
