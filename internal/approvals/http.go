package approvals

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"interlock/internal/base/merge"
	"interlock/internal/base/status"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of approvals. Requests that act on an approval need If-Match, so that
// they apply to the exact content that the caller read.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Approvals", Noun: "approval", Machine: Machine, Example: example})
	h := handler{s}
	byID := httpapi.Numbered("approval", s.Approval)
	httpapi.Get(r, "/approvals", ReadPermission, h.list).
		Doc("List approvals", "Returns approvals without the proposed changes, which `GET /approvals/{id}` contains. `?waitingFor=me` lists those that wait for you, "+
			"`?author=me&status=pending` your pending ones, and `?waitingFor=me&status=stale` those for you to rebase or withdraw: your own, and those of disabled "+
			"authors if you may write the resource.").
		With(httpapi.Contract{Sorts: sorts})
	httpapi.GetOf(r, "/approvals/:id", ReadPermission, byID, h.get).
		Doc("Get an approval", "Contains the proposed change and, in `sides`, the old, proposed and current resources (at most 20) for a caller that may read them.").
		With(httpapi.Contract{Reply: readView{approvalView: example}})
	httpapi.MutationOf(r, http.MethodPatch, "/approvals/:id", ReadPermission, byID, h.edit).
		Doc("Update your proposal", "Replaces `patch` (of the same resource at the same version, for an edit of one resource), `note` or `effectiveTime`; absent members "+
			"stay unchanged. The operations of a JSON Patch apply to these three members as `GET /approvals/{id}` returns them to you: a withheld value is null. "+
			"Creates a new version without votes. Only for the author, with the permission to write the resource (such as `configs:write`). "+
			"409 `already_exists` if the author has the same change pending.").
		With(httpapi.Contract{
			ID: "editApproval", ChecksStatus: true, Body: map[string]any{"patch": map[string]any{"value": 0.2}, "note": "As agreed on Monday"},
		})
	httpapi.GetOf(r, "/approvals/:id/history", ReadPermission, byID, h.history).
		Doc("List the versions of an approval", "The newest first. A vote and a comment create versions too. "+
			"`outdate`: `changedBy` changed a resource of the change, or the service detected that the resource had changed or that the change failed at its time. "+
			"`schedule`: the last vote was cast before its time; `apply`: it was applied at its time, for its author.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
	httpapi.GetOf(r, "/approvals/:id/comments", ReadPermission, byID, h.comments).
		Doc("List the comments on an approval", "The oldest first.").
		With(httpapi.Contract{Sorts: change.CommentSorts})
	httpapi.MutationOf(r, http.MethodPost, "/approvals/:id/comments", ReadPermission, byID, h.comment).
		Doc("Comment on an approval", "Possible in any status. Requires the permission to decide (`approvals:decide`) or to propose such a change (such as `configs:write`). "+
			"A comment creates a version of the approval, so a vote for an earlier version returns 412 and the voter reads the approval again. "+
			"Votes remain valid, and the author of a comment may vote.").
		With(httpapi.Contract{ID: "commentOnApproval", Success: "The comment.", Body: commentCreate{"Is this the rate of 2026?"}, Locks: true})
	httpapi.MutationOf(r.SteppedUp(), http.MethodPost, "/approvals/:id/approve", decidePermission, byID, h.approve).
		Doc("Vote for a change", "The vote is for the content at the version that `If-Match` names. The last required vote applies the change in the same transaction: "+
			"`approved` means applied. If `effectiveTime` is in the future, the approval becomes `scheduled` instead. Users cannot vote for a change if they wrote one "+
			"of its versions or requested the refund to be approved, with any credential: 403 with `\"reason\":\"four_eyes\"`. A credential counts for its user, for "+
			"the creator of the API token, and for any user who created the account, reset its password or second factors, or invited it since the request. A vote "+
			"counts while its voter is enabled and may decide. A user who already voted for the content applies the change without another vote if the valid votes are "+
			"sufficient.\n\n"+
			"409 `approval_stale` if a resource of the change has changed, with the body of a conflict: rebase it. An entry of a wallet depends on no version: its "+
			"approval is stale if the balance is insufficient or the reference was used. A movement of money acquires the locks of its wallet and stock: 423 if they "+
			"are not free within three seconds.").
		With(httpapi.Contract{ID: "approveChange", Success: "The updated approval.", ChecksStatus: true, Locks: true})
	httpapi.Transition(r, "/approvals/:id", "reject", decidePermission, byID, h.reject).
		Doc("Reject a change", "The change is not applied. Its author may propose it again.").
		With(httpapi.Contract{ID: "rejectChange", Body: rejection{"Too early"}})
	httpapi.Transition(r, "/approvals/:id", "withdraw", ReadPermission, byID, h.withdraw).
		Doc("Withdraw your proposal", "For the author, with the permission to write the resource (`configs:write`, `wallets:write`, `refunds:approve` or "+
			"`flash-sales:write`). Other users with that permission may withdraw it once it is `stale` and its author is disabled.").
		With(httpapi.Contract{ID: "withdrawChange"})
	httpapi.Transition(r, "/approvals/:id", "rebase", ReadPermission, byID, h.rebase).
		Doc("Rebase a stale change", "Merges the proposal with the later changes of others into a new version, based on the newest one and without votes. A movement of "+
			"money becomes pending again if it is possible again. Requires the permission to propose such a change (`configs:write`, `wallets:write` or "+
			"`refunds:approve`), and makes the caller an author of a version. 409 `approval_stale` if the changes conflict, `already_exists` if the author has the same "+
			"change pending.").
		With(httpapi.Contract{ID: "rebaseChange"})
	httpapi.Transition(r, "/approvals/:id", "review", decidePermission, byID, h.review).
		Doc("Review a bypassed change", "By another user than its author.").
		With(httpapi.Contract{ID: "reviewBypass", Body: review{"Discussed with the on-call engineer"}})
}

type handler struct{ service *Service }

// authorParam is the id of a user, or me.
type authorParam struct {
	id int64
	me bool
}

// Pattern returns the syntax of the parameter and its maximum length, in characters.
func (authorParam) Pattern() (expression string, maxLength int) { return `^(me|[1-9][0-9]*)$`, 19 }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *authorParam) UnmarshalText(text []byte) (err error) {
	if string(text) == "me" {
		p.me = true
		return nil
	}
	if p.id, err = strconv.ParseInt(string(text), 10, 64); err != nil || p.id < 1 {
		return errors.New("must be the id of a user, or me")
	}
	return nil
}

type listRequest struct {
	Status status.Param[Approval] `query:"status"`
	// The path of a changed resource.
	Resource string `query:"resource"`
	// The id of the user who proposed the change, or `me`.
	Author authorParam `query:"author"`
	// `me`: only approvals that you may still vote for or complete; with `status=stale`, those for you to rebase or withdraw.
	WaitingFor string `query:"waitingFor" validate:"omitempty,oneof=me"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[approvalView], error) {
	filter := Filter{Status: in.Status.State, Resource: in.Resource, AuthorID: in.Author.id, WaitingForCaller: in.WaitingFor != ""}
	if in.Author.me {
		filter.AuthorID = callerAsAuthor(ctx)
	}
	listing, err := h.service.List(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, func(a Approval) approvalView { return h.service.listed(ctx, &a) }), err
}

func (h handler) get(ctx context.Context, a *Approval, _ httpapi.None) (httpapi.Fresh[readView], error) {
	if err := h.service.markAbandoned(ctx, a); err != nil {
		return httpapi.Fresh[readView]{}, err
	}
	view, err := h.service.read(ctx, a)
	// A change of the resource makes an open approval stale, so the view of an open approval
	// changes only with its version, unless the proposal is based on no version. The views of other
	// approvals contain the current resource, and an overdue approval is reported as expired before
	// its row is updated.
	return httpapi.Fresh[readView]{Body: view, Changed: string(view.Status) != pending.Name && string(view.Status) != scheduled.Name || h.service.isUnbound(a)}, err
}

func (h handler) history(ctx context.Context, a *Approval, in httpapi.Page) (httpapi.List[eventView], error) {
	listing, err := h.service.History(ctx, a, in.Page())
	return httpapi.ListOf(listing, func(e Event) eventView { return h.service.shownEvent(ctx, a, e) }), err
}

type commentView struct {
	ApprovalID int64 `json:"approvalId"`
	change.CommentView
}

func commentViewOf(c Comment) commentView { return commentView{c.ApprovalID, c.View()} }

func (h handler) comments(ctx context.Context, a *Approval, in httpapi.Page) (httpapi.List[commentView], error) {
	listing, err := h.service.Comments(ctx, a, in.Page())
	return httpapi.ListOf(listing, commentViewOf), err
}

type commentRequest struct {
	Body commentCreate `validate:"-"`
}

type commentCreate struct {
	Text string `json:"text" validate:"required,max=5000"`
}

func (h handler) comment(ctx context.Context, u *uow.Unit, a *Approval, in commentRequest) (httpapi.Created[commentView], error) {
	comment, err := h.service.Comment(ctx, u, a, in.Body.Text)
	if err != nil {
		return httpapi.Created[commentView]{}, err
	}
	return httpapi.Created[commentView]{Location: "/" + a.path() + "/comments", Body: commentViewOf(*comment)}, nil
}

type editRequest struct {
	Body    editBody
	IfMatch guard.Precondition
}

// editBody is a merge patch of a proposal, or a JSON Patch.
type editBody struct {
	edit       Edit
	operations *merge.Operations
}

// approvalPatch has the members that an edit can change.
type approvalPatch struct {
	// Replaces the proposed patch.
	Patch json.RawMessage `json:"patch"`
	Note  string          `json:"note" validate:"max=500"`
	// The new time, in the future; null for as soon as it has its votes, if it needs any.
	EffectiveTime *time.Time `json:"effectiveTime"`
}

// Content returns the members that an edit can change, for the contract.
func (editBody) Content() any { return approvalPatch{} }

// ReadBody implements httpapi.BodyReader.
func (b *editBody) ReadBody(text []byte) (err error) {
	b.edit, err = readEdit(text)
	return err
}

// ReadOperations implements httpapi.PatchReader.
func (b *editBody) ReadOperations(text []byte) error {
	operations, err := merge.ParseOperations(text, func(changed []byte) (any, error) {
		if _, err := readEdit(changed); err != nil {
			return nil, httpapi.Unreadable(err)
		}
		return merge.Parse(changed)
	})
	b.operations = &operations
	return err
}

// readEdit reads a merge patch of a proposal.
func readEdit(text []byte) (Edit, error) {
	var edit Edit
	var content approvalPatch
	body, err := strictjson.DecodePatch(text, "patch", "note", "effectiveTime")
	if err != nil {
		return edit, err
	}
	for _, name := range body.Names() {
		switch name {
		case "patch":
			edit.Patch = body.Raw(name)
		case "note":
			edit.Note = &content.Note
			err = body.Decode(name, &content.Note)
		case "effectiveTime":
			edit.Time = &content.EffectiveTime
			err = body.Decode(name, &content.EffectiveTime)
		}
		if err != nil {
			return edit, err
		}
	}
	return edit, nil
}

func (h handler) edit(ctx context.Context, u *uow.Unit, a *Approval, in editRequest) (approvalView, error) {
	if in.Body.operations != nil {
		return h.shown(ctx)(h.service.EditBy(ctx, u, a, in.IfMatch, *in.Body.operations))
	}
	return h.shown(ctx)(h.service.Edit(ctx, u, a, in.IfMatch, in.Body.edit))
}

type approveRequest struct {
	Bypass  *Bypass `query:"bypass"`
	IfMatch guard.Precondition
}

func (h handler) approve(ctx context.Context, u *uow.Unit, a *Approval, in approveRequest) (approvalView, error) {
	if in.Bypass != nil {
		return h.shown(ctx)(h.service.Bypass(ctx, u, a, in.IfMatch, string(in.Bypass.Reason)))
	}
	return h.shown(ctx)(h.service.Approve(ctx, u, a, in.IfMatch))
}

type rejectRequest struct {
	Body    rejection
	IfMatch guard.Precondition
}

type rejection struct {
	Reason string `json:"reason" validate:"required,max=500"`
}

func (h handler) reject(ctx context.Context, u *uow.Unit, a *Approval, in rejectRequest) (approvalView, error) {
	return h.shown(ctx)(h.service.Reject(ctx, u, a, in.IfMatch, in.Body.Reason))
}

func (h handler) withdraw(ctx context.Context, u *uow.Unit, a *Approval, in httpapi.Guarded) (approvalView, error) {
	return h.shown(ctx)(h.service.Withdraw(ctx, u, a, in.IfMatch))
}

func (h handler) rebase(ctx context.Context, u *uow.Unit, a *Approval, in httpapi.Guarded) (approvalView, error) {
	return h.shown(ctx)(h.service.Rebase(ctx, u, a, in.IfMatch))
}

type reviewRequest struct {
	Body    review
	IfMatch guard.Precondition
}

type review struct {
	Note string `json:"note" validate:"max=500"`
}

func (h handler) review(ctx context.Context, u *uow.Unit, a *Approval, in reviewRequest) (approvalView, error) {
	return h.shown(ctx)(h.service.Review(ctx, u, a, in.IfMatch, in.Body.Note))
}

// shown returns a function that converts the result of an act on an approval to its view.
func (h handler) shown(ctx context.Context) func(a *Approval, err error) (approvalView, error) {
	return func(a *Approval, err error) (approvalView, error) {
		if err != nil {
			return approvalView{}, err
		}
		return h.service.view(ctx, a)
	}
}

// Bypass is the query parameter bypass of a route that calls Propose: the reason for making a
// protected change without the votes. It needs a second factor that was verified recently, on every
// route.
type Bypass struct{ Reason }

// Needs implements httpapi.Needing.
func (Bypass) Needs() httpapi.Need {
	return httpapi.Need{Permission: bypassPermission, StepUp: true}
}

// Reason is a reason in a query parameter.
type Reason string

// MaxLength returns the maximum length, in characters, for the contract.
func (Reason) MaxLength() int { return maxReason }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Reason) UnmarshalText(text []byte) error {
	trimmed := strings.TrimSpace(string(text))
	n := utf8.RuneCountInString(trimmed)
	if n == 0 || n > maxReason || !utf8.ValidString(trimmed) || strings.ContainsFunc(trimmed, unicode.IsControl) {
		return fmt.Errorf("must be a reason of 1 to %d characters", maxReason)
	}
	*r = Reason(trimmed)
	return nil
}
