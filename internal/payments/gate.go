package payments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"interlock/internal/approvals"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// ApprovalKind is the prefix of the kinds of approvals of payments.
const ApprovalKind = "payment"

const kindRefund = ApprovalKind + ".refund"

// errProposed is returned if the unit has proposed a transition instead of making it.
var errProposed = errors.New("payments: sending back the payment waits for votes")

// proposedRefund is the content of a proposal to send back a payment. Its base is the payment's
// version; the fields other than the id and the reason are for display, and never change.
type proposedRefund struct {
	Action    string  `json:"action"`
	PaymentID int64   `json:"paymentId"`
	Method    string  `json:"method"`
	Reference *string `json:"reference"`
	Amount    int64   `json:"amount"`
	Reason    string  `json:"reason"`
}

// proposeIfRequired is called before a payment is written. The users behind the recording of an
// unmatched payment may not send it back. Sending back a payment above the tenant's refund threshold
// is proposed, unless the unit applies an approval. Errors: Forbidden; errProposed; guard.ErrStale and
// guard.ErrDeleted if the payment has changed since it was read.
func (s *Service) proposeIfRequired(ctx context.Context, u *uow.Unit, before, after *Payment) error {
	if before.Status != unmatched.Code || after.Status != refunded.Code {
		return nil
	}
	recording := approvals.Act{Users: []int64{before.RecordedBy, before.RecorderCreatorID}, Time: before.CreatedTime, Predicate: "recorded it"}
	if err := s.approvals.RequireOtherUsers(ctx, u, before.CreatedTime, recording); err != nil {
		return err
	}
	now, err := s.approvals.ProposeAbove(ctx, u, subject{s},
		func() (int64, error) { return before.Amount, nil },
		func() (approvals.Proposal, error) { return proposalOf(before, after.Reason) })
	if err == nil && !now {
		err = errProposed
	}
	return err
}

// proposalOf returns the proposal to send back a payment at the version that was read.
func proposalOf(p *Payment, reason string) (approvals.Proposal, error) {
	proposal := approvals.Proposal{
		Kind: kindRefund, Resource: p.Path(), BaseETag: p.Ref().ETag(), Targets: []string{p.Path()}, Note: reason,
		Party:       &approvals.Party{UserID: p.RecordedBy, CreatorID: p.RecorderCreatorID, Time: p.CreatedTime},
		MarkTargets: func(ctx context.Context, u *uow.Unit) error { return guard.Propose[Payment](ctx, u, p.Ref()) },
	}
	var err error
	proposal.Content, err = strictjson.Encode(proposedRefund{
		Action: "refund", PaymentID: p.ID, Method: p.Method, Reference: p.Reference, Amount: p.Amount, Reason: reason,
	})
	return proposal, err
}

// subject implements approvals.Subject for sending back payments.
type subject struct{ *Service }

// Grants implements approvals.Subject.
func (subject) Grants() approvals.Grants {
	return approvals.Grants{Kind: ApprovalKind, Path: Topic + "/", Read: ReadPermission, Write: RefundPermission}
}

// decode decodes a proposal, which proposalOf has encoded, and its base version.
func decode(p approvals.Proposal) (content proposedRefund, base guard.Precondition, err error) {
	if err := json.Unmarshal(p.Content, &content); err != nil {
		return content, base, fmt.Errorf("decode the proposal to send back a payment: %w", err)
	}
	base, err = guard.ParsePrecondition(p.BaseETag)
	return content, base, err
}

// inUnit reads the payment of a proposal in the unit's transaction.
func (s subject) inUnit(ctx context.Context, u *uow.Unit, id int64) (*Payment, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	payment, err := find(tx, id)
	return payment, storage.Found(err, "payment", "")
}

// Lock implements approvals.Subject. It needs no locks.
func (subject) Lock(ctx context.Context, _ *uow.Unit, _ approvals.Proposal) (context.Context, error) {
	return ctx, nil
}

// Apply implements approvals.Subject: it sends the payment back in the name of the last voter. The
// approval becomes stale if the payment has changed since the proposal.
func (s subject) Apply(ctx context.Context, u *uow.Unit, p approvals.Proposal) error {
	content, base, err := decode(p)
	if err != nil {
		return err
	}
	payment, err := s.inUnit(ctx, u, content.PaymentID)
	if err != nil {
		return err
	}
	if payment.Status != unmatched.Code || !base.Matches(payment.Ref()) {
		return approvals.ErrStaleBase
	}
	_, err = s.sendBack(ctx, u, payment, Refund{Reason: content.Reason}, nil)
	return err
}

// Revise implements approvals.Subject. A patch cannot edit a transition.
func (subject) Revise(_ context.Context, _ *uow.Unit, p approvals.Proposal, _ json.RawMessage) (approvals.Proposal, error) {
	return p, approvals.Unrevisable()
}

// Rebase implements approvals.Subject. An unmatched payment changes only by leaving its status.
func (s subject) Rebase(ctx context.Context, u *uow.Unit, p approvals.Proposal) (approvals.Proposal, error) {
	content, _, err := decode(p)
	if err != nil {
		return p, err
	}
	payment, err := s.inUnit(ctx, u, content.PaymentID)
	switch {
	case err != nil:
		return p, err
	case payment.Status == refunded.Code:
		return p, approvals.ErrNoChange
	case payment.Status != unmatched.Code:
		return p, approvals.ErrStaleBase
	}
	renewed, err := proposalOf(payment, content.Reason)
	renewed.Note = p.Note
	return renewed, err
}

// Conflict implements approvals.Subject.
func (s subject) Conflict(ctx context.Context, p approvals.Proposal) (approvals.Conflict, error) {
	content, base, err := decode(p)
	if err != nil {
		return approvals.Conflict{}, err
	}
	current, err := s.Payment(ctx, content.PaymentID)
	if err != nil {
		return approvals.Conflict{}, err
	}
	if base.Matches(current.Ref()) {
		return approvals.Unchanged(current.Label()), nil
	}
	detail := current.Label() + " has changed: " + s.lifecycle().Cause(current) + "."
	return approvals.Changed(detail, base, current.Stamp(), ViewOf(ctx, *current)), nil
}

// Show implements approvals.Subject.
func (subject) Show(_ context.Context, p approvals.Proposal) (approvals.Rendered, error) {
	return approvals.ShownAs(p.Content), nil
}

// sideView is a payment as one side of its approval; the sides differ in status.
type sideView struct {
	OrderNo    string               `json:"orderNo"`
	UserID     principal.CustomerID `json:"userId"`
	Amount     int64                `json:"amount"`
	Method     string               `json:"method"`
	Reference  *string              `json:"reference"`
	RecordedBy string               `json:"recordedBy"`
	Status     string               `json:"status"`
}

// Sides implements approvals.Subject.
func (s subject) Sides(ctx context.Context, p approvals.Proposal) ([]approvals.Comparison, error) {
	content, _, err := decode(p)
	if err != nil {
		return nil, err
	}
	payment, err := s.Payment(ctx, content.PaymentID)
	if err != nil {
		return nil, err
	}
	side := func(status int) sideView {
		return sideView{payment.OrderNo, payment.UserID, payment.Amount, payment.Method, payment.Reference, payment.RecordedByName, Machine.Of(status).Name}
	}
	return []approvals.Comparison{{Resource: p.Resource, Base: side(unmatched.Code), Proposed: side(refunded.Code), Current: side(payment.Status)}}, nil
}
