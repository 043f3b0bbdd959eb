package app

import (
	"context"

	"interlock/internal/core/uow"
)

// salesOfOrders is where cancelled orders give flash sales their pieces back. Orders are
// built before flash sales, so it looks them up when it is asked.
type salesOfOrders struct{ services *Services }

func (s salesOfOrders) ReturnUnits(ctx context.Context, u *uow.Unit, sale int64, ticket, holder string, units int64) error {
	return s.services.FlashSales.ReturnUnits(ctx, u, sale, ticket, holder, units)
}
