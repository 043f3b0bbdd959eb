package refunds

import (
	"context"

	"interlock/internal/core/uow"
)

// ReturnedGoods returns, by sku, the shipped units of an order that its refunds put back into stock,
// without rejected and failed refunds.
func (s *Service) ReturnedGoods(ctx context.Context, u *uow.Unit, order int64) (map[string]int64, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	parts, err := refundedPartsOf(tx, order)
	units := make(map[string]int64, len(parts))
	for sku, part := range parts {
		units[sku] = part.Returned
	}
	return units, err
}

// Rejected reports whether the refund was rejected.
func (r *Refund) Rejected() bool { return r.Status == rejected.Code }
