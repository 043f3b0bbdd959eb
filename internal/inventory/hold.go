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

// Reserve promises pieces of items to a holder, all or none. It is for a unit that has
// called Lock for the items and speaks for itself in the audit log. quantities are
// pieces by sku, each at least 1.
//
// A reference that all of the items have seen with the same content does nothing, so
// a retry is harmless. Errors: InsufficientStock, with all items that are short;
// PayloadMismatch when the reference was used with other content.
func (s *Service) Reserve(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	moves := make(map[string]*Movement, len(quantities))
	for sku, quantity := range quantities {
		moves[sku] = &Movement{SKU: sku, Kind: Reserved, ReservedDelta: quantity, Holder: holder, Reference: reference}
	}
	skus := slices.Sorted(maps.Keys(quantities))
	if done, err := alreadyDone(tx, skus, reference, moves); done || err != nil {
		return err
	}
	stocks, err := findEach(tx, skus)
	if err != nil {
		return err
	}
	var short []Shortage
	for _, sku := range skus {
		if free := stocks[sku].Free(); free < quantities[sku] {
			short = append(short, Shortage{SKU: sku, Wanted: quantities[sku], Available: free})
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
	return credit(ctx, tx, holder, quantities)
}

// Return ends a holder's promise: its pieces become available again. With nil
// quantities it returns all that the holder holds. What it does not hold any more is
// not returned a second time, and a holder of nothing returns nothing.
//
// A reference that was seen with the same content does nothing. Errors:
// PayloadMismatch; InsufficientStock when the holder holds less than the quantities.
func (s *Service) Return(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error {
	return s.end(ctx, u, holder, quantities, func(quantity int64) *Movement {
		return &Movement{Kind: Returned, ReservedDelta: -quantity, Holder: holder, Reference: reference}
	})
}

// TakeBack puts pieces that a holder had consumed into stock again, where they are
// available. It is for a unit that has called Lock for the items and speaks for itself in the
// audit log; that a holder brings no more than it had is for the caller to have asked.
//
// A reference that was seen with the same content does nothing. Errors: PayloadMismatch;
// ValidationFailed when there would be more than can be counted.
func (s *Service) TakeBack(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error {
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
			return apperr.Invalid(apperr.Field{Code: "overflow", Message: fmt.Sprintf("makes the number of pieces of %q exceed the largest possible number", sku)})
		}
		if err := s.apply(ctx, u, stocks[sku], moves[sku]); err != nil {
			return err
		}
	}
	return nil
}

// Consume ends a holder's promise by taking its pieces from stock. It is like
// Return in all else.
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

// TransferHold passes pieces of one item from one holder to others: a flash sale's allotment to
// the orders made from it, or a cancelled order's piece back to the sale. The pieces stay
// reserved, so neither number of the inventory moves, there is no movement, and however
// many orders share it costs one guarded UPDATE of the giver and one INSERT. shares are
// pieces by holder, each at least 1.
//
// It has no reference: the caller's own guarded transition, or its unique ticket, makes
// it happen once. The lock of the item is not needed; the guard on the giver is
//
//	UPDATE inventory_holds SET quantity = quantity - ?
//	 WHERE tenant_id = ? AND holder = ? AND sku = ? AND quantity >= ?
//
// Errors: InsufficientStock when the giver holds less.
func (s *Service) TransferHold(ctx context.Context, u *uow.Unit, sku, from string, shares map[string]int64) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	var sum int64
	for holder, quantity := range shares {
		if quantity < 1 || quantity > math.MaxInt64-sum {
			return fmt.Errorf("inventory: %s cannot be passed %d pieces", holder, quantity)
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

// alreadyDone reports whether a reference was seen by all of the items with the same
// content. Seen by some, or with other content, is PayloadMismatch.
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

// debit takes pieces from a hold:
//
//	UPDATE inventory_holds SET quantity = quantity - ?
//	 WHERE tenant_id = ? AND holder = ? AND sku = ? AND quantity >= ?
func debit(ctx context.Context, tx *gorm.DB, holder, sku string, quantity int64) error {
	p, _ := principal.From(ctx)
	result := tx.Exec("UPDATE inventory_holds SET quantity = quantity - ? WHERE tenant_id = ? AND holder = ? AND sku = ? AND quantity >= ?",
		quantity, p.TenantID, holder, sku, quantity)
	if result.Error != nil {
		return fmt.Errorf("take from what %s holds: %w", holder, result.Error)
	}
	if result.RowsAffected == 1 {
		return nil
	}
	var held []Hold
	if err := tx.Where("holder = ? AND sku = ?", holder, sku).Find(&held).Error; err != nil {
		return fmt.Errorf("read what %s holds: %w", holder, err)
	}
	short := Shortage{SKU: sku, Wanted: quantity}
	if len(held) > 0 {
		short.Available = held[0].Quantity
	}
	e := insufficient(short)
	e.Detail = fmt.Sprintf("%s holds %d pieces of %q, and %d are needed. Nothing was changed.", holder, short.Available, sku, quantity)
	return e
}

// credit gives pieces of items to one holder.
func credit(ctx context.Context, tx *gorm.DB, holder string, quantities map[string]int64) error {
	var known []Hold
	if err := tx.Where("holder = ? AND sku IN ?", holder, slices.Sorted(maps.Keys(quantities))).Find(&known).Error; err != nil {
		return fmt.Errorf("read what %s holds: %w", holder, err)
	}
	wanted := make([]Hold, 0, len(quantities))
	for _, sku := range slices.Sorted(maps.Keys(quantities)) {
		wanted = append(wanted, Hold{Holder: holder, SKU: sku, Quantity: quantities[sku]})
	}
	return addHolds(ctx, tx, known, wanted)
}

// share gives pieces of one item to many holders. Those are new as a rule, orders that
// were just made, so their holds are inserted without a look; the duplicate of one that
// is known undoes that one statement, and then it is looked.
func share(ctx context.Context, tx *gorm.DB, sku string, shares map[string]int64) error {
	holders := slices.Sorted(maps.Keys(shares))
	wanted := make([]Hold, 0, len(shares))
	for _, holder := range holders {
		wanted = append(wanted, Hold{Holder: holder, SKU: sku, Quantity: shares[holder]})
	}
	if n := len(wanted); n > 1 && n <= holdsPerStatement {
		err := tx.Create(slices.Clone(wanted)).Error
		switch {
		case err == nil:
			return nil
		case !storage.Is(err, storage.DuplicateKey):
			return fmt.Errorf("insert holds: %w", err)
		}
	}
	var known []Hold
	if err := tx.Where("sku = ? AND holder IN ?", sku, holders).Find(&known).Error; err != nil {
		return fmt.Errorf("read who holds %q: %w", sku, err)
	}
	return addHolds(ctx, tx, known, wanted)
}

// holdsPerStatement bounds an INSERT of many holds.
const holdsPerStatement = 200

// addHolds adds to the holds that are known and inserts the others, many to a
// statement.
func addHolds(ctx context.Context, tx *gorm.DB, known, wanted []Hold) error {
	p, _ := principal.From(ctx)
	var fresh []Hold
	for _, hold := range wanted {
		if !slices.ContainsFunc(known, func(k Hold) bool { return k.Holder == hold.Holder && k.SKU == hold.SKU }) {
			fresh = append(fresh, hold)
			continue
		}
		changed, err := storage.ExecDeferredOneRow(tx, "UPDATE inventory_holds SET quantity = quantity + ? WHERE tenant_id = ? AND holder = ? AND sku = ? AND quantity <= ?",
			hold.Quantity, p.TenantID, hold.Holder, hold.SKU, math.MaxInt64-hold.Quantity)
		if err != nil {
			return fmt.Errorf("add to what %s holds: %w", hold.Holder, err)
		}
		if changed != 1 {
			return uow.Overtaken("stock")
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	err := storage.Deferred(tx).CreateInBatches(&fresh, holdsPerStatement).Error
	if storage.Is(err, storage.DuplicateKey) {
		return uow.Overtaken("stock")
	}
	if err != nil {
		return fmt.Errorf("insert holds: %w", err)
	}
	return nil
}
