package orders

import (
	"context"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
)

// Shipment says how an order travels. Shipping takes its pieces from stock.
type Shipment struct {
	Carrier    string `json:"carrier"`
	TrackingNo string `json:"trackingNo"`
}

func (Shipment) action() string { return "ship" }

func (s Shipment) check() (broken apperr.Fields) {
	for _, text := range []struct{ pointer, value string }{{"/carrier", s.Carrier}, {"/trackingNo", s.TrackingNo}} {
		if required(&broken, text.pointer, text.value) {
			atMost(&broken, text.pointer, text.value, 100)
		}
	}
	return broken
}

func (s Shipment) fill(o *Order) { o.Carrier, o.TrackingNo = s.Carrier, s.TrackingNo }

func (Shipment) locks(*Order) locks { return locks{stock: true} }

func (Shipment) apply(ctx context.Context, u *uow.Unit, s *Service, _, shipped *Order) error {
	return s.stock.Consume(ctx, u, shipped.Holder(), shipped.reference("ship"), nil)
}
