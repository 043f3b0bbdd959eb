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
	"interlock/internal/payments"
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
	// PaymentID is the payment to repay; 0 for the first one that has the amount left.
	PaymentID int64
}

// Request inserts a refund of a payment and reserves its amount, in one unit. Concurrent requests
// never reserve more than the rest of the payment.
//
// Errors: lock.ErrNotAcquired if other requests for the order have the lock for too long;
// ValidationFailed at /amount, with the refundable amount, if the requested amount exceeds it; at
// /paymentId for a payment of another order; at /lines/i/sku for an item that is not in the order; at /lines/i/quantity for more units than are
// left to refund; at /lines/i/restock for units that a refund cannot return to stock.
func (s *Service) Request(ctx context.Context, u *uow.Unit, order *orders.Order, r Request) (*Refund, error) {
	caller, _ := principal.From(ctx)
	ctx, err := s.orders.LockMoney(ctx, u, order.ID)
	if err != nil {
		return nil, err
	}
	refund := &Refund{
		OrderID: order.ID, OrderNo: order.OrderNo, UserID: order.UserID, Origin: Requested,
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
	// If the order was paid after it was read, the retry finds the payment.
	payment := choosePayment(order, r.PaymentID, refund.Amount)
	if payment == nil {
		return nil, s.notRefundable(order.ID, r.PaymentID, refund.Amount)
	}
	refund.PaymentID, refund.Method = payment.ID, payment.Method
	if err := insert(ctx, u, refund); err != nil {
		return nil, err
	}
	_, err = s.orders.MoveRefund(ctx, u, order.ID, orders.RefundMove{
		Action: orders.RefundReserved, PaymentID: refund.PaymentID, Reserved: refund.Amount, Seen: seen, Lines: refund.moves(withheld), Detail: detailOf(refund),
	})
	if errors.Is(err, orders.ErrNotRefundable) {
		return nil, s.notRefundable(order.ID, r.PaymentID, refund.Amount)
	}
	if err != nil {
		return nil, err
	}
	detail := requestDetail(refund)
	if err := insertHistory(ctx, u, refund, "request", nil, detail); err != nil {
		return nil, err
	}
	s.record(u, "request", refund, map[string]any{"version": refund.Version, "detail": detail})
	return refund, nil
}

// requestDetail returns the detail of the first version of a refund.
func requestDetail(refund *Refund) any {
	return map[string]any{"orderId": refund.OrderID, "paymentId": refund.PaymentID, "amount": refund.Amount, "reason": refund.Reason}
}

// choosePayment returns the payment of an order that a refund repays: the one with the id or, if id
// is 0, the first received one that has the amount left. It returns nil for none. A refund repays
// one payment, because each payment is repaid in its own way.
func choosePayment(order *orders.Order, id, amount int64) *payments.Payment {
	for i := range order.Payments {
		if p := &order.Payments[i]; (id == 0 || p.ID == id) && amount > 0 && amount <= p.Refundable() {
			return p
		}
	}
	return nil
}

// TakeOver implements orders.Refunds. A concurrent approval of a refund retries the unit.
func (s *Service) TakeOver(ctx context.Context, u *uow.Unit, order *orders.Order) (released map[int64]int64, err error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	var open []Refund
	if err := tx.Where("order_id = ? AND status IN ?", order.ID, []int{requested.Code, failed.Code}).Order("id").Find(&open).Error; err != nil {
		return nil, fmt.Errorf("read the open refunds of an order: %w", err)
	}
	released = make(map[int64]int64, len(open))
	for i := range open {
		refund := &open[i]
		after := *refund
		after.Status, after.StatusReason = rejected.Code, "The order was cancelled; its cancellation refunds the rest of the payments."
		named, err := s.updateStatus(ctx, u, refund, &after)
		if errors.Is(err, guard.ErrStale) {
			return nil, uow.Overtaken("refund")
		}
		if err != nil {
			return nil, fmt.Errorf("take over a refund of a cancelled order: %w", err)
		}
		if err := guard.Advance(ctx, u, &after); err != nil {
			return nil, err
		}
		if named {
			if err := s.approvals.MarkStale(ctx, u, refund.path()); err != nil {
				return nil, err
			}
		}
		if err := insertHistory(ctx, u, &after, "take-over", &refund.Status, Rejection{Reason: after.StatusReason}); err != nil {
			return nil, err
		}
		s.announce(u, "take-over", &after)
		if refund.Status == requested.Code {
			released[refund.PaymentID] += refund.Amount
		}
	}
	return released, nil
}

// RefundRest implements orders.Refunds. A wallet is credited in the same unit; an outside payment
// waits for its approval. The order's audit entry covers both.
func (s *Service) RefundRest(ctx context.Context, u *uow.Unit, order *orders.Order, payment *payments.Payment, rest int64) (id int64, err error) {
	caller, _ := principal.From(ctx)
	refund := &Refund{
		OrderID: order.ID, OrderNo: order.OrderNo, UserID: order.UserID, PaymentID: payment.ID, Amount: rest, Method: payment.Method, Origin: Cancellation,
		Status: requested.Code, Reason: order.CancelReason, RequestedBy: caller.UserID, RequestedByName: caller.Name, RequesterCreatorID: caller.Via.CreatorID,
	}
	if err := insert(ctx, u, refund); err != nil {
		return 0, err
	}
	if err := insertHistory(ctx, u, refund, "request", nil, requestDetail(refund)); err != nil {
		return 0, err
	}
	s.announce(u, "request", refund)
	if !refund.byWallet() {
		return refund.ID, nil
	}
	after := *refund
	reference := refund.reference()
	after.Status, after.Reference = settled.Code, &reference
	if _, err := s.updateStatus(ctx, u, refund, &after); err != nil {
		return 0, fmt.Errorf("settle the refund of a cancelled order: %w", err)
	}
	if err := guard.Advance(ctx, u, &after); err != nil {
		return 0, err
	}
	if err := s.wallets.Refund(ctx, u, order.UserID, rest, reference); err != nil {
		return 0, err
	}
	s.announce(u, "credit", &after)
	return refund.ID, insertHistory(ctx, u, &after, "credit", &refund.Status, map[string]any{"reference": reference})
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
	switch left := line.Shipped - line.InReturns - before.Returned; {
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

// notRefundable returns ValidationFailed at /amount, for an amount that is not positive or that the
// committed rows of the order's payments do not have left, and at /paymentId for a payment of
// another order. If the refund has become possible since, the unit is retried.
func (s *Service) notRefundable(order, payment, amount int64) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := s.orders.Order(ctx, order)
		if err != nil {
			return err
		}
		if choosePayment(current, payment, amount) != nil {
			return uow.Retry(apperr.New(apperr.ResourceLocked, "Others refund the same order at the same time; nothing was changed. Try again."))
		}
		refundable, isOfOrder := int64(0), payment == 0
		for _, p := range current.Payments {
			if payment == 0 || p.ID == payment {
				refundable, isOfOrder = max(refundable, p.Refundable()), true
			}
		}
		if !isOfOrder {
			return apperr.Invalid(apperr.Field{Pointer: "/paymentId", Code: "not_in_order", Message: fmt.Sprintf("names no payment of order %q", current.OrderNo)})
		}
		message := fmt.Sprintf("must be more than 0 and at most %d, the refundable amount of order %q", refundable, current.OrderNo)
		switch {
		case refundable == 0:
			message = fmt.Sprintf("cannot be refunded: order %q has nothing left to refund", current.OrderNo)
		case payment != 0:
			message = fmt.Sprintf("must be more than 0 and at most %d, the refundable amount of payment %d", refundable, payment)
		case refundable < current.Refundable():
			message = fmt.Sprintf("must be more than 0 and at most %d, the largest refundable amount of one payment of order %q: request a refund for each payment", refundable, current.OrderNo)
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
		if before[line.SKU].Quantity > line.Quantity || before[line.SKU].Returned+line.InReturns > line.Shipped {
			return errTooManyUnits
		}
	}
	return nil
}

var errTooManyUnits = errors.New("refunds: more units than the order has")
