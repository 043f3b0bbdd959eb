package refunds

import (
	"context"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
)

// Approval approves a refund: a wallet is credited in the same unit, an outside payment waits for
// its provider's confirmation. A failed refund reserves its amount again.
type Approval struct{}

func (Approval) action() string { return "approve" }

func (Approval) fill(caller principal.Principal, now time.Time, r *Refund) error {
	r.ApprovedBy, r.ApprovedByName, r.ApprovedTime = &caller.UserID, caller.Name, &now
	return nil
}

func (Approval) settles(r *Refund) bool { return r.byWallet() }

func (Approval) apply(ctx context.Context, u *uow.Unit, s *Service, before, after *Refund) (*Refund, error) {
	if before.Status == failed.Code {
		if err := s.reserveAgain(ctx, u, after); err != nil {
			return nil, err
		}
	}
	if !after.byWallet() {
		return after, nil
	}
	paidBack := *after
	reference := after.reference()
	paidBack.Status, paidBack.Reference = settled.Code, &reference
	if _, err := s.updateStatus(ctx, u, after, &paidBack); err != nil {
		return nil, err
	}
	if err := guard.Advance(ctx, u, &paidBack); err != nil {
		return nil, err
	}
	if err := s.payOut(ctx, u, &paidBack); err != nil {
		return nil, err
	}
	return &paidBack, insertHistory(ctx, u, &paidBack, "settle", &after.Status, Settlement{Reference: reference})
}

// reserveAgain reserves the amount and the units of a failed refund. A refund of a cancelled order
// has retained its reservation.
func (s *Service) reserveAgain(ctx context.Context, u *uow.Unit, refund *Refund) error {
	seen, err := s.orders.InUnit(ctx, u, refund.OrderID)
	if err != nil || seen.Cancelled() {
		return err
	}
	order, err := s.orders.MoveRefund(ctx, u, refund.OrderID, orders.RefundMove{
		Action: orders.RefundReserved, PaymentID: refund.PaymentID, Reserved: refund.Amount, Seen: seen, Lines: refund.moves(withheld), Detail: detailOf(refund),
	})
	if err != nil {
		return err
	}
	return s.checkUnits(ctx, u, order)
}

// Rejection rejects a refund and releases its reservation. Its requester may reject it too.
type Rejection struct {
	Reason string `json:"reason" validate:"required,max=500"`
}

func (Rejection) action() string       { return "reject" }
func (Rejection) settles(*Refund) bool { return false }

func (r Rejection) fill(_ principal.Principal, _ time.Time, refund *Refund) error {
	refund.StatusReason = r.Reason
	return nil
}

func (Rejection) apply(ctx context.Context, u *uow.Unit, s *Service, _, after *Refund) (*Refund, error) {
	return after, s.release(ctx, u, after)
}

// Settlement records a provider's confirmation of the repayment, with its reference.
type Settlement struct {
	Reference string `json:"reference" validate:"reference"`
}

func (Settlement) action() string       { return "settle" }
func (Settlement) settles(*Refund) bool { return true }

func (st Settlement) fill(_ principal.Principal, _ time.Time, refund *Refund) error {
	refund.Reference = &st.Reference
	return nil
}

// repeats reports whether a step equals the refund's settlement, such as a repeated callback of a
// payment provider.
func repeats(step Step, refund *Refund) bool {
	st, isSettlement := step.(Settlement)
	return isSettlement && refund.Reference != nil && *refund.Reference == st.Reference
}

func (Settlement) apply(ctx context.Context, u *uow.Unit, s *Service, _, after *Refund) (*Refund, error) {
	return after, s.payOut(ctx, u, after)
}

// Failure records a provider's report of a failed repayment. It releases the reservation; the
// refund can be approved again while enough of the payment is left.
type Failure struct {
	Reason string `json:"reason" validate:"required,max=500"`
}

func (Failure) action() string       { return "fail" }
func (Failure) settles(*Refund) bool { return false }

func (f Failure) fill(_ principal.Principal, _ time.Time, refund *Refund) error {
	refund.StatusReason = f.Reason
	return nil
}

func (Failure) apply(ctx context.Context, u *uow.Unit, s *Service, _, after *Refund) (*Refund, error) {
	return after, s.release(ctx, u, after)
}

// UnknownOutcome records that the outcome of the repayment is unknown, for example after a timeout.
// The refund retains its reservation until the provider confirms or rejects.
type UnknownOutcome struct {
	Reason string `json:"reason" validate:"required,max=500"`
}

func (UnknownOutcome) action() string       { return "unknown" }
func (UnknownOutcome) settles(*Refund) bool { return false }

func (d UnknownOutcome) fill(_ principal.Principal, _ time.Time, refund *Refund) error {
	refund.StatusReason = d.Reason
	return nil
}

func (UnknownOutcome) apply(_ context.Context, _ *uow.Unit, _ *Service, _, after *Refund) (*Refund, error) {
	return after, nil
}
