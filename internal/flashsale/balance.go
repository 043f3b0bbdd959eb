package flashsale

import (
	"context"
	"errors"

	"interlock/internal/base/storage"
	"interlock/internal/flashsale/gate"
)

// Balance says whether in a sale's gate each allotted unit is in exactly one place. A gate that
// is Missing has none that could be wrong; the reconciler builds it.
type Balance struct {
	TenantID, SaleID  int64
	Balanced, Missing bool
}

// Balances asks the gates of the sales of all tenants that are not finished, by their ids
// from behind the given one, at most so many.
func (s *Service) Balances(ctx context.Context, behind int64, limit int) ([]Balance, error) {
	var stocks []Stock
	ctx = storage.AcrossTenants(ctx)
	err := s.db.Read(ctx).Where("finished = ? AND sale_id > ?", false, behind).Order("sale_id").Limit(limit).Find(&stocks).Error
	if err != nil {
		return nil, err
	}
	balances := make([]Balance, len(stocks))
	for i, stock := range stocks {
		counts, err := s.gate.Counts(ctx, stock.SaleID)
		missing := errors.Is(err, gate.ErrNoGate)
		if err != nil && !missing {
			return nil, unreachable(err)
		}
		balances[i] = Balance{TenantID: stock.TenantID, SaleID: stock.SaleID, Balanced: missing || counts.Balanced(), Missing: missing}
	}
	return balances, nil
}
