package orders

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// The actions of returns in the history of their order.
const (
	ReturnRequested = "request-return"
	ReturnReceived  = "receive-return"
	ReturnRejected  = "reject-return"
)

// GoodsMove is a change of one line's units by a return, to be added to the line's numbers.
type GoodsMove struct {
	SKU                             string
	InReturns, Returned, WrittenOff int64
}

// ReturnedUnits returns the number of shipped units that were returned, to stock or not.
func (l Line) ReturnedUnits() int64 { return l.Returned + l.WrittenOff }

// MoveGoods changes the units of an order's lines in the unit of a return; the return's audit entry
// covers both. The order's row is written first, guarded by the version of seen, so that the returns
// and refunds of an order serialise:
//
//	UPDATE orders SET version = version + 1 WHERE tenant_id = ? AND id = ? AND version = ?
//	UPDATE order_lines SET in_returns = in_returns + ?, returned = returned + ?, written_off = written_off + ?
//	 WHERE tenant_id = ? AND order_id = ? AND sku = ? AND in_returns + ? BETWEEN 0 AND shipped AND shipped >= returned + written_off + ?
//
// If the order has a newer version than seen, or a line has too few units, the unit is run again.
func (s *Service) MoveGoods(ctx context.Context, u *uow.Unit, seen *Order, action string, moves []GoodsMove, detail any) error {
	err := guard.Update[Order](ctx, u, seen.Ref(), nil)
	if errors.Is(err, guard.ErrStale) {
		return uow.Overtaken("order")
	}
	if err != nil {
		return fmt.Errorf("record a return in its order: %w", err)
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	caller, _ := principal.From(ctx)
	for _, m := range moves {
		changed, err := storage.ExecDeferredOneRow(tx, "UPDATE order_lines SET in_returns = in_returns + ?, returned = returned + ?, written_off = written_off + ?"+
			" WHERE tenant_id = ? AND order_id = ? AND sku = ? AND in_returns + ? BETWEEN 0 AND shipped AND shipped >= returned + written_off + ?",
			m.InReturns, m.Returned, m.WrittenOff, caller.TenantID, seen.ID, m.SKU, m.InReturns, m.Returned+m.WrittenOff)
		if err != nil {
			return fmt.Errorf("change the returned units of an order line: %w", err)
		}
		if changed != 1 {
			return uow.Overtaken("order")
		}
	}
	after := *seen
	if err := guard.Advance(ctx, u, &after); err != nil {
		return err
	}
	if err := insertHistory(ctx, u, &after, action, &after.Status, detail); err != nil {
		return err
	}
	change.Announce(u, s.bus, Topic, strconv.FormatInt(after.ID, 10), events.Change{
		Version: after.Version, ETag: after.Ref().ETag(), Action: action, Status: Machine.Of(after.Status).Name, Label: after.OrderNo,
	})
	return nil
}
