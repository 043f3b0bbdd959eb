package refunds

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
)

// LineRequest is the number of units of an order's line to refund, and whether they return to
// stock.
type LineRequest struct {
	SKU      string `json:"sku" validate:"required,max=64"`
	Quantity int64  `json:"quantity" validate:"min=1"`
	Restock  bool   `json:"restock" default:"false"`
}

// Request is a request for a refund.
type Request struct {
	// Amount is in minor units, more than 0; nil for the sum of the lines.
	Amount *int64
	Reason string
	// Lines may be empty if there is an amount; each sku is named once.
	Lines []LineRequest
}

// Request inserts a refund of an order and reserves its amount, in one unit. Concurrent requests
// never reserve more than the rest of the payment.
//
// Errors: lock.ErrNotAcquired if other requests for the order have the lock for too long;
// ValidationFailed at /amount, with the refundable amount, if the requested amount exceeds it; at
// /lines/i/sku for an item that is not in the order; at /lines/i/quantity for more units than are
// left to refund; at /lines/i/restock for units that a refund cannot return to stock.
func (s *Service) Request(ctx context.Context, u *uow.Unit, order *orders.Order, r Request) (*Refund, error) {
	caller, _ := principal.From(ctx)
	ctx, err := s.orders.LockRefunds(ctx, u, order)
	if err != nil {
		return nil, err
	}
	refund := &Refund{
		OrderID: order.ID, OrderNo: order.OrderNo, UserID: order.UserID, Method: order.PaymentMethod, Origin: Requested,
		Status: requested.Code, Reason: r.Reason, RequestedBy: caller.UserID, RequestedByName: caller.Name, RequesterCreatorID: caller.Via.CreatorID,
	}
	if r.Amount != nil {
		refund.Amount = *r.Amount
	}
	var seen *orders.Order
	if len(r.Lines) > 0 {
		var worth int64
		if worth, seen, err = s.addLines(ctx, u, refund, r.Lines); err != nil {
			return nil, err
		}
		if r.Amount == nil {
			refund.Amount = worth
		}
	}
	// If the order was paid after it was read, the method is empty here, and the retry reads the
	// payment.
	if refund.Amount <= 0 || refund.Method == "" {
		return nil, s.notRefundable(order.ID, refund.Amount)
	}
	if err := insert(ctx, u, refund); err != nil {
		return nil, err
	}
	_, err = s.orders.MoveRefund(ctx, u, order.ID, orders.RefundMove{
		Action: orders.RefundReserved, Reserved: refund.Amount, Seen: seen, Lines: refund.moves(withheld), Detail: detailOf(refund),
	})
	if errors.Is(err, orders.ErrNotRefundable) {
		return nil, s.notRefundable(order.ID, refund.Amount)
	}
	if err != nil {
		return nil, err
	}
	detail := map[string]any{"orderId": refund.OrderID, "amount": refund.Amount, "reason": refund.Reason}
	if err := insertHistory(ctx, u, refund, "request", nil, detail); err != nil {
		return nil, err
	}
	s.record(u, "request", refund, map[string]any{"version": refund.Version, "detail": detail})
	return refund, nil
}

// TakeOver implements orders.Refunds. A concurrent approval of a refund retries the unit.
func (s *Service) TakeOver(ctx context.Context, u *uow.Unit, order *orders.Order) (released int64, err error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return 0, err
	}
	var open []Refund
	if err := tx.Where("order_id = ? AND status IN ?", order.ID, []int{requested.Code, failed.Code}).Order("id").Find(&open).Error; err != nil {
		return 0, fmt.Errorf("read the open refunds of an order: %w", err)
	}
	for i := range open {
		refund := &open[i]
		after := *refund
		after.Status, after.StatusReason = rejected.Code, "The order was cancelled; its cancellation refunds the rest of the payment."
		named, err := s.updateStatus(ctx, u, refund, &after)
		if errors.Is(err, guard.ErrStale) {
			return 0, uow.Overtaken("refund")
		}
		if err != nil {
			return 0, fmt.Errorf("take over a refund of a cancelled order: %w", err)
		}
		if err := guard.Advance(ctx, u, &after); err != nil {
			return 0, err
		}
		if named {
			if err := s.approvals.MarkStale(ctx, u, refund.path()); err != nil {
				return 0, err
			}
		}
		if err := insertHistory(ctx, u, &after, "take-over", &refund.Status, Rejection{Reason: after.StatusReason}); err != nil {
			return 0, err
		}
		s.announce(u, "take-over", &after)
		if refund.Status == requested.Code {
			released += refund.Amount
		}
	}
	return released, nil
}

// RefundRest implements orders.Refunds. A wallet is credited in the same unit; an outside payment
// waits for its approval. The order's audit entry covers both.
func (s *Service) RefundRest(ctx context.Context, u *uow.Unit, order *orders.Order, rest int64) error {
	caller, _ := principal.From(ctx)
	refund := &Refund{
		OrderID: order.ID, OrderNo: order.OrderNo, UserID: order.UserID, Amount: rest, Method: order.PaymentMethod, Origin: Cancellation,
		Status: requested.Code, Reason: order.CancelReason, RequestedBy: caller.UserID, RequestedByName: caller.Name, RequesterCreatorID: caller.Via.CreatorID,
	}
	if err := insert(ctx, u, refund); err != nil {
		return err
	}
	detail := map[string]any{"orderId": refund.OrderID, "amount": rest, "reason": refund.Reason}
	if err := insertHistory(ctx, u, refund, "request", nil, detail); err != nil {
		return err
	}
	s.announce(u, "request", refund)
	if !refund.byWallet() {
		return nil
	}
	after := *refund
	reference := refund.reference()
	after.Status, after.Reference = settled.Code, &reference
	if _, err := s.updateStatus(ctx, u, refund, &after); err != nil {
		return fmt.Errorf("settle the refund of a cancelled order: %w", err)
	}
	if err := guard.Advance(ctx, u, &after); err != nil {
		return err
	}
	if err := s.wallets.Refund(ctx, u, order.UserID, rest, reference); err != nil {
		return err
	}
	s.announce(u, "credit", &after)
	return insertHistory(ctx, u, &after, "credit", &refund.Status, map[string]any{"reference": reference})
}

// withheld returns the move of a line's unshipped units from the order's ToShip to InRefund.
func withheld(line Line) orders.LineMove {
	return orders.LineMove{ToShip: -line.Unshipped, InRefund: line.Unshipped}
}

// addLines adds the requested lines to a refund. It returns the worth of the lines, and the order
// from which the worth was derived: if another refund has since incremented the order's version,
// the unit is retried.
func (s *Service) addLines(ctx context.Context, u *uow.Unit, refund *Refund, requests []LineRequest) (worth int64, seen *orders.Order, err error) {
	order, err := s.orders.InUnit(ctx, u, refund.OrderID)
	if err != nil {
		return 0, nil, err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return 0, nil, err
	}
	before, err := refundedPartsOf(tx, order.ID)
	if err != nil {
		return 0, nil, err
	}
	share := orders.LineTotals(order.Lines, order.Discount)
	var violations apperr.Fields
	for i, w := range requests {
		at := indexOf(order.Lines, w.SKU)
		if at < 0 {
			violations.Check(false, fmt.Sprintf("/lines/%d/sku", i), "not_in_order", "names no line of the order")
			continue
		}
		line := order.Lines[at]
		left := line.Quantity - before[w.SKU].Quantity
		violations.Check(w.Quantity <= left, fmt.Sprintf("/lines/%d/quantity", i), "max",
			fmt.Sprintf("must be at most %d: the other units of the line are already refunded", left))
		var unshipped int64
		if w.Restock {
			unshipped = min(w.Quantity, line.ToShip)
			if reason := notRestockable(order, line, before[w.SKU], unshipped, w.Quantity-unshipped); reason != "" {
				violations.Check(false, fmt.Sprintf("/lines/%d/restock", i), "not_returnable", reason)
			}
		}
		if len(violations) > 0 {
			continue
		}
		made := Line{
			OrderID: order.ID, SKU: w.SKU, Name: line.Name, Quantity: w.Quantity, Restock: w.Restock, Unshipped: unshipped,
			Worth: worthOf(share[at], line.Quantity, before[w.SKU], w.Quantity),
		}
		refund.Lines = append(refund.Lines, made)
		worth += made.Worth
	}
	if len(violations) > 0 {
		return 0, nil, apperr.Invalid(violations...)
	}
	return worth, order, nil
}

// notRestockable returns the reason why a refund cannot return units of a line to stock, and "" if
// it can.
func notRestockable(order *orders.Order, line orders.Line, before refundedPart, unshipped, returned int64) string {
	switch left := line.Shipped - before.Returned; {
	case order.Cancelled():
		return "cannot be true: the order's cancellation returned its units"
	case unshipped > 0 && order.SaleID != nil:
		return "cannot be true: unshipped units of a flash sale return to it when the order is cancelled"
	case returned > left:
		return fmt.Sprintf("cannot be true for more than %d units: the others are neither shipped nor to be shipped", unshipped+left)
	}
	return ""
}

// indexOf returns the index of an item's line, -1 for none.
func indexOf(lines []orders.Line, sku string) int {
	for i, line := range lines {
		if line.SKU == sku {
			return i
		}
	}
	return -1
}

// notRefundable returns ValidationFailed at /amount, for an amount that is not positive or exceeds
// the refundable amount of the committed rows. If the amount has become possible since, the unit is
// retried.
func (s *Service) notRefundable(order int64, amount int64) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := s.orders.Order(ctx, order)
		if err != nil {
			return err
		}
		refundable := current.Refundable()
		if amount > 0 && amount <= refundable {
			return uow.Retry(apperr.New(apperr.ResourceLocked, "Others refund the same order at the same time; nothing was changed. Try again."))
		}
		message := fmt.Sprintf("must be more than 0 and at most %d, the refundable amount of order %q", refundable, current.OrderNo)
		if refundable == 0 {
			message = fmt.Sprintf("cannot be refunded: order %q has nothing left to refund", current.OrderNo)
		}
		return apperr.Invalid(apperr.Field{Pointer: "/amount", Code: "refundable", Message: message}).With("refundable", refundable).With("currency", principal.CurrencyOf(ctx))
	})
}

// checkUnits checks that the refunds of an order cover at most the units of each line. The unit
// must already have written the order's row, which locks it. Errors: errTooManyUnits.
func (s *Service) checkUnits(ctx context.Context, u *uow.Unit, order *orders.Order) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	before, err := refundedPartsOf(tx, order.ID)
	if err != nil {
		return err
	}
	for _, line := range order.Lines {
		if before[line.SKU].Quantity > line.Quantity || before[line.SKU].Returned > line.Shipped {
			return errTooManyUnits
		}
	}
	return nil
}

var errTooManyUnits = errors.New("refunds: more units than the order has")
