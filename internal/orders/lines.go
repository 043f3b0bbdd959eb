package orders

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Line is one item of an order. SKU, Name, Price and Quantity never change after the order was
// placed. The other numbers count units of the line:
//
//	Quantity = ToShip + InRefund + Shipped + units that a refund or the cancellation returned to stock
//	Shipped >= Returned + WrittenOff
//	the order's hold on the item = ToShip + InRefund
//
// They change only in a unit that has written the order's row under its guard.
type Line struct {
	ID       int64
	TenantID int64
	OrderID  int64
	SKU      string
	Name     string
	// Price is the price of one unit, in minor units.
	Price    int64
	Quantity int64
	// ToShip are the units that can be shipped.
	ToShip int64
	// InRefund are unshipped units of open refunds with restock: they cannot be shipped. They
	// return to stock when the refund is settled, or to ToShip when it is rejected or fails.
	InRefund int64
	// Shipped is the number of shipped units, and Returned the number of shipped units that a
	// refund or a return has put back into stock.
	Shipped, Returned int64
	// InReturns are the shipped units of requested and received returns, and WrittenOff the received
	// ones that are not fit for stock.
	InReturns, WrittenOff int64
}

// TableName returns the table of order lines.
func (Line) TableName() string { return "order_lines" }

// LineMove is a change of one line's units, to be added to its numbers.
type LineMove struct {
	SKU                                 string
	ToShip, InRefund, Shipped, Returned int64
}

// unitsToShip returns the number of units of the next shipment.
func (o *Order) unitsToShip() (units int64) {
	for _, line := range o.Lines {
		units += line.ToShip
	}
	return units
}

// unitsHeld returns the number of units that the order has reserved in stock.
func (o *Order) unitsHeld() (units int64) {
	for _, line := range o.Lines {
		units += line.ToShip + line.InRefund
	}
	return units
}

// unitsShipped returns the number of shipped units, and unitsOut the number of those that were not
// returned.
func (o *Order) unitsShipped() (units int64) {
	for _, line := range o.Lines {
		units += line.Shipped
	}
	return units
}

func (o *Order) unitsOut() (units int64) {
	for _, line := range o.Lines {
		units += line.Shipped - line.ReturnedUnits()
	}
	return units
}

// moveLines changes the units of an order's lines and returns the changed lines. The unit must
// already have written the order's row, guarded by the version that was read with the lines:
//
//	UPDATE order_lines SET to_ship = to_ship + ?, in_refund = in_refund + ?, shipped = shipped + ?, returned = returned + ?
//	 WHERE tenant_id = ? AND order_id = ? AND sku = ?
//	   AND to_ship + ? >= 0 AND in_refund + ? >= 0 AND shipped >= returned + written_off + ?
//
// Errors: ErrNotRefundable if a line has too few units for its move.
func moveLines(ctx context.Context, u *uow.Unit, order *Order, moves []LineMove) ([]Line, error) {
	if len(moves) == 0 {
		return order.Lines, nil
	}
	moved := withMoves(order.Lines, moves)
	for _, line := range moved {
		if line.ToShip < 0 || line.InRefund < 0 || line.Shipped < line.ReturnedUnits() {
			return nil, ErrNotRefundable
		}
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	if err := storeFulfilment(tx, caller.TenantID, Order{Row: order.Row, Lines: moved}); err != nil {
		return nil, err
	}
	for _, m := range moves {
		changed, err := storage.ExecDeferredOneRow(tx, "UPDATE order_lines SET to_ship = to_ship + ?, in_refund = in_refund + ?, shipped = shipped + ?, returned = returned + ?"+
			" WHERE tenant_id = ? AND order_id = ? AND sku = ? AND to_ship + ? >= 0 AND in_refund + ? >= 0 AND shipped >= returned + written_off + ?",
			m.ToShip, m.InRefund, m.Shipped, m.Returned, caller.TenantID, order.ID, m.SKU, m.ToShip, m.InRefund, m.Returned)
		if err != nil {
			return nil, fmt.Errorf("change the units of an order line: %w", err)
		}
		if changed != 1 {
			return nil, uow.Overtaken("order")
		}
	}
	return moved, nil
}

// storeFulfilment stores the facts about an order's lines by which lists filter. The unit has
// written the order's row under its guard.
func storeFulfilment(tx *gorm.DB, tenant int64, moved Order) error {
	err := storage.ExecDeferred(tx, "UPDATE orders SET units_to_ship = ?, fulfilment_status = ? WHERE tenant_id = ? AND id = ?",
		moved.unitsToShip(), string(moved.FulfilmentStatus()), tenant, moved.ID)
	if err != nil {
		return fmt.Errorf("store the fulfilment of an order: %w", err)
	}
	return nil
}

// withMoves returns the lines with their moves applied.
func withMoves(lines []Line, moves []LineMove) []Line {
	moved := make([]Line, len(lines))
	for i, line := range lines {
		for _, m := range moves {
			if m.SKU == line.SKU {
				line.ToShip, line.InRefund = line.ToShip+m.ToShip, line.InRefund+m.InRefund
				line.Shipped, line.Returned = line.Shipped+m.Shipped, line.Returned+m.Returned
			}
		}
		moved[i] = line
	}
	return moved
}
