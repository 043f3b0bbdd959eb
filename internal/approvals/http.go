package approvals

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"interlock/internal/base/status"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of approvals. Acts need If-Match, so that they apply to the exact
// content that the caller read.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	byID := httpapi.Numbered("approval", s.Approval)
	httpapi.Get(r, "/approvals", ReadPermission, h.list)
	httpapi.GetOf(r, "/approvals/:id", ReadPermission, byID, h.get)
	httpapi.MutationOf(r, http.MethodPatch, "/approvals/:id", ReadPermission, byID, h.edit)
	httpapi.GetOf(r, "/approvals/:id/history", ReadPermission, byID, h.history)
	httpapi.GetOf(r, "/approvals/:id/comments", ReadPermission, byID, h.comments)
	httpapi.MutationOf(r, http.MethodPost, "/approvals/:id/comments", ReadPermission, byID, h.comment)
	httpapi.MutationOf(r.SteppedUp(), http.MethodPost, "/approvals/:id/approve", decidePermission, byID, h.approve)
	httpapi.Transition(r, "/approvals/:id", "reject", decidePermission, byID, h.reject)
	httpapi.Transition(r, "/approvals/:id", "withdraw", ReadPermission, byID, h.withdraw)
	httpapi.Transition(r, "/approvals/:id", "rebase", ReadPermission, byID, h.rebase)
	httpapi.Transition(r, "/approvals/:id", "review", decidePermission, byID, h.review)
}

type handler struct{ service *Service }

// authorParam is the id of a user, or me.
type authorParam struct {
	id int64
	me bool
}

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

// meParam is me.
type meParam struct{}

// UnmarshalText implements encoding.TextUnmarshaler.
func (*meParam) UnmarshalText(text []byte) error {
	if string(text) != "me" {
		return errors.New("must be me")
	}
	return nil
}

type listRequest struct {
	Status     status.Param[Approval] `query:"status"`
	Resource   string                 `query:"resource"`
	Author     authorParam            `query:"author"`
	WaitingFor *meParam               `query:"waitingFor"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[approvalView], error) {
	filter := Filter{Status: in.Status.State, Resource: in.Resource, AuthorID: in.Author.id, WaitingForCaller: in.WaitingFor != nil}
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
	// The change of an open approval cannot change while it is open, unless it is based on no
	// version. Other approvals show the current resource, and an overdue one reports expired before
	// it is written.
	return httpapi.Fresh[readView]{Body: view, Changed: view.Status != pending.Name && view.Status != scheduled.Name || h.service.isUnbound(a)}, err
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
	Body struct {
		Text string `json:"text"`
	}
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

type editBody struct{ edit Edit }

// ReadBody implements httpapi.BodyReader.
func (b *editBody) ReadBody(text []byte) error {
	body, err := strictjson.DecodePatch(text, "patch", "note", "effectiveTime")
	if err != nil {
		return err
	}
	for _, name := range body.Names() {
		switch name {
		case "patch":
			b.edit.Patch = body.Raw(name)
		case "note":
			b.edit.Note = new(string)
			if err := body.Decode(name, b.edit.Note); err != nil {
				return err
			}
		case "effectiveTime":
			var at *time.Time
			if err := body.Decode(name, &at); err != nil {
				return err
			}
			b.edit.Time = &at
		}
	}
	return nil
}

func (h handler) edit(ctx context.Context, u *uow.Unit, a *Approval, in editRequest) (approvalView, error) {
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
	Body struct {
		Reason string `json:"reason" validate:"required,max=500"`
	}
	IfMatch guard.Precondition
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
	Body struct {
		Note string `json:"note" validate:"max=500"`
	}
	IfMatch guard.Precondition
}

func (h handler) review(ctx context.Context, u *uow.Unit, a *Approval, in reviewRequest) (approvalView, error) {
	return h.shown(ctx)(h.service.Review(ctx, u, a, in.IfMatch, in.Body.Note))
}

// shown returns the view of the approval that an act returned.
func (h handler) shown(ctx context.Context) func(a *Approval, err error) (approvalView, error) {
	return func(a *Approval, err error) (approvalView, error) {
		if err != nil {
			return approvalView{}, err
		}
		return h.service.view(ctx, a)
	}
}

// Bypass is ?bypass on a route that calls Propose: the reason for making a protected change without
// the votes. It needs a second factor that was verified recently, on every route.
type Bypass struct{ Reason }

// Needs implements httpapi.Needing.
func (Bypass) Needs() httpapi.Need {
	return httpapi.Need{Permission: bypassPermission, StepUp: true}
}

// Reason is a reason in a query parameter.
type Reason string

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
