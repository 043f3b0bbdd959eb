package inventory

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Reserve reserves units of items for a holder, all or none. The unit has called Lock for the items
// and writes its audit entry. quantities are units by sku, each at least 1.
//
// If all of the items already have a movement with the reference and the same content, nothing
// changes, so a retry is harmless. Errors: InsufficientStock, with all items that are short;
// PayloadMismatch if the reference was used with other content.
func (s *Service) Reserve(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	moves := reservations(holder, reference, quantities)
	if done, err := alreadyDone(tx, slices.Sorted(maps.Keys(moves)), reference, moves); done || err != nil {
		return err
	}
	if err := s.reserve(ctx, u, tx, moves); err != nil {
		return err
	}
	return credit(ctx, tx, holder, quantities)
}

// ReserveFirst is Reserve for a holder and a reference that are new with the unit. So it reads
// neither earlier movements nor holds.
func (s *Service) ReserveFirst(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if err := s.reserve(ctx, u, tx, reservations(holder, reference, quantities)); err != nil {
		return err
	}
	return addHolds(ctx, tx, nil, holdsFor(holder, quantities))
}

// reservations returns the movements of a reservation, by sku.
func reservations(holder, reference string, quantities map[string]int64) map[string]*Movement {
	moves := make(map[string]*Movement, len(quantities))
	for sku, quantity := range quantities {
		moves[sku] = &Movement{SKU: sku, Kind: Reserved, ReservedDelta: quantity, Holder: holder, Reference: reference}
	}
	return moves
}

// reserve changes the inventories of a reservation, all or none. Errors: InsufficientStock.
func (s *Service) reserve(ctx context.Context, u *uow.Unit, tx *gorm.DB, moves map[string]*Movement) error {
	skus := slices.Sorted(maps.Keys(moves))
	stocks, err := findEach(tx, skus)
	if err != nil {
		return err
	}
	var short []Shortage
	for _, sku := range skus {
		if free := stocks[sku].Free(); free < moves[sku].ReservedDelta {
			short = append(short, Shortage{SKU: sku, Requested: moves[sku].ReservedDelta, Available: free})
		}
	}
	if len(short) > 0 {
		return insufficient(short...)
	}
	for _, sku := range skus {
		if err := s.apply(ctx, u, stocks[sku], moves[sku]); err != nil {
			return err
		}
	}
	return nil
}

// Return ends a holder's reservation: its units become available again. Nil quantities return all
// of the holder's units. Units that the holder no longer has are not returned again, and without a
// hold nothing happens.
//
// A repeated reference with the same content changes nothing. Errors: PayloadMismatch;
// InsufficientStock if the holder has less than the quantities.
func (s *Service) Return(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error {
	return s.end(ctx, u, holder, quantities, func(quantity int64) *Movement {
		return &Movement{Kind: Returned, ReservedDelta: -quantity, Holder: holder, Reference: reference}
	})
}

// ReturnToStock puts units that a holder had consumed into stock again, where they are available. The
// unit has called Lock for the items and writes its audit entry. The caller checks that the holder
// returns at most the units that it had.
//
// A repeated reference with the same content changes nothing. Errors: PayloadMismatch;
// ValidationFailed if the number would exceed an int64.
func (s *Service) ReturnToStock(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	moves := make(map[string]*Movement, len(quantities))
	for sku, quantity := range quantities {
		moves[sku] = &Movement{Kind: Restocked, OnHandDelta: quantity, Holder: holder, Reference: reference}
	}
	skus := slices.Sorted(maps.Keys(quantities))
	if done, err := alreadyDone(tx, skus, reference, moves); done || err != nil {
		return err
	}
	stocks, err := findEach(tx, skus)
	if err != nil {
		return err
	}
	for _, sku := range skus {
		if quantities[sku] > math.MaxInt64-stocks[sku].OnHand {
			return apperr.Invalid(apperr.Field{Code: "overflow", Message: fmt.Sprintf("makes the number of units of %q exceed the largest possible number", sku)})
		}
		if err := s.apply(ctx, u, stocks[sku], moves[sku]); err != nil {
			return err
		}
	}
	return nil
}

// Consume ends a holder's reservation by removing its units from stock. Otherwise it is like
// Return.
func (s *Service) Consume(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error {
	return s.end(ctx, u, holder, quantities, func(quantity int64) *Movement {
		return &Movement{Kind: Consumed, OnHandDelta: -quantity, ReservedDelta: -quantity, Holder: holder, Reference: reference}
	})
}

func (s *Service) end(ctx context.Context, u *uow.Unit, holder string, quantities map[string]int64, movement func(quantity int64) *Movement) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if quantities == nil {
		held, err := holdsOf(tx, holder)
		if err != nil || len(held) == 0 {
			return err
		}
		quantities = make(map[string]int64, len(held))
		for _, hold := range held {
			quantities[hold.SKU] = hold.Quantity
		}
	}
	moves := make(map[string]*Movement, len(quantities))
	for sku, quantity := range quantities {
		moves[sku] = movement(quantity)
	}
	skus := slices.Sorted(maps.Keys(quantities))
	if done, err := alreadyDone(tx, skus, moves[skus[0]].Reference, moves); done || err != nil {
		return err
	}
	stocks, err := findEach(tx, skus)
	if err != nil {
		return err
	}
	for _, sku := range skus {
		if err := debit(ctx, tx, holder, sku, quantities[sku]); err != nil {
			return err
		}
		if err := s.apply(ctx, u, stocks[sku], moves[sku]); err != nil {
			return err
		}
	}
	return nil
}

// TransferHold moves units of one item from one holder to others: from a flash sale's allotment to
// its orders, or from a cancelled order back to the sale. The units stay reserved, so the inventory
// is unchanged and there is no movement; for any number of holders it needs one guarded UPDATE of
// the source hold and one INSERT. shares are units by holder, each at least 1.
//
// It has no reference: the caller's guarded transition, or its unique ticket, ensures that the
// transfer happens once. It does not need the lock of the item; the guard on the source hold is
//
//	UPDATE inventory_holds SET quantity = quantity - ?
//	 WHERE tenant_id = ? AND holder = ? AND sku = ? AND quantity >= ?
//
// Errors: InsufficientStock if the source holder has fewer units.
func (s *Service) TransferHold(ctx context.Context, u *uow.Unit, sku, from string, shares map[string]int64) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	var sum int64
	for holder, quantity := range shares {
		if quantity < 1 || quantity > math.MaxInt64-sum {
			return fmt.Errorf("inventory: %s cannot receive %d units", holder, quantity)
		}
		sum += quantity
	}
	if sum == 0 {
		return nil
	}
	if err := debit(ctx, tx, from, sku, sum); err != nil {
		return err
	}
	return share(ctx, tx, sku, shares)
}

// alreadyDone reports whether all of the items already have a reference with the same content. If
// only some have it, or with other content, the error is PayloadMismatch.
func alreadyDone(tx *gorm.DB, skus []string, reference string, moves map[string]*Movement) (bool, error) {
	seen, err := earlier(tx, skus, reference)
	if err != nil || len(seen) == 0 {
		return false, err
	}
	for _, sku := range skus {
		first, ok := seen[sku]
		if ok && !first.same(moves[sku]) {
			return false, mismatch(first)
		}
	}
	if len(seen) < len(skus) {
		return false, apperr.New(apperr.PayloadMismatch, "Reference %q is of a movement of fewer items; nothing was changed.", reference)
	}
	return true, nil
}

// debit subtracts units from a hold:
//
//	UPDATE inventory_holds SET quantity = quantity - ?
//	 WHERE tenant_id = ? AND holder = ? AND sku = ? AND quantity >= ?
func debit(ctx context.Context, tx *gorm.DB, holder, sku string, quantity int64) error {
	p, _ := principal.From(ctx)
	result := tx.Exec("UPDATE inventory_holds SET quantity = quantity - ? WHERE tenant_id = ? AND holder = ? AND sku = ? AND quantity >= ?",
		quantity, p.TenantID, holder, sku, quantity)
	if result.Error != nil {
		return fmt.Errorf("debit the hold of %s: %w", holder, result.Error)
	}
	if result.RowsAffected == 1 {
		return nil
	}
	var held []Hold
	if err := tx.Where("holder = ? AND sku = ?", holder, sku).Find(&held).Error; err != nil {
		return fmt.Errorf("read the hold of %s: %w", holder, err)
	}
	short := Shortage{SKU: sku, Requested: quantity}
	if len(held) > 0 {
		short.Available = held[0].Quantity
	}
	e := insufficient(short)
	e.Detail = fmt.Sprintf("%s has %d units of %q, and %d are needed. Nothing was changed.", holder, short.Available, sku, quantity)
	return e
}

// credit adds units of items to one holder.
func credit(ctx context.Context, tx *gorm.DB, holder string, quantities map[string]int64) error {
	var existing []Hold
	if err := tx.Where("holder = ? AND sku IN ?", holder, slices.Sorted(maps.Keys(quantities))).Find(&existing).Error; err != nil {
		return fmt.Errorf("read the holds of %s: %w", holder, err)
	}
	return addHolds(ctx, tx, existing, holdsFor(holder, quantities))
}

// holdsFor returns one holder's holds of items.
func holdsFor(holder string, quantities map[string]int64) []Hold {
	holds := make([]Hold, 0, len(quantities))
	for _, sku := range slices.Sorted(maps.Keys(quantities)) {
		holds = append(holds, Hold{Holder: holder, SKU: sku, Quantity: quantities[sku]})
	}
	return holds
}

// share adds units of one item to many holders. The holders are usually new orders, so share first
// inserts their holds without a read. A duplicate key rolls back only that statement; share then
// reads the existing holds.
func share(ctx context.Context, tx *gorm.DB, sku string, shares map[string]int64) error {
	holders := slices.Sorted(maps.Keys(shares))
	added := make([]Hold, 0, len(shares))
	for _, holder := range holders {
		added = append(added, Hold{Holder: holder, SKU: sku, Quantity: shares[holder]})
	}
	if n := len(added); n > 1 && n <= holdsPerStatement {
		err := tx.Create(slices.Clone(added)).Error
		switch {
		case err == nil:
			return nil
		case !storage.Is(err, storage.DuplicateKey):
			return fmt.Errorf("insert holds: %w", err)
		}
	}
	var existing []Hold
	if err := tx.Where("sku = ? AND holder IN ?", sku, holders).Find(&existing).Error; err != nil {
		return fmt.Errorf("read the holders of %q: %w", sku, err)
	}
	return addHolds(ctx, tx, existing, added)
}

// holdsPerStatement bounds an INSERT of many holds.
const holdsPerStatement = 200

// addHolds adds to existing holds and inserts the others.
func addHolds(ctx context.Context, tx *gorm.DB, existing, added []Hold) error {
	p, _ := principal.From(ctx)
	var inserted []Hold
	for _, hold := range added {
		if !slices.ContainsFunc(existing, func(k Hold) bool { return k.Holder == hold.Holder && k.SKU == hold.SKU }) {
			inserted = append(inserted, hold)
			continue
		}
		changed, err := storage.ExecDeferredOneRow(tx, "UPDATE inventory_holds SET quantity = quantity + ? WHERE tenant_id = ? AND holder = ? AND sku = ? AND quantity <= ?",
			hold.Quantity, p.TenantID, hold.Holder, hold.SKU, math.MaxInt64-hold.Quantity)
		if err != nil {
			return fmt.Errorf("add to the hold of %s: %w", hold.Holder, err)
		}
		if changed != 1 {
			return uow.Overtaken("stock")
		}
	}
	err := storage.InsertDeferred(tx, inserted...)
	if storage.Is(err, storage.DuplicateKey) {
		return uow.Overtaken("stock")
	}
	if err != nil {
		return fmt.Errorf("insert holds: %w", err)
	}
	return nil
}
