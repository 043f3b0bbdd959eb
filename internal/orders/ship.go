package orders

import (
	"context"
	"fmt"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
)

// Shipment ships the units of an order that are to ship, and removes them from stock.
type Shipment struct {
	Carrier    string `json:"carrier" validate:"required,max=100"`
	TrackingNo string `json:"trackingNo" validate:"required,max=100"`
	// Ships an order with a completely refunded payment.
	ShipRefunded bool `json:"shipRefunded,omitempty"`
}

func (Shipment) action() string { return "ship" }

// SchemaName returns the name in the contract.
func (Shipment) SchemaName() string { return "Shipment" }

func (Shipment) prepare(context.Context, *uow.Unit, *Service, *Order) error { return nil }

func (s Shipment) fill(o *Order) { o.Carrier, o.TrackingNo = s.Carrier, s.TrackingNo }

func (Shipment) locks(*Order) locks { return locks{stock: true} }

// possible returns NothingToShip for a paid order without units to ship, and for a completely
// refunded one unless ShipRefunded is set.
func (s Shipment) possible(o *Order) *apperr.Error {
	switch {
	case o.Status != paid.Code:
		return nil
	case o.unitsToShip() == 0:
		return apperr.New(apperr.NothingToShip, "%s has no units to ship: refunds return all of them to stock. Nothing was changed; cancel the order or reject its open refunds.", o.Label())
	case o.Paid > 0 && o.Refunded == o.Paid && !s.ShipRefunded:
		return apperr.New(apperr.NothingToShip, "The whole payment of %s was refunded. Nothing was changed; to ship it anyway, send shipRefunded: true.", o.Label())
	}
	return nil
}

func (Shipment) apply(ctx context.Context, u *uow.Unit, s *Service, before, after *Order) error {
	units := make(map[string]int64, len(before.Lines))
	var moves []LineMove
	for _, line := range before.Lines {
		if line.ToShip > 0 {
			units[line.SKU] = line.ToShip
			moves = append(moves, LineMove{SKU: line.SKU, ToShip: -line.ToShip, Shipped: line.ToShip})
		}
	}
	var err error
	if after.Lines, err = moveLines(ctx, u, before, moves); err != nil {
		return err
	}
	act := "ship"
	if before.Status == shipped.Code {
		act = fmt.Sprintf("ship/%d", after.Version)
	}
	return s.stock.Consume(ctx, u, after.Holder(), after.reference(act), units)
}
