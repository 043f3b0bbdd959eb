package shop

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/inventory"
	"interlock/test/racing"
)

// stockRequest is a request for the stock of one item: "read", "adjust" by n, "count" n instead of from,
// or "reserve" n.
type stockRequest struct {
	sku     string
	act     string
	n, from int64
}

// stockLevels is the stock of an item.
type stockLevels struct{ onHand, reserved int64 }

// stockReply is the levels after the request, or the code of the error. An insufficient_stock error
// contains the available quantity.
type stockReply struct {
	stockLevels
	refused   apperr.Code
	available int64
}

// oneStock is the sequential model of the stock of an item.
var oneStock = racing.Model[stockRequest, stockReply, stockLevels]{
	Of: func(in stockRequest) any { return in.sku },
	Step: func(at stockLevels, in stockRequest, out stockReply) (bool, stockLevels) {
		after := at
		switch in.act {
		case "adjust":
			after.onHand += in.n
		case "count":
			if at.onHand != in.from {
				return out.refused == apperr.StatusChanged, at
			}
			after.onHand = in.n
		case "reserve":
			after.reserved += in.n
		}
		if after.reserved > after.onHand {
			return out.refused == apperr.InsufficientStock && out.available == at.onHand-at.reserved, at
		}
		// A reservation does not return the levels.
		return out.refused == "" && (in.act == "reserve" || out.stockLevels == after), after
	},
}

// stockReplyOf returns the reply to a request that returned after and err.
func stockReplyOf(after stockLevels, err error) (stockReply, error) {
	var refusal *apperr.Error
	switch {
	case errors.As(err, &refusal) && refusal.Code == apperr.InsufficientStock:
		return stockReply{refused: refusal.Code, available: refusal.Members["lines"].([]inventory.Shortage)[0].Available}, nil
	case errors.As(err, &refusal) && refusal.Code == apperr.StatusChanged:
		return stockReply{refused: refusal.Code}, nil
	}
	return stockReply{stockLevels: after}, err
}

// doStock executes a request in its own unit.
func (s *Shop) doStock(ctx context.Context, in stockRequest, reference string) (after stockLevels, err error) {
	adjustment := inventory.Adjustment{Delta: &in.n, Reason: "test", Reference: reference}
	switch in.act {
	case "read":
		stock, err := s.Inventory.Inventory(ctx, in.sku)
		if err != nil {
			return after, err
		}
		return stockLevels{stock.OnHand, stock.Reserved}, nil
	case "reserve":
		return after, s.reserve(reference, reference, in.sku, in.n)
	case "count":
		adjustment.Delta, adjustment.SetTo, adjustment.ChangeFrom = nil, &in.n, &in.from
	}
	err = s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		m, _, err := s.Inventory.Adjust(ctx, u, in.sku, adjustment, 10*time.Second)
		if err == nil {
			after = stockLevels{m.OnHand, m.Reserved}
		}
		return err
	})
	return after, err
}

// Proves G4.13.
func TestRacingMovementsAreLinearizable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, requests, raced = 8, 40, 8
		s := Open(ctx, t, db)
		for i := range raced {
			s.Item(t, fmt.Sprintf("TEA-%d", i), 100)
		}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var history racing.History[stockRequest, stockReply]
		racing.Together(clients, func(client int) {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := range requests {
				in := stockRequest{sku: fmt.Sprintf("TEA-%d", i*raced/requests), act: []string{"read", "adjust", "adjust", "count", "reserve"}[random.IntN(5)]}
				in.n, in.from = int64(1+random.IntN(4)), int64(random.IntN(4))
				if in.act == "adjust" && random.IntN(3) == 0 {
					in.n = -in.n
				}
				history.Record(client, in, func() (stockReply, error) { return stockReplyOf(s.doStock(ctx, in, fmt.Sprintf("r-%d-%d", client, i))) })
			}
		})
		require.Len(t, history.Results(), clients*requests)
		require.True(t, racing.Linearizable(t, &history, oneStock))
		for i := range raced {
			stock, err := s.Inventory.Inventory(ctx, fmt.Sprintf("TEA-%d", i))
			require.NoError(t, err)
			s.requireStock(t, stock.SKU, stock.OnHand, stock.Reserved)
		}
	})
}

// Proves G2.9, G4.13.
func TestCheckerDetectsAReservationWithoutLockAndVersion(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Item(t, "TEA-1", 100)
		var history racing.History[stockRequest, stockReply]
		delivery := stockRequest{sku: "TEA-1", act: "adjust", n: 10}
		history.Record(0, delivery, func() (stockReply, error) { return stockReplyOf(s.doStock(ctx, delivery, "delivery")) })
		bothHaveRead := racing.Meet(2)
		racing.Together(2, func(i int) {
			history.Record(i, stockRequest{sku: "TEA-1", act: "reserve", n: 6}, func() (stockReply, error) {
				return stockReplyOf(stockLevels{}, s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					return s.reserveUnguarded(ctx, u, "TEA-1", 6, bothHaveRead)
				}))
			})
		})
		require.False(t, racing.Linearizable(t, &history, oneStock), "10 pieces were promised as 12")
	})
}

// reserveUnguarded reserves without a lock and without the version predicate. between runs after the
// read and before the write.
func (s *Shop) reserveUnguarded(ctx context.Context, u *uow.Unit, sku string, quantity int64, between func()) error {
	stock, err := s.Inventory.Inventory(ctx, sku)
	if err != nil {
		return err
	}
	between()
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	u.Audit(uow.Entry{Action: "inventory.reserve", Resource: inventory.Topic + "/" + sku})
	return tx.Exec("UPDATE inventories SET reserved = ?, version = version + 1 WHERE tenant_id = ? AND sku = ?",
		stock.Reserved+quantity, s.Tenant(), sku).Error
}
