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

// Wanted is how many pieces of a line of an order are to be refunded, and whether they return to
// stock.
type Wanted struct {
	SKU      string `json:"sku" validate:"required,max=64"`
	Quantity int64  `json:"quantity" validate:"min=1"`
	Restock  bool   `json:"restock"`
}

// Request is a refund to be requested.
type Request struct {
	// Amount is in minor units, more than 0; nil for what the lines are worth.
	Amount *int64
	Reason string
	// Lines may be none when there is an amount; each sku is there once.
	Lines []Wanted
}

// Request inserts a refund of an order and reserves its amount, in one unit: however many run at
// once, no more is reserved than is left of the payment.
//
// Errors: lock.ErrNotAcquired when others request refunds of the order for too long;
// ValidationFailed at /amount, with what is refundable, for more than that; at /lines/i/sku for
// an item that the order does not have; at /lines/i/quantity for more pieces than are not
// refunded yet; at /lines/i/restock for pieces that a refund cannot return to stock.
func (s *Service) Request(ctx context.Context, u *uow.Unit, order *orders.Order, r Request) (*Refund, error) {
	caller, _ := principal.From(ctx)
	ctx, err := s.orders.LockRefunds(ctx, u, order)
	if err != nil {
		return nil, err
	}
	refund := &Refund{
		OrderID: order.ID, OrderNo: order.OrderNo, UserID: order.UserID, Method: order.PaymentMethod, Origin: Requested,
		Status: requested.Code, Reason: r.Reason, RequestedBy: caller.UserID, RequestedByName: caller.Name,
	}
	if r.Amount != nil {
		refund.Amount = *r.Amount
	}
	var seen int64
	if len(r.Lines) > 0 {
		var worth int64
		if worth, seen, err = s.addLines(ctx, u, refund, r.Lines); err != nil {
			return nil, err
		}
		if r.Amount == nil {
			refund.Amount = worth
		}
	}
	// An order that was paid after it was read has no method here; the next attempt reads it.
	if refund.Amount <= 0 || refund.Method == "" {
		return nil, s.notRefundable(order.ID, refund.Amount)
	}
	if err := insert(ctx, u, refund); err != nil {
		return nil, err
	}
	_, err = s.orders.MoveRefund(ctx, u, order.ID, orders.RefundMove{
		Action: orders.RefundReserved, Reserved: refund.Amount, Seen: seen, Detail: detailOf(refund),
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

// RefundRest implements orders.Refunds: it refunds the rest of the payment of an order that the
// unit has cancelled, and whose refunded or refundReserved it has raised already. A wallet is credited in the same unit; an outside payment waits
// for its approval like any other refund. The audit entry is the order's.
func (s *Service) RefundRest(ctx context.Context, u *uow.Unit, order *orders.Order, rest int64) error {
	caller, _ := principal.From(ctx)
	refund := &Refund{
		OrderID: order.ID, OrderNo: order.OrderNo, UserID: order.UserID, Amount: rest, Method: order.PaymentMethod, Origin: Cancellation,
		Status: requested.Code, Reason: order.CancelReason, RequestedBy: caller.UserID, RequestedByName: caller.Name,
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
	after.Status, after.Reference = settled.Code, refund.reference()
	if _, err := s.updateStatus(ctx, u, refund, &after); err != nil {
		return fmt.Errorf("settle the refund of a cancelled order: %w", err)
	}
	if err := guard.Advance(ctx, u, &after); err != nil {
		return err
	}
	if err := s.wallets.Credit(ctx, u, order.UserID, rest, "refund", after.Reference); err != nil {
		return err
	}
	s.announce(u, "credit", &after)
	return insertHistory(ctx, u, &after, "credit", &refund.Status, map[string]any{"reference": after.Reference})
}

// addLines adds the wanted lines to a refund. It returns their worth, and the version of the order
// for which that is right: each refund of the order raises the version.
func (s *Service) addLines(ctx context.Context, u *uow.Unit, refund *Refund, wanted []Wanted) (worth, seen int64, err error) {
	order, err := s.orders.InUnit(ctx, u, refund.OrderID)
	if err != nil {
		return 0, 0, err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return 0, 0, err
	}
	before, err := refundedPartsOf(tx, order.ID)
	if err != nil {
		return 0, 0, err
	}
	share := shares(order.Lines, order.Discount)
	var broken apperr.Fields
	for i, w := range wanted {
		at := indexOf(order.Lines, w.SKU)
		if at < 0 {
			broken.Check(false, fmt.Sprintf("/lines/%d/sku", i), "not_in_order", "names no line of the order")
			continue
		}
		line := order.Lines[at]
		left := line.Quantity - before[w.SKU].Quantity
		broken.Check(w.Quantity <= left, fmt.Sprintf("/lines/%d/quantity", i), "max",
			fmt.Sprintf("must be at most %d: the other pieces of the line are refunded already", left))
		if why := whyNotRestockable(order); w.Restock && why != "" {
			broken.Check(false, fmt.Sprintf("/lines/%d/restock", i), "not_returnable", why)
		}
		if len(broken) > 0 {
			continue
		}
		made := Line{
			OrderID: order.ID, SKU: w.SKU, Name: line.Name, Quantity: w.Quantity, Restock: w.Restock,
			Worth: worthOf(share[at], line.Quantity, before[w.SKU], w.Quantity),
		}
		refund.Lines = append(refund.Lines, made)
		worth += made.Worth
	}
	if len(broken) > 0 {
		return 0, 0, apperr.Invalid(broken...)
	}
	return worth, order.Version, nil
}

// whyNotRestockable says why a refund cannot return pieces of an order to stock, "" when it can.
func whyNotRestockable(order *orders.Order) string {
	switch {
	case order.Shipped(), order.HoldsPieces() && order.SaleID == nil:
		return ""
	case order.HoldsPieces():
		return "cannot be true: units of a flash sale that were not shipped go back to it when the order is cancelled"
	}
	return "cannot be true: the pieces came back when the order was cancelled"
}

// indexOf returns where the line of an item is, -1 when there is none.
func indexOf(lines []orders.Line, sku string) int {
	for i, line := range lines {
		if line.SKU == sku {
			return i
		}
	}
	return -1
}

// notRefundable is ValidationFailed at /amount, for an amount that is not positive or exceeds what
// is refundable by the committed rows; only who may read refunds is told how much that is. When
// the amount has become possible meanwhile the unit is run again.
func (s *Service) notRefundable(order int64, amount int64) error {
	return uow.Explain(func(ctx context.Context) error {
		current, err := s.orders.Order(ctx, order)
		if err != nil {
			return err
		}
		refundable := current.Refundable()
		caller, _ := principal.From(ctx)
		switch {
		case amount > 0 && amount <= refundable:
			return uow.Retry(apperr.New(apperr.ResourceLocked, "Others refund the same order at the same time; nothing was changed. Try again."))
		case !caller.May(ReadPermission):
			return apperr.Invalid(apperr.Field{Pointer: "/amount", Code: "refundable", Message: "must be more than 0 and at most what can still be refunded"})
		}
		message := fmt.Sprintf("must be more than 0 and at most %d, which is what can still be refunded of order %q", refundable, current.OrderNo)
		if refundable == 0 {
			message = fmt.Sprintf("cannot be refunded: order %q has nothing left to refund", current.OrderNo)
		}
		return apperr.Invalid(apperr.Field{Pointer: "/amount", Code: "refundable", Message: message}).With("refundable", refundable)
	})
}

// checkPieces checks that the refunds of an order cover no more pieces of a line than it has. The
// unit has written the order before, so that the row is locked. Errors: errTooManyPieces.
func (s *Service) checkPieces(ctx context.Context, u *uow.Unit, order *orders.Order) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	before, err := refundedPartsOf(tx, order.ID)
	if err != nil {
		return err
	}
	for _, line := range order.Lines {
		if before[line.SKU].Quantity > line.Quantity {
			return errTooManyPieces
		}
	}
	return nil
}

var errTooManyPieces = errors.New("refunds: more pieces than the order has")
