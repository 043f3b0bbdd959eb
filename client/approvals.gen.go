// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Approvals calls the operations on approvals.
//
// Changes that wait for votes of other users. Any route that changes a `protected` config returns
// 202 with an approval: `pending` → `approved` (and applied in the same transaction), `rejected`,
// `withdrawn`, `stale` when a resource of the change was changed, or `expired`. An approval with an
// `effectiveTime` (`?effectiveTime=` of the change) becomes `scheduled` once it has its votes, and
// is applied at that time. A scheduled change of an unprotected resource needs no votes.
type Approvals struct{ client *Client }

// Approval is a row of [Approvals.List].
type Approval struct {
	Stamp
	ID   int64        `json:"id"`
	Kind ApprovalKind `json:"kind"`
	// The path of the changed resource, or of the collection for many.
	Resource string `json:"resource"`
	// The paths of all changed resources; in lists and error responses the first 20.
	Targets []string `json:"targets"`
	// The number of changed resources.
	TargetCount int64  `json:"targetCount"`
	Author      Person `json:"author"`
	// The reason; it is copied to the history of the resource.
	Note string `json:"note"`
	// The version that the change is based on; null for many resources: each of their changes has
	// one.
	BaseETag *string `json:"baseEtag"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The merge patch, for an edit of one resource. Only for callers that may read the resource,
	// and not in lists; in the history, for a version that changed it.
	Patch json.RawMessage `json:"patch,omitzero"`
	// The proposed changes if they are not one merge patch. Present for the same callers as
	// `patch`.
	Changes []json.RawMessage `json:"changes,omitzero"`
	// Set if the value in `patch` belongs to a secret config and is replaced by null.
	Masked bool `json:"masked,omitzero"`
	// Digest of the proposal, its base and its time: votes are for this digest. Equal proposals
	// have equal digests; its computation needs a key of the installation.
	Digest string `json:"digest"`
	// The number of required votes; 0 for a change that waits only for its time.
	Required           int64            `json:"required"`
	Votes              []ApprovalVote   `json:"votes"`
	Status             ApprovalStatus   `json:"status"`
	AllowedTransitions []ApprovalAction `json:"allowedTransitions"`
	// The reason of a rejection or a bypass, or of the failure of a scheduled change.
	Reason string `json:"reason"`
	// The time until which it waits for its votes.
	ExpiresTime time.Time `json:"expiresTime"`
	// The time at which the change is applied, null for as soon as it has its votes. If the last
	// vote is later, the change is applied immediately.
	EffectiveTime *time.Time `json:"effectiveTime"`
	// The number of comments.
	Comments int64 `json:"comments"`
	// The user who set the current status.
	StatusBy Person `json:"statusBy"`
	// When the current status was set.
	StatusTime time.Time `json:"statusTime"`
	// Whether you may still vote for it, or complete it: the valid votes suffice and it is not
	// applied yet. For a stale one, whether you are to rebase or withdraw it: you are its author,
	// or its author is disabled and you may write the resource.
	WaitingForMe bool `json:"waitingForMe"`
	// The resources before the change, after it, and now; null where they do not exist.
	Sides []ApprovalComparison `json:"sides,omitzero"`
}

// ApprovalKind is part of [Approval].
type ApprovalKind string

// The values of ApprovalKind.
const (
	ApprovalKindPaymentRefund   ApprovalKind = "payment.refund"
	ApprovalKindRefundApprove   ApprovalKind = "refund.approve"
	ApprovalKindFlashSaleUpdate ApprovalKind = "flash_sale.update"
	ApprovalKindWalletEntry     ApprovalKind = "wallet.entry"
	ApprovalKindWalletTransfer  ApprovalKind = "wallet.transfer"
	ApprovalKindConfigUpdate    ApprovalKind = "config.update"
	ApprovalKindConfigDelete    ApprovalKind = "config.delete"
	ApprovalKindConfigRollback  ApprovalKind = "config.rollback"
	ApprovalKindConfigBatch     ApprovalKind = "config.batch"
	ApprovalKindConfigImport    ApprovalKind = "config.import"
	ApprovalKindSettingsUpdate  ApprovalKind = "settings.update"
)

// ApprovalVote is part of [Approval].
type ApprovalVote struct {
	User Person `json:"user"`
	// The API token that cast the vote, or null.
	Token   *TokenRef           `json:"token"`
	Verdict ApprovalVoteVerdict `json:"verdict"`
	// The version of the approval that the voter had read.
	Version int64     `json:"version"`
	Time    time.Time `json:"time"`
	// Whether the vote is for the current content of the approval: edits and rebases void earlier
	// votes.
	Stands bool `json:"stands"`
}

// TokenRef is part of [ApprovalVote].
//
// An API token, and the user who created it.
type TokenRef struct {
	ID        int64  `json:"id"`
	CreatedBy Person `json:"createdBy"`
}

// ApprovalVoteVerdict is part of [ApprovalVote].
type ApprovalVoteVerdict string

// The values of ApprovalVoteVerdict.
const (
	ApprovalVoteVerdictApprove ApprovalVoteVerdict = "approve"
	ApprovalVoteVerdictReject  ApprovalVoteVerdict = "reject"
)

// ApprovalStatus is part of [Approval].
type ApprovalStatus string

// The values of ApprovalStatus.
const (
	ApprovalStatusPending   ApprovalStatus = "pending"
	ApprovalStatusApproved  ApprovalStatus = "approved"
	ApprovalStatusRejected  ApprovalStatus = "rejected"
	ApprovalStatusWithdrawn ApprovalStatus = "withdrawn"
	ApprovalStatusStale     ApprovalStatus = "stale"
	ApprovalStatusExpired   ApprovalStatus = "expired"
	ApprovalStatusBypassed  ApprovalStatus = "bypassed"
	ApprovalStatusReviewed  ApprovalStatus = "reviewed"
	ApprovalStatusScheduled ApprovalStatus = "scheduled"
)

// ApprovalAction is part of [Approval].
type ApprovalAction string

// The values of ApprovalAction.
const (
	ApprovalActionApprove  ApprovalAction = "approve"
	ApprovalActionReject   ApprovalAction = "reject"
	ApprovalActionWithdraw ApprovalAction = "withdraw"
	ApprovalActionRebase   ApprovalAction = "rebase"
	ApprovalActionReview   ApprovalAction = "review"
)

// ApprovalFilterWaitingFor is part of [ApprovalFilter].
type ApprovalFilterWaitingFor string

// The values of ApprovalFilterWaitingFor.
const (
	ApprovalFilterWaitingForMe ApprovalFilterWaitingFor = "me"
)

// ApprovalFilter selects rows of [Approvals.List].
type ApprovalFilter struct {
	Paging
	Status ApprovalStatus
	// The path of a changed resource.
	Resource string
	// The id of the user who proposed the change, or `me`.
	Author string
	// `me`: only approvals that you may still vote for or complete; with `status=stale`, those for
	// you to rebase or withdraw.
	WaitingFor ApprovalFilterWaitingFor
}

// ApprovalComparison is part of [Approval].
type ApprovalComparison struct {
	Resource string          `json:"resource"`
	Base     json.RawMessage `json:"base"`
	Proposed json.RawMessage `json:"proposed"`
	Current  json.RawMessage `json:"current"`
}

// ApprovalEvent is a row of [Approvals.History].
type ApprovalEvent struct {
	Version int64             `json:"version"`
	Action  ApprovalEventName `json:"action"`
	// Null for the event that created the resource.
	From *ApprovalStatus `json:"from"`
	To   ApprovalStatus  `json:"to"`
	// The fields of the request.
	Detail      json.RawMessage `json:"detail"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The merge patch, for an edit of one resource. Only for callers that may read the resource,
	// and not in lists; in the history, for a version that changed it.
	Patch json.RawMessage `json:"patch,omitzero"`
	// The proposed changes if they are not one merge patch. Present for the same callers as
	// `patch`.
	Changes []json.RawMessage `json:"changes,omitzero"`
	// Set if the value in `patch` belongs to a secret config and is replaced by null.
	Masked bool `json:"masked,omitzero"`
}

// ApprovalEventName is part of [ApprovalEvent].
type ApprovalEventName string

// The values of ApprovalEventName.
const (
	ApprovalEventNamePropose  ApprovalEventName = "propose"
	ApprovalEventNameVote     ApprovalEventName = "vote"
	ApprovalEventNameComment  ApprovalEventName = "comment"
	ApprovalEventNameApprove  ApprovalEventName = "approve"
	ApprovalEventNameReject   ApprovalEventName = "reject"
	ApprovalEventNameWithdraw ApprovalEventName = "withdraw"
	ApprovalEventNameRebase   ApprovalEventName = "rebase"
	ApprovalEventNameReview   ApprovalEventName = "review"
	ApprovalEventNameBypass   ApprovalEventName = "bypass"
	ApprovalEventNameOutdate  ApprovalEventName = "outdate"
	ApprovalEventNameExpire   ApprovalEventName = "expire"
	ApprovalEventNameSchedule ApprovalEventName = "schedule"
	ApprovalEventNameApply    ApprovalEventName = "apply"
	ApprovalEventNameEdit     ApprovalEventName = "edit"
)

// ApprovalComment is a row of [Approvals.Comments].
type ApprovalComment struct {
	ID          int64     `json:"id"`
	Text        string    `json:"text"`
	CreatedBy   Person    `json:"createdBy"`
	CreatedTime time.Time `json:"createdTime"`
	ApprovalID  int64     `json:"approvalId"`
}

// ApprovalCommentCreate is the request body of [Approvals.CommentOn].
type ApprovalCommentCreate struct {
	Text string `json:"text"`
}

// ApprovalRejection is the request body of [Approvals.RejectChange].
type ApprovalRejection struct {
	Reason string `json:"reason"`
}

// ApprovalReview is the request body of [Approvals.ReviewBypass].
type ApprovalReview struct {
	Note string `json:"note,omitzero"`
}

// List lists approvals.
//
// Returns approvals without the proposed changes, which `GET /approvals/{id}` contains.
// `?waitingFor=me` lists those that wait for you, `?author=me&status=pending` your pending ones,
// and `?waitingFor=me&status=stale` those for you to rebase or withdraw: your own, and those of
// disabled authors if you may write the resource.
func (s *Approvals) List(f ApprovalFilter) List[Approval] {
	return List[Approval]{s.client, "/approvals", f.parameters().set("status", f.Status).set("resource", f.Resource).set("author", f.Author).set("waitingFor", f.WaitingFor)}
}

// Get returns an approval.
//
// Contains the proposed change and, in `sides`, the old, proposed and current resources (at most
// 20) for a caller that may read them.
func (s *Approvals) Get(ctx context.Context, id int64, options ...CallOption) (Approval, error) {
	return call[Approval](ctx, s.client, request{method: http.MethodGet, path: "/approvals/" + segment(id)}, options)
}

// History lists the versions of an approval.
//
// The newest first. A vote and a comment create versions too. `outdate`: `changedBy` changed a
// resource of the change, or the service detected that the resource had changed or that the change
// failed at its time. `schedule`: the last vote was cast before its time; `apply`: it was applied
// at its time, for its author.
func (s *Approvals) History(id int64, p Paging) List[ApprovalEvent] {
	return List[ApprovalEvent]{s.client, "/approvals/" + segment(id) + "/history", p.parameters()}
}

// Comments lists the comments on an approval.
//
// The oldest first.
func (s *Approvals) Comments(id int64, p Paging) List[ApprovalComment] {
	return List[ApprovalComment]{s.client, "/approvals/" + segment(id) + "/comments", p.parameters()}
}

// CommentOn comments on an approval.
//
// Possible in any status. Requires the permission to decide (`approvals:decide`) or to propose such
// a change (such as `configs:write`). A comment creates a version of the approval, so a vote for an
// earlier version returns 412 and the voter reads the approval again. Votes remain valid, and the
// author of a comment may vote.
func (s *Approvals) CommentOn(ctx context.Context, id int64, body ApprovalCommentCreate, options ...CallOption) (ApprovalComment, error) {
	return call[ApprovalComment](ctx, s.client, request{method: http.MethodPost, path: "/approvals/" + segment(id) + "/comments", body: body}, options)
}

// ApproveChange votes for a change.
//
// The vote is for the content at the version that `If-Match` names. The last required vote applies
// the change in the same transaction: `approved` means applied. If `effectiveTime` is in the
// future, the approval becomes `scheduled` instead. Users cannot vote for a change if they wrote
// one of its versions or requested the refund to be approved, with any credential: 403 with
// `"reason":"four_eyes"`. A credential counts for its user, for the creator of the API token, and
// for any user who created the account, reset its password or second factors, or invited it since
// the request. A vote counts while its voter is enabled and may decide. A user who already voted
// for the content applies the change without another vote if the valid votes are sufficient.
//
// 409 `approval_stale` if a resource of the change has changed, with the body of a conflict: rebase
// it. An entry of a wallet depends on no version: its approval is stale if the balance is
// insufficient or the reference was used. A movement of money acquires the locks of its wallet and
// stock: 423 if they are not free within three seconds.
func (s *Approvals) ApproveChange(ctx context.Context, read Approval, options ...CallOption) (Approval, error) {
	return call[Approval](ctx, s.client, request{method: http.MethodPost, path: "/approvals/" + segment(read.ID) + "/approve", ifMatch: read.ETag}, options)
}

// RejectChange rejects a change.
//
// `pending` or `scheduled` → `rejected`. The change is not applied. Its author may propose it
// again.
func (s *Approvals) RejectChange(ctx context.Context, read Approval, body ApprovalRejection, options ...CallOption) (Approval, error) {
	return call[Approval](ctx, s.client, request{method: http.MethodPost, path: "/approvals/" + segment(read.ID) + "/reject", ifMatch: read.ETag, body: body}, options)
}

// WithdrawChange withdraws your proposal.
//
// `pending` or `scheduled` or `stale` → `withdrawn`. For the author, with the permission to write
// the resource (`configs:write`, `wallets:write`, `refunds:approve` or `flash-sales:write`). Other
// users with that permission may withdraw it once it is `stale` and its author is disabled.
func (s *Approvals) WithdrawChange(ctx context.Context, read Approval, options ...CallOption) (Approval, error) {
	return call[Approval](ctx, s.client, request{method: http.MethodPost, path: "/approvals/" + segment(read.ID) + "/withdraw", ifMatch: read.ETag}, options)
}

// RebaseChange rebases a stale change.
//
// `stale` → `pending`. Merges the proposal with the later changes of others into a new version,
// based on the newest one and without votes. A movement of money becomes pending again if it is
// possible again. Requires the permission to propose such a change (`configs:write`,
// `wallets:write` or `refunds:approve`), and makes the caller an author of a version. 409
// `approval_stale` if the changes conflict, `already_exists` if the author has the same change
// pending.
func (s *Approvals) RebaseChange(ctx context.Context, read Approval, options ...CallOption) (Approval, error) {
	return call[Approval](ctx, s.client, request{method: http.MethodPost, path: "/approvals/" + segment(read.ID) + "/rebase", ifMatch: read.ETag}, options)
}

// ReviewBypass reviews a bypassed change.
//
// `bypassed` → `reviewed`. By another user than its author.
func (s *Approvals) ReviewBypass(ctx context.Context, read Approval, body ApprovalReview, options ...CallOption) (Approval, error) {
	return call[Approval](ctx, s.client, request{method: http.MethodPost, path: "/approvals/" + segment(read.ID) + "/review", ifMatch: read.ETag, body: body}, options)
}
