package flashsale_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/core/uow"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/orders"
)

// busy is a gate that changes the units of all sales in SQL during its steps.
type busy struct {
	gate.Gate
	market *market
	busy   bool
}

func (g *busy) overtake() error {
	if !g.busy {
		return nil
	}
	return g.market.DB.Write(g.market.Ctx).Exec("UPDATE flash_sale_stocks SET version = version + 1 WHERE tenant_id = ?", g.market.Tenant()).Error
}

func (g *busy) Move(ctx context.Context, ref gate.Ref, steps []gate.Step) ([]gate.Moved, error) {
	moved, err := g.Gate.Move(ctx, ref, steps)
	if err != nil {
		return nil, err
	}
	return moved, g.overtake()
}

func (g *busy) Withhold(ctx context.Context, ref gate.Ref, version, units int64) error {
	if err := g.Gate.Withhold(ctx, ref, version, units); err != nil {
		return err
	}
	return g.overtake()
}

// crowded is an orders service that always loses the race for the stock.
type crowded struct{ *orders.Service }

func (crowded) PlaceMany(context.Context, *uow.Unit, orders.SaleLot, []orders.SaleTicket) ([]orders.SaleOrder, error) {
	return nil, uow.Overtaken("stock")
}

// Proves G4.34.
func TestEditWithConcurrentStockChangesReturnsLocked(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		door := &busy{Gate: s.gate, market: s}
		s.sales = s.selling(door, s.Orders)
		sale := s.open(t, nil)
		etag := s.must(t, 200, "GET", sale, nil).Header.Get("ETag")
		door.busy = true
		for _, prefer := range []string{"", "?merge=disjoint"} {
			refused := s.must(t, 423, "PATCH", sale+prefer, object{"quantity": 8}, "If-Match", etag)
			require.Equal(t, "resource_locked", refused.Body["code"])
			require.NotEmpty(t, refused.Header.Get("Retry-After"))
		}
		door.busy = false
		require.EqualValues(t, 10, s.numbers(t, sale).Remaining, "nothing stays withheld")
		require.EqualValues(t, 8, s.must(t, 200, "PATCH", sale, object{"quantity": 8}, "If-Match", etag).Body["quantity"], "its version is the one that was seen")
	})
}

// Proves G4.34.
func TestCancellationWithoutReturnableUnitsIsBatchConflict(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		ticket := s.buy(t, sale, 7, 1).Body["ticket"]
		s.consume(t, sale)
		sold := s.ticket(t, sale, 7, ticket)["orderId"]
		plain := s.must(t, 201, "POST", "/orders", object{"userId": 9, "items": []object{{"sku": "TEA-1", "quantity": 1}}}).Body["id"]
		require.NoError(t, s.DB.Write(s.Ctx).Exec("UPDATE flash_sale_stocks SET sold = 0 WHERE tenant_id = ?", s.Tenant()).Error)

		items := s.must(t, 200, "POST", "/order-batches", object{"action": "cancel", "ids": []any{sold, plain}, "reason": "no"}).Items()
		require.Len(t, items, 2)
		require.Equal(t, "conflict", items[0]["verdict"])
		require.Equal(t, "resource_locked", items[0]["code"])
		require.Equal(t, "done", items[1]["verdict"])
		alone := s.must(t, 423, "POST", fmt.Sprintf("/orders/%.0f/cancel", sold), object{"reason": "no"})
		require.Equal(t, "resource_locked", alone.Body["code"])
	})
}

// Proves G4.34.
func TestOvertakenTicketWaitsWithoutUsingAnAttempt(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		ticket := s.buy(t, sale, 7, 1).Body["ticket"]
		door := &busy{Gate: s.gate, market: s, busy: true}
		batch, err := s.queues.Queue(gate.QueueName(idOf(sale))).Claim(s.Ctx, 100, time.Minute)
		require.NoError(t, err)
		batch.Messages[0].Attempts = 4
		for name, outcome := range map[string]error{
			"by changes of the sale's units": s.with(door).Handler(idOf(sale))(s.worker(), batch.Messages)[0].Err(),
			"by moves of the item's stock":   s.placedBy(crowded{s.Orders}).Handler(idOf(sale))(s.worker(), batch.Messages)[0].Err(),
		} {
			require.Error(t, outcome, name)
		}
		require.Zero(t, s.numbers(t, sale).Dead)
		require.Equal(t, "queued", s.ticket(t, sale, 7, ticket)["status"])
	})
}

// Proves G4.34.
func TestLostTicketIsUnavailableUntilLossIsRecorded(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		ticket := s.buy(t, sale, 7, 1).Body["ticket"].(string)
		require.NoError(t, s.DB.Write(s.Ctx).Exec("DELETE FROM flash_sale_tickets WHERE tenant_id = ?", s.Tenant()).Error)
		door := &busy{Gate: s.gate, market: s, busy: true}
		s.selling(door, s.Orders)
		refused := s.must(t, 503, "GET", sale+"/tickets/"+ticket, nil, "Customer", "7")
		require.Equal(t, "unavailable", refused.Body["code"])
		door.busy = false
		require.Equal(t, "lost", s.ticket(t, sale, 7, ticket)["reason"])
	})
}

func TestConcurrentCloseAtEndTimeIsNoFailure(t *testing.T) {
	onAllTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		looks := s.sales.Rounds()
		require.NoError(t, looks(s.worker()))
		s.Clock.Advance(time.Hour)
		overtaken := false
		require.NoError(t, s.DB.Read(s.Ctx).Callback().Query().After("gorm:query").Register("test:close", func(tx *gorm.DB) {
			if _, one := tx.Statement.Dest.(*flashsale.Sale); one && !overtaken {
				overtaken = true
				s.must(t, 200, "POST", sale+"/close", nil)
			}
		}))
		require.NoError(t, looks(s.worker()))
		require.True(t, overtaken)
		require.Equal(t, "closed", s.must(t, 200, "GET", sale, nil).Body["status"])
	})
}
