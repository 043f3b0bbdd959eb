package flashsale

import (
	"context"
	"errors"

	"interlock/internal/base/storage"
	"interlock/internal/flashsale/gate"
)

// Balance reports whether a sale's gate counts each allotted unit exactly once. A Missing
// gate cannot be wrong; the reconciler rebuilds it.
type Balance struct {
	TenantID, SaleID  int64
	Balanced, Missing bool
}

// Balances queries the gates of unfinished sales of all tenants, in the order of sale ids, after
// the id behind, at most limit.
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
