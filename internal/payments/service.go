package payments

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Topic announces changes of payments, keyed by id.
const Topic = "payments"

// Deps are the dependencies of a Service.
type Deps struct {
	DB  *storage.DB
	Bus events.Bus
	// Approvals stores proposals to send back payments above the tenant's refund threshold until
	// they have their votes.
	Approvals *approvals.Service
}

// Service implements the use cases of payments. It is safe for concurrent use.
type Service struct {
	db        *storage.DB
	bus       events.Bus
	approvals *approvals.Service
}

// New returns a Service, and registers the Subject of payments with Approvals.
func New(d Deps) *Service {
	s := &Service{db: d.DB, bus: d.Bus, approvals: d.Approvals}
	d.Approvals.Offer(subject{s})
	return s
}

// Payment returns a payment. Errors: NotFound.
func (s *Service) Payment(ctx context.Context, id int64) (*Payment, error) {
	payment, err := find(s.db.Read(ctx), id)
	return payment, storage.Found(err, "payment", strconv.FormatInt(id, 10))
}

// List returns one page of payments.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Payment], error) {
	filters, sorts := f.filters()
	return storage.List[Payment](s.db.Read(ctx), page, sorts, filters...)
}

// Export calls write for each payment of a list, oldest first.
func (s *Service) Export(ctx context.Context, f Filter, write func(Payment) error) error {
	return storage.EachRow("id", func(page storage.Page) (storage.Listing[Payment], error) { return s.List(ctx, f, page) }, write)
}

// History returns one page of a payment's events, newest first.
func (s *Service) History(ctx context.Context, payment *Payment, page storage.Page) (storage.Listing[Event], error) {
	return storage.List[Event](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("payment_id", payment.ID))
}

// Recorded returns the payment with a reference at a provider, or nil for none.
func (s *Service) Recorded(ctx context.Context, provider, reference string) (*Payment, error) {
	var found []Payment
	err := s.db.Read(ctx).Where("provider = ? AND reference = ?", provider, reference).Limit(1).Find(&found).Error
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Record inserts a payment of the context's caller, as applied if it has an AppliedTime and
// otherwise as unmatched. The caller writes the audit entry. Errors: an error for which
// storage.IsDuplicate(err, "uq_payments_reference") is true.
func (s *Service) Record(ctx context.Context, u *uow.Unit, payment *Payment) error {
	caller, _ := principal.From(ctx)
	payment.RecordedBy, payment.RecordedByName, payment.RecorderCreatorID = caller.UserID, caller.Name, caller.Via.CreatorID
	if payment.Status = unmatched.Code; payment.Applied() {
		payment.Status = applied.Code
	}
	if err := guard.Insert(ctx, u, payment); err != nil {
		return fmt.Errorf("insert payment: %w", err)
	}
	u.AuditUnder(payment.Path())
	return s.recordEvent(ctx, u, "record", nil, payment, payment.receipt())
}

// receipt is the detail of the recording of a payment.
func (p *Payment) receipt() map[string]any {
	detail := map[string]any{"orderId": p.NamedOrderID, "amount": p.Amount, "reason": p.Reason}
	if p.ReasonCode != "" {
		detail["reasonCode"] = p.ReasonCode
	}
	return detail
}

// AuditUnmatched writes the unit's audit entry for the recording of an unmatched payment.
func (s *Service) AuditUnmatched(u *uow.Unit, payment *Payment) {
	detail := payment.receipt()
	detail["version"] = payment.Version
	s.audit(u, "record", payment, detail)
}

// audit writes the unit's audit entry for a payment that changes no order.
func (s *Service) audit(u *uow.Unit, verb string, payment *Payment, detail any) {
	u.Audit(uow.Entry{Action: "payment." + verb, Resource: payment.Path(), Detail: detail, Note: payment.Reason})
}

// Target is the order to which a payment is applied.
type Target struct {
	ID      int64
	OrderNo string
	UserID  principal.CustomerID
}

// CheckApplicable returns the error of Apply for a payment that was just read, nil if it can be
// applied.
func (s *Service) CheckApplicable(ctx context.Context, payment *Payment, ifMatch *guard.Precondition) error {
	l := s.lifecycle()
	if err := l.CheckPrecondition(payment, ifMatch); err != nil {
		return err
	}
	if payment.Status != unmatched.Code {
		return l.Refusal(ctx, payment, apperr.TransitionNotAllowed, "apply")
	}
	return nil
}

// Apply moves an unmatched payment to an order, in the unit that adds its amount to the order and
// writes the audit entry; see change.Lifecycle for its errors.
func (s *Service) Apply(ctx context.Context, u *uow.Unit, payment *Payment, to Target, ifMatch *guard.Precondition) (*Payment, error) {
	u.AuditUnder(payment.Path())
	return s.transition(ctx, u, payment, "apply", ifMatch, map[string]any{"orderId": to.ID, "amount": payment.Amount}, func(after *Payment) {
		now := u.Now()
		after.OrderID, after.OrderNo, after.UserID, after.Reason, after.ReasonCode, after.AppliedTime = &to.ID, to.OrderNo, to.UserID, "", "", &now
	})
}

// Refund is the request to send back an unmatched payment.
type Refund struct {
	Reason string `json:"reason" validate:"required,max=500"`
}

// SendBack records that an unmatched payment was sent back; see change.Lifecycle for its errors.
// Above the tenant's refund threshold it is proposed instead: the payment is returned unchanged,
// and the unit responds with the approval. More errors: Forbidden if the caller recorded the
// payment.
func (s *Service) SendBack(ctx context.Context, u *uow.Unit, payment *Payment, r Refund, ifMatch *guard.Precondition) (*Payment, error) {
	if payment.Applied() {
		return nil, s.refundedByOrder(ctx, payment)
	}
	after, err := s.sendBack(ctx, u, payment, r, ifMatch)
	if errors.Is(err, errProposed) {
		return payment, nil
	}
	return after, err
}

func (s *Service) sendBack(ctx context.Context, u *uow.Unit, payment *Payment, r Refund, ifMatch *guard.Precondition) (*Payment, error) {
	detail := map[string]any{"amount": payment.Amount, "reason": r.Reason}
	after, err := s.transition(ctx, u, payment, "refund", ifMatch, detail, func(after *Payment) {
		after.Reason, after.ReasonCode, after.Refunded = r.Reason, "", after.Amount
	})
	if err == nil {
		s.audit(u, "refund", after, map[string]any{
			"version": after.Version, "from": Machine.Of(payment.Status).Name, "to": Machine.Of(after.Status).Name, "detail": detail,
		})
	}
	return after, err
}

// refundedByOrder is the error for an applied payment: refunds of its order repay it.
func (s *Service) refundedByOrder(ctx context.Context, payment *Payment) error {
	return s.lifecycle().Explained(ctx, payment, apperr.New(apperr.TransitionNotAllowed,
		"%s pays order %q and cannot be sent back. Nothing was changed; request a refund of the order with POST /orders/%d/refunds.", payment.Label(), payment.OrderNo, *payment.OrderID))
}

// transition moves an unmatched payment that was just read, and writes its history. The caller
// writes the audit entry.
func (s *Service) transition(
	ctx context.Context, u *uow.Unit, payment *Payment, action string, ifMatch *guard.Precondition, detail any, fill func(after *Payment),
) (*Payment, error) {
	var named bool
	after, err := s.lifecycle().Transition(ctx, u, payment, action, ifMatch, func(to status.State) (*Payment, error) {
		after := *payment
		after.Status = to.Code
		fill(&after)
		var err error
		if named, err = s.update(ctx, u, payment, &after); err != nil {
			return nil, err
		}
		return &after, guard.Advance(ctx, u, &after)
	})
	if err != nil {
		return nil, err
	}
	if named {
		if err := s.approvals.MarkStale(ctx, u, payment.Path()); err != nil {
			return nil, err
		}
	}
	return after, s.recordEvent(ctx, u, action, &payment.Status, after, detail)
}

// RefundMove is the change of a payment's refund amounts by a step of a refund.
type RefundMove struct {
	// Action is RefundReserved, RefundReleased or RefundSettled.
	Action string
	// Reserved and Refunded are added to the payment's amounts, in minor units.
	Reserved, Refunded int64
	// Detail is for the payment's history.
	Detail any
}

// MoveRefund changes the refund amounts of an applied payment, in a unit that has already written
// the row of its order: that row serialises all moves of the order's payments. Errors:
// ErrNotRefundable.
func (s *Service) MoveRefund(ctx context.Context, u *uow.Unit, id int64, move RefundMove) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	before, err := find(tx, id)
	if err != nil {
		return fmt.Errorf("read the payment of a refund: %w", err)
	}
	after := *before
	after.RefundReserved += move.Reserved
	after.Refunded += move.Refunded
	if !after.Applied() || after.RefundReserved < 0 || after.Refundable() < 0 {
		return ErrNotRefundable
	}
	if after.Refunded > 0 && after.Refunded == after.Amount {
		after.Status = refunded.Code
	}
	if _, err := s.update(ctx, u, before, &after); errors.Is(err, guard.ErrStale) {
		return uow.Overtaken("payment")
	} else if err != nil {
		return fmt.Errorf("book a refund with its payment: %w", err)
	}
	if err := guard.Advance(ctx, u, &after); err != nil {
		return err
	}
	u.AuditUnder(after.Path())
	return s.recordEvent(ctx, u, move.Action, &before.Status, &after, move.Detail)
}

// recordEvent inserts the payment's current version into its history, and publishes the change
// after commit.
func (s *Service) recordEvent(ctx context.Context, u *uow.Unit, action string, from *int, payment *Payment, detail any) error {
	change.Announce(u, s.bus, Topic, strconv.FormatInt(payment.ID, 10), events.Change{
		Version: payment.Version, ETag: payment.Ref().ETag(), Action: action, Status: Machine.Of(payment.Status).Name, Label: payment.title(),
	})
	return insertHistory(ctx, u, payment, action, from, detail)
}

// lifecycle declares payments to package change.
func (s *Service) lifecycle() change.Lifecycle[Payment, *Payment] {
	return change.Lifecycle[Payment, *Payment]{
		Rows: change.Rows[Payment, *Payment]{
			DB: s.db, Label: (*Payment).Label, View: func(ctx context.Context, p *Payment) any { return ViewOf(ctx, *p) },
		},
		Machine: Machine,
		State:   func(p *Payment) status.State { return Machine.Of(p.Status) },
		Edited:  true,
	}
}
