package returns

import (
	"context"
	"fmt"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
	"interlock/internal/refunds"
)

// Receipt records the units that arrived. Lines that it does not name have none.
type Receipt struct {
	// Each line at most once with `restock` and once without.
	Lines []ReceivedLine `json:"lines" validate:"min=1,max=200,dive"`
}

// ReceivedLine is the number of units of a line that arrived.
type ReceivedLine struct {
	// The number of the line in the order, from 1.
	LineID   int64 `json:"lineId" validate:"min=1"`
	Quantity int64 `json:"quantity" validate:"min=0"`
	// True if the units go back into stock, false if they are written off.
	Restock bool `json:"restock"`
}

// Action implements module.Action.
func (Receipt) Action() string { return "receive" }

// Fill implements module.Step.
func (Receipt) Fill(*Return) guard.Set { return nil }

// lines returns the lines of a return with the received units. Errors: ValidationFailed.
func (s Receipt) lines(row *Return) ([]Line, error) {
	lines := slices.Clone(row.Lines)
	// The lines are read after the row, and may have the units of a concurrent receipt.
	for i := range lines {
		lines[i].Received, lines[i].Restocked = 0, 0
	}
	var violations apperr.Fields
	named := map[ReceivedLine]bool{}
	var units int64
	for i, arrived := range s.Lines {
		at := slices.IndexFunc(lines, func(line Line) bool { return line.LineNo == arrived.LineID })
		key := ReceivedLine{LineID: arrived.LineID, Restock: arrived.Restock}
		if at < 0 || named[key] {
			violations.Check(false, fmt.Sprintf("/lines/%d/lineId", i), "not_in_return", "names no line of the return, or one that is named before with the same restock")
			continue
		}
		named[key] = true
		left := lines[at].Quantity - lines[at].Received
		violations.Check(arrived.Quantity <= left, fmt.Sprintf("/lines/%d/quantity", i), "max", fmt.Sprintf("must be at most %d, the requested units", left))
		lines[at].Received += min(arrived.Quantity, left)
		if arrived.Restock {
			lines[at].Restocked += arrived.Quantity
		}
		units += arrived.Quantity
	}
	violations.Check(units > 0 || len(violations) > 0, "/lines", "min", "must contain a unit; to end a return without goods, reject it")
	if len(violations) > 0 {
		return nil, apperr.Invalid(violations...)
	}
	return lines, nil
}

// Receive receives a return that was just read: its restocked units return to stock, in the same
// unit. More errors than those of module.Flow.Take: ValidationFailed at /lines; lock.ErrNotAcquired.
func (s *Service) Receive(ctx context.Context, u *uow.Unit, row *Return, step Receipt, ifMatch *guard.Precondition) (*Return, error) {
	if row.Status == requested.Code {
		skus := make([]string, len(row.Lines))
		for i, line := range row.Lines {
			skus[i] = line.SKU
		}
		var err error
		if ctx, err = s.stock.Lock(ctx, u, lockWait, skus...); err != nil {
			return nil, err
		}
	}
	after, err := s.flow.Take(ctx, u, row, step, ifMatch)
	if err != nil {
		return nil, err
	}
	if after.Lines, err = step.lines(row); err != nil {
		return nil, err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	restocked := map[string]int64{}
	for _, line := range after.Lines {
		changed, err := storage.ExecDeferredOneRow(tx, "UPDATE return_lines SET received = ?, restocked = ? WHERE tenant_id = ? AND id = ?",
			line.Received, line.Restocked, line.TenantID, line.ID)
		if err != nil || changed != 1 {
			return nil, fmt.Errorf("record the received units of %s: %d rows: %w", row.Label(), changed, err)
		}
		if line.Restocked > 0 {
			restocked[line.SKU] = line.Restocked
		}
	}
	order, err := s.moveGoods(ctx, u, after, orders.ReturnReceived, func(line Line) orders.GoodsMove {
		return orders.GoodsMove{InReturns: line.Received - line.Quantity, Returned: line.Restocked, WrittenOff: line.Received - line.Restocked}
	})
	if err != nil || len(restocked) == 0 {
		return after, err
	}
	return after, s.stock.ReturnToStock(ctx, u, order.Holder(), fmt.Sprintf("@returns/%d", row.ID), restocked)
}

// moveGoods changes the units of the order's lines, and returns the order before.
func (s *Service) moveGoods(ctx context.Context, u *uow.Unit, row *Return, action string, move func(line Line) orders.GoodsMove) (*orders.Order, error) {
	order, err := s.orders.InUnit(ctx, u, row.OrderID)
	if err != nil {
		return nil, err
	}
	return order, s.orders.MoveGoods(ctx, u, order, action, row.moves(move), detailOf(row))
}

// Rejection rejects a requested return.
type Rejection struct {
	Reason string `json:"reason" validate:"required,max=500"`
}

// Action implements module.Action.
func (Rejection) Action() string { return "reject" }

// Fill implements module.Step.
func (s Rejection) Fill(r *Return) guard.Set {
	r.StatusReason = s.Reason
	return guard.Set{"status_reason": s.Reason}
}

// Reject rejects a return that was just read; its units can be returned or refunded otherwise.
// Errors: see module.Flow.Take.
func (s *Service) Reject(ctx context.Context, u *uow.Unit, row *Return, step Rejection, ifMatch *guard.Precondition) (*Return, error) {
	after, err := s.flow.Take(ctx, u, row, step, ifMatch)
	if err != nil {
		return nil, err
	}
	_, err = s.moveGoods(ctx, u, after, orders.ReturnRejected, func(line Line) orders.GoodsMove { return orders.GoodsMove{InReturns: -line.Quantity} })
	return after, err
}

// Closing ends a received return.
type Closing struct {
	// The order of the same user that replaces the goods.
	ExchangeOrderID *int64 `json:"exchangeOrderId,omitempty" min:"1"`
}

// Action implements module.Action.
func (Closing) Action() string { return "close" }

// Fill implements module.Step.
func (s Closing) Fill(r *Return) guard.Set {
	r.ExchangeOrderID = s.ExchangeOrderID
	return guard.Set{"exchange_order_id": s.ExchangeOrderID}
}

// Close closes a return that was just read. More errors than those of module.Flow.Take:
// ValidationFailed at /exchangeOrderId.
func (s *Service) Close(ctx context.Context, u *uow.Unit, row *Return, step Closing, ifMatch *guard.Precondition) (*Return, error) {
	after, err := s.flow.Take(ctx, u, row, step, ifMatch)
	if err != nil || step.ExchangeOrderID == nil {
		return after, err
	}
	owner, err := orders.OwnerOf(ctx, u, *step.ExchangeOrderID)
	if err == nil && (owner != row.UserID || *step.ExchangeOrderID == row.OrderID) {
		err = apperr.Invalid(apperr.Field{Pointer: "/exchangeOrderId", Code: "not_an_order", Message: "names no other order of the user"})
	}
	return after, err
}

// Refund requests the refund of a return's goods, and links it: of the received units, or of the
// requested ones before they arrive. The refund moves no goods. amount is in minor units; nil means
// the units' share of the payment.
//
// Errors: TransitionNotAllowed for a rejected return, and for one with a refund that is not rejected;
// those of refunds.Service.Request.
func (s *Service) Refund(ctx context.Context, u *uow.Unit, row *Return, amount *int64) (*Return, error) {
	if err := s.refundable(ctx, row); err != nil {
		return nil, err
	}
	order, err := s.orders.Order(ctx, row.OrderID)
	if err != nil {
		return nil, err
	}
	request := refunds.Request{Amount: amount, Reason: row.Reason}
	for _, line := range row.Lines {
		units := line.Quantity
		if row.Status != requested.Code {
			units = line.Received
		}
		if units > 0 {
			request.Lines = append(request.Lines, refunds.LineRequest{SKU: line.SKU, Quantity: units})
		}
	}
	refund, err := s.refunds.Request(ctx, u, order, request)
	if err != nil {
		return nil, err
	}
	after, err := s.flow.Edit(ctx, u, row, "refund", map[string]any{"refundId": refund.ID}, func(after *Return) guard.Set {
		after.RefundID = &refund.ID
		return guard.Set{"refund_id": refund.ID}
	})
	if err != nil {
		return nil, err
	}
	s.flow.Announce(u, "refund", after)
	return after, nil
}

// refundable returns TransitionNotAllowed for a return that cannot be refunded.
func (s *Service) refundable(ctx context.Context, row *Return) error {
	var reason string
	switch {
	case row.Status == rejected.Code:
		reason = "it was rejected"
	case row.RefundID != nil:
		refund, err := s.refunds.Refund(ctx, *row.RefundID)
		if err != nil {
			return err
		}
		if refund.Rejected() {
			return nil
		}
		reason = fmt.Sprintf("refund %d repays it", refund.ID)
	default:
		return nil
	}
	return s.flow.Lifecycle().Explained(ctx, row, apperr.New(apperr.TransitionNotAllowed, "%s cannot be refunded: %s.", row.Label(), reason))
}
