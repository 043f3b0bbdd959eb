package orders

import (
	"context"
	"fmt"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
)

// partShipment is the history verb of a shipment after which units of the order are still to be
// shipped or reserved.
const partShipment = "shipment"

// Shipment ships units of an order and removes them from stock: all units that are to ship, or
// those of its lines. The order is shipped when no unit is left to ship or in an open refund.
type Shipment struct {
	Carrier    string `json:"carrier" validate:"required,max=100"`
	TrackingNo string `json:"trackingNo" validate:"required,max=100"`
	// Ships an order with a completely refunded payment.
	ShipRefunded bool `json:"shipRefunded,omitempty"`
	// lines are the units to ship; nil for all that are to ship.
	lines []ShipmentLine
}

// ShipmentLine is the number of units of an order's line to ship.
type ShipmentLine struct {
	// The number of the line in its order, from 1.
	LineID   int64 `json:"lineId" validate:"min=1"`
	Quantity int64 `json:"quantity" validate:"min=1"`
}

// SchemaName returns the name in the contract.
func (ShipmentLine) SchemaName() string { return "ShipmentLine" }

// Of returns the shipment of only these lines; without lines, of all units that are to ship.
func (s Shipment) Of(lines ...ShipmentLine) Shipment {
	s.lines = lines
	return s
}

func (Shipment) action() string { return "ship" }

// SchemaName returns the name in the contract.
func (Shipment) SchemaName() string { return "Shipment" }

// prepare moves the units of the shipment in the order's lines.
func (s Shipment) prepare(_ context.Context, u *uow.Unit, _ *Service, order *Order) error {
	order.Carrier, order.TrackingNo = s.Carrier, s.TrackingNo
	order.parcel = s.parcelOf(order)
	order.Lines = withMoves(order.Lines, order.parcel.moves())
	if order.reaches(shipped) {
		now := u.Now()
		order.ShippedTime = &now
	}
	return nil
}

func (Shipment) locks(*Order) locks { return locks{stock: true} }

// possible returns NothingToShip for an order without units to ship, and for a completely refunded
// one unless ShipRefunded is set; TransitionNotAllowed for an unpaid prepaid order; and
// ValidationFailed for lines that are not to ship.
func (s Shipment) possible(o *Order) *apperr.Error {
	switch {
	case o.isUnpaidPrepaid():
		return apperr.New(apperr.TransitionNotAllowed, "Its payment terms are prepaid: pay it first.")
	case o.unitsToShip() == 0 && o.unitsHeld() > 0:
		return apperr.New(apperr.NothingToShip, "%s has no units to ship: its open refunds have all the units that are left. Nothing was changed; settle or reject the refunds.", o.Label())
	case o.unitsToShip() == 0:
		return apperr.New(apperr.NothingToShip, "%s has no units to ship: refunds returned all of them to stock. Nothing was changed; cancel the order.", o.Label())
	case o.Paid > 0 && o.Refunded == o.Paid && !s.ShipRefunded:
		return apperr.New(apperr.NothingToShip, "The whole payment of %s was refunded. Nothing was changed; to ship it anyway, send shipRefunded: true.", o.Label())
	}
	return s.violations(o)
}

// violations returns ValidationFailed at /lines/i/lineId for a line that the order does not have or
// that is named twice, and at /lines/i/quantity for more units than are to ship; nil for none.
func (s Shipment) violations(o *Order) *apperr.Error {
	var violations apperr.Fields
	seen := map[int64]bool{}
	for i, line := range s.lines {
		pointer := fmt.Sprintf("/lines/%d/", i)
		switch {
		case line.LineID > int64(len(o.Lines)):
			violations.Check(false, pointer+"lineId", "not_in_order", "names no line of the order")
		case seen[line.LineID]:
			violations.Check(false, pointer+"lineId", "unique", "is named by an earlier line; add the quantities up")
		default:
			toShip := o.Lines[line.LineID-1].ToShip
			violations.Check(line.Quantity <= toShip, pointer+"quantity", "max", fmt.Sprintf("must be at most %d, the units of the line that are to ship", toShip))
		}
		seen[line.LineID] = true
	}
	if len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

// isUnpaidPrepaid reports whether the order cannot be shipped before its payment.
func (o *Order) isUnpaidPrepaid() bool { return o.Status == pending.Code && o.PaymentTerms == Prepaid }

// parcelOf returns the parcel that the shipment makes of an order.
func (s Shipment) parcelOf(o *Order) *Parcel {
	parcel := &Parcel{OrderID: o.ID, Carrier: s.Carrier, TrackingNo: s.TrackingNo}
	if s.lines == nil {
		for i, line := range o.Lines {
			if line.ToShip > 0 {
				parcel.add(o, ShipmentLine{LineID: int64(i + 1), Quantity: line.ToShip})
			}
		}
	}
	for _, line := range s.lines {
		parcel.add(o, line)
	}
	return parcel
}

func (Shipment) apply(ctx context.Context, u *uow.Unit, s *Service, before, after *Order) error {
	parcel := after.parcel
	if _, err := moveLines(ctx, u, before, parcel.moves()); err != nil {
		return err
	}
	if err := insertParcel(ctx, u, parcel); err != nil {
		return err
	}
	return s.stock.Consume(ctx, u, after.Holder(), parcel.reference(), parcel.quantities())
}
