package inventory

import (
	"context"
	"fmt"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// ReserveUnguarded is Reserve of one item as it must not be: it takes no lock, and its
// UPDATE sets what it has worked out from what it read, whatever the version is by then.
// between runs after the numbers were read and before they are written.
func (s *Service) ReserveUnguarded(ctx context.Context, u *uow.Unit, sku string, quantity int64, between func()) error {
	stock, err := find(s.db.Read(ctx), sku)
	if err != nil {
		return err
	}
	between()
	if free := stock.Free(); free < quantity {
		return insufficient(Shortage{SKU: sku, Wanted: quantity, Available: free})
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	caller, _ := principal.From(ctx)
	err = tx.Exec("UPDATE inventories SET reserved = ?, version = version + 1 WHERE tenant_id = ? AND sku = ?",
		stock.Reserved+quantity, caller.TenantID, sku).Error
	if err != nil {
		return fmt.Errorf("write what is reserved: %w", err)
	}
	u.Audit(uow.Entry{Action: "inventory.reserve", Resource: Topic + "/" + sku})
	return nil
}

// ReserveAfterPause is the rest of Reserve of one item for a holder that was paused after
// it had read the stock.
func (s *Service) ReserveAfterPause(ctx context.Context, u *uow.Unit, seen Inventory, holder string, quantity int64) error {
	u.Audit(uow.Entry{Action: "inventory.reserve", Resource: Topic + "/" + seen.SKU})
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	m := &Movement{SKU: seen.SKU, Kind: Reserved, ReservedDelta: quantity, Holder: holder, Reference: "@" + holder}
	if err := s.apply(ctx, u, &seen, m); err != nil {
		return err
	}
	return credit(ctx, tx, holder, map[string]int64{seen.SKU: quantity})
}
