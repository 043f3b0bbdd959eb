package inventory_test

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

// asked is what a client asked of one item's stock: to "read" it, to "adjust" it by n
// pieces, to "count" n where it expected from, or to "reserve" n pieces.
type asked struct {
	sku     string
	act     string
	n, from int64
}

// numbers are what an item's stock is.
type numbers struct{ onHand, reserved int64 }

// told is what a client was told: the numbers since its act, or why it was refused. A
// refusal for want of stock tells what is available.
type told struct {
	numbers
	refused   apperr.Code
	available int64
}

// oneStock is what an item's stock is by itself.
var oneStock = racing.Model[asked, told, numbers]{
	Of: func(in asked) any { return in.sku },
	Step: func(at numbers, in asked, out told) (bool, numbers) {
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
		// Who reserves is not told the numbers.
		return out.refused == "" && (in.act == "reserve" || out.numbers == after), after
	},
}

// tell is what a client is told when its act leaves these numbers or is refused.
func tell(after numbers, err error) (told, error) {
	var refusal *apperr.Error
	switch {
	case errors.As(err, &refusal) && refusal.Code == apperr.InsufficientStock:
		return told{refused: refusal.Code, available: refusal.Members["lines"].([]inventory.Shortage)[0].Available}, nil
	case errors.As(err, &refusal) && refusal.Code == apperr.StatusChanged:
		return told{refused: refusal.Code}, nil
	}
	return told{numbers: after}, err
}

// do does what is asked in a unit of its own, as a request does.
func (h *house) do(ctx context.Context, in asked, reference string) (after numbers, err error) {
	adjustment := inventory.Adjustment{Delta: &in.n, Reason: "test", Reference: reference}
	switch in.act {
	case "read":
		stock, err := h.stock.Inventory(ctx, in.sku)
		if err != nil {
			return after, err
		}
		return numbers{stock.OnHand, stock.Reserved}, nil
	case "reserve":
		return after, h.reserve(reference, reference, in.sku, in.n)
	case "count":
		adjustment.Delta, adjustment.SetTo, adjustment.ChangeFrom = nil, &in.n, &in.from
	}
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		m, _, err := h.stock.Adjust(ctx, u, in.sku, adjustment, 10*time.Second)
		if err == nil {
			after = numbers{m.OnHand, m.Reserved}
		}
		return err
	})
	return after, err
}

func TestRacingMovementsAreLinearizable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, requests, raced = 8, 40, 8
		h := open(ctx, t, db)
		for i := range raced {
			h.item(t, fmt.Sprintf("TEA-%d", i), 0)
		}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var history racing.History[asked, told]
		racing.Together(clients, func(client int) {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := range requests {
				in := asked{sku: fmt.Sprintf("TEA-%d", i*raced/requests), act: []string{"read", "adjust", "adjust", "count", "reserve"}[random.IntN(5)]}
				in.n, in.from = int64(1+random.IntN(4)), int64(random.IntN(4))
				if in.act == "adjust" && random.IntN(3) == 0 {
					in.n = -in.n
				}
				history.Record(client, in, func() (told, error) { return tell(h.do(ctx, in, fmt.Sprintf("r-%d-%d", client, i))) })
			}
		})
		require.Len(t, history.Told(), clients*requests)
		require.True(t, racing.Linearizable(t, &history, oneStock))
		for i := range raced {
			stock, err := h.stock.Inventory(ctx, fmt.Sprintf("TEA-%d", i))
			require.NoError(t, err)
			h.requireStock(t, stock.SKU, stock.OnHand, stock.Reserved)
		}
	})
}

func TestTheCheckerCatchesAReservationWithoutLockAndVersion(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		h := open(ctx, t, db)
		h.item(t, "TEA-1", 0)
		var history racing.History[asked, told]
		delivery := asked{sku: "TEA-1", act: "adjust", n: 10}
		history.Record(0, delivery, func() (told, error) { return tell(h.do(ctx, delivery, "delivery")) })
		bothHaveRead := racing.Meet(2)
		racing.Together(2, func(i int) {
			history.Record(i, asked{sku: "TEA-1", act: "reserve", n: 6}, func() (told, error) {
				return tell(numbers{}, h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					return h.stock.ReserveUnguarded(ctx, u, "TEA-1", 6, bothHaveRead)
				}))
			})
		})
		require.False(t, racing.Linearizable(t, &history, oneStock), "10 pieces were promised as 12")
	})
}
