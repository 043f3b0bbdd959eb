package refunds

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"interlock/internal/approvals"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
)

// ApprovalKind is the prefix of the kinds of approvals of refunds.
const ApprovalKind = "refund"

const kindApprove = ApprovalKind + ".approve"

// errProposed is returned if the unit has proposed a transition instead of making it.
var errProposed = errors.New("refunds: the approval of the refund waits for votes")

// proposedApproval is the content of a proposal to approve a refund. Its base is the refund's
// version; the fields other than the id are for display, and never change.
type proposedApproval struct {
	Action   string               `json:"action"`
	RefundID int64                `json:"refundId"`
	OrderID  int64                `json:"orderId"`
	OrderNo  string               `json:"orderNo"`
	UserID   principal.CustomerID `json:"userId"`
	Amount   int64                `json:"amount"`
	Method   string               `json:"method"`
}

// proposeIfRequired is called before a refund's status is written. The users behind a refund's
// request may not approve the refund, unless the tenant's setting selfApproval permits it. The approval of a refund above the tenant's threshold is
// proposed, unless the unit applies an approval. The credit of a cancelled order is not an
// approval. Errors: Forbidden; errProposed; guard.ErrStale and guard.ErrDeleted if the refund has
// changed since it was read.
func (s *Service) proposeIfRequired(ctx context.Context, u *uow.Unit, before, after *Refund) error {
	if after.Status != approved.Code {
		return nil
	}
	request := approvals.Act{Users: []int64{before.RequestedBy, before.RequesterCreatorID}, Time: before.CreatedTime, Predicate: "requested it"}
	if err := s.approvals.RequireOtherUsersFor(ctx, u, subject{s}, before.CreatedTime, request); err != nil {
		return err
	}
	now, err := s.approvals.ProposeAbove(ctx, u, subject{s},
		func() (int64, error) { return before.Amount, nil },
		func() (approvals.Proposal, error) { return proposalOf(before) })
	if err == nil && !now {
		err = errProposed
	}
	return err
}

// needs returns the votes that the approval of a refund needs; nil if it needs none or is not
// possible now. See approvals.NeededForMoney.
func (s *Service) needs(ctx context.Context, r *Refund) (needs *approvals.MoneyNeeds, changed bool, err error) {
	if _, possible := Machine.Next(Approval{}.action(), Machine.Of(r.Status)); !possible {
		return nil, false, nil
	}
	needs, changed, err = s.approvals.NeededForMoney(ctx, subject{s}, r.UpdatedTime)
	if !needs.Of(r.Amount) {
		needs = nil
	}
	return needs, changed, err
}

// proposalOf returns the proposal to approve a refund at the version that was read.
func proposalOf(r *Refund) (approvals.Proposal, error) {
	p := approvals.Proposal{
		Kind: kindApprove, Resource: r.path(), BaseETag: r.Ref().ETag(), Targets: []string{r.path()},
		Party:       &approvals.Party{UserID: r.RequestedBy, CreatorID: r.RequesterCreatorID, Time: r.CreatedTime},
		MarkTargets: func(ctx context.Context, u *uow.Unit) error { return guard.Propose[Refund](ctx, u, r.Ref()) },
	}
	var err error
	p.Content, err = strictjson.Encode(proposedApproval{
		Action: Approval{}.action(), RefundID: r.ID, OrderID: r.OrderID, OrderNo: r.OrderNo, UserID: r.UserID, Amount: r.Amount, Method: r.Method,
	})
	return p, err
}

// subject implements approvals.Subject for the approval of refunds.
type subject struct{ *Service }

// Grants implements approvals.Subject.
func (subject) Grants() approvals.Grants {
	return approvals.Grants{Kind: ApprovalKind, Path: Topic + "/", Read: ReadPermission, Write: approvePermission}
}

// decode decodes a proposal, which proposalOf has encoded, and its base version.
func decode(p approvals.Proposal) (content proposedApproval, base guard.Precondition, err error) {
	if err := json.Unmarshal(p.Content, &content); err != nil {
		return content, base, fmt.Errorf("decode the proposed approval of a refund: %w", err)
	}
	base, err = guard.ParsePrecondition(p.BaseETag)
	return content, base, err
}

// Lock implements approvals.Subject: it acquires the locks of the wallet and the stock.
func (s subject) Lock(ctx context.Context, u *uow.Unit, p approvals.Proposal) (context.Context, error) {
	content, _, err := decode(p)
	if err != nil {
		return ctx, err
	}
	refund, err := s.Refund(ctx, content.RefundID)
	if err != nil {
		return ctx, err
	}
	return s.lock(ctx, u, refund, Approval{})
}

// Apply implements approvals.Subject: it approves the refund in the name of the last voter. The
// approval becomes stale if the refund has changed since the proposal, or if it has failed and
// other refunds have reserved its amount.
func (s subject) Apply(ctx context.Context, u *uow.Unit, p approvals.Proposal) error {
	content, base, err := decode(p)
	if err != nil {
		return err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	refund, err := find(tx, content.RefundID)
	if err != nil {
		return storage.Found(err, "refund", "")
	}
	to, possible := Machine.Next(Approval{}.action(), Machine.Of(refund.Status))
	if !possible || !base.Matches(refund.Ref()) {
		return approvals.ErrStaleBase
	}
	after, named, err := s.updateByStep(ctx, u, refund, Approval{}, to)
	if err == nil {
		_, err = s.finish(ctx, u, refund, after, Approval{}, named)
	}
	if errors.Is(err, guard.ErrStale) || isUnreservable(err) {
		return approvals.ErrStaleBase
	}
	return err
}

// Revise implements approvals.Subject. A patch cannot edit a transition.
func (subject) Revise(_ context.Context, _ *uow.Unit, p approvals.Proposal, _ json.RawMessage) (approvals.Proposal, error) {
	return p, approvals.Unrevisable()
}

// Rebase implements approvals.Subject: it proposes the approval again, if the refund can be
// approved at its current version.
func (s subject) Rebase(ctx context.Context, u *uow.Unit, p approvals.Proposal) (approvals.Proposal, error) {
	content, _, err := decode(p)
	if err != nil {
		return p, err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return p, err
	}
	refund, err := find(tx, content.RefundID)
	if err != nil {
		return p, storage.Found(err, "refund", "")
	}
	switch Machine.Of(refund.Status) {
	case approved, settled:
		return p, approvals.ErrNoChange
	case failed:
		order, err := s.orders.InUnit(ctx, u, refund.OrderID)
		if err != nil {
			return p, err
		}
		if fits, err := fitsAgain(tx, order, refund); err != nil || !fits {
			return p, cmp.Or(err, approvals.ErrStaleBase)
		}
	case requested:
	default:
		return p, approvals.ErrStaleBase
	}
	renewed, err := proposalOf(refund)
	renewed.Note = p.Note
	return renewed, err
}

// fitsAgain reports whether the amount and the units of a failed refund could be reserved again.
func fitsAgain(db *gorm.DB, order *orders.Order, refund *Refund) (bool, error) {
	if order.Cancelled() {
		return true, nil
	}
	if choosePayment(order, refund.PaymentID, refund.Amount) == nil {
		return false, nil
	}
	others, err := refundedPartsOf(db, order.ID)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(refund.Lines, func(line Line) bool {
		at := indexOf(order.Lines, line.SKU)
		return at < 0 || others[line.SKU].Quantity+line.Quantity > order.Lines[at].Quantity ||
			line.Unshipped > order.Lines[at].ToShip || others[line.SKU].Returned+line.returnedGoods() > order.Lines[at].Shipped
	}), nil
}

// Conflict implements approvals.Subject.
func (s subject) Conflict(ctx context.Context, p approvals.Proposal) (approvals.Conflict, error) {
	content, base, err := decode(p)
	if err != nil {
		return approvals.Conflict{}, err
	}
	current, err := s.Refund(ctx, content.RefundID)
	if err != nil {
		return approvals.Conflict{}, err
	}
	if base.Matches(current.Ref()) && current.Status != failed.Code {
		return approvals.Unchanged(current.Label()), nil
	}
	detail := current.Label() + " has changed: " + s.lifecycle().Cause(current) + "."
	conflict := approvals.Changed(detail, base, current.Stamp(), viewOf(ctx, *current))
	if !base.Matches(current.Ref()) {
		return conflict, nil
	}
	order, err := s.orders.Order(ctx, current.OrderID)
	if err != nil {
		return conflict, err
	}
	fits, err := fitsAgain(s.db.Read(ctx), order, current)
	if err != nil || fits {
		return approvals.Unchanged(current.Label()), err
	}
	conflict.Detail = "after " + current.Label() + " failed, other refunds of the order were requested, and too little of the payment is left."
	return conflict, nil
}

// Show implements approvals.Subject.
func (subject) Show(_ context.Context, p approvals.Proposal) (approvals.Rendered, error) {
	return approvals.ShownAs(p.Content), nil
}

// sideView is a refund as one side of its approval; the sides differ in status.
type sideView struct {
	OrderNo     string               `json:"orderNo"`
	UserID      principal.CustomerID `json:"userId"`
	Amount      int64                `json:"amount"`
	Method      string               `json:"method"`
	Reason      string               `json:"reason"`
	RequestedBy string               `json:"requestedBy"`
	Status      string               `json:"status"`
}

// Sides implements approvals.Subject.
func (s subject) Sides(ctx context.Context, p approvals.Proposal) ([]approvals.Comparison, error) {
	content, base, err := decode(p)
	if err != nil {
		return nil, err
	}
	refund, err := s.Refund(ctx, content.RefundID)
	if err != nil {
		return nil, err
	}
	var baseEvent Event
	if err := s.db.Read(ctx).Where("refund_id = ? AND version = ?", refund.ID, base.Ref.Version).Take(&baseEvent).Error; err != nil {
		return nil, fmt.Errorf("read the base of the proposal: %w", err)
	}
	next := approved
	if refund.byWallet() {
		next = settled
	}
	side := func(status int) sideView {
		return sideView{refund.OrderNo, refund.UserID, refund.Amount, refund.Method, refund.Reason, refund.RequestedByName, Machine.Of(status).Name}
	}
	return []approvals.Comparison{{Resource: p.Resource, Base: side(baseEvent.ToStatus), Proposed: side(next.Code), Current: side(refund.Status)}}, nil
}
