package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"interlock/internal/apperr"
	"interlock/internal/inventory"
	"interlock/internal/storage"
	"interlock/internal/storage/storagetest"
	"interlock/internal/uow"
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
var oneStock = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		bySKU := map[string][]porcupine.Operation{}
		for _, operation := range history {
			sku := operation.Input.(asked).sku
			bySKU[sku] = append(bySKU[sku], operation)
		}
		var partitions [][]porcupine.Operation
		for _, partition := range bySKU {
			partitions = append(partitions, partition)
		}
		return partitions
	},
	Init: func() any { return numbers{} },
	Step: func(state, input, output any) (bool, any) {
		at, in, out := state.(numbers), input.(asked), output.(told)
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

// recorder keeps what many clients asked and were told, in the order of one counter.
type recorder struct {
	now        atomic.Int64
	mu         sync.Mutex
	operations []porcupine.Operation
}

func (r *recorder) record(client int, in asked, do func() (numbers, error)) error {
	call := r.now.Add(1)
	after, err := do()
	back := r.now.Add(1)
	out := told{numbers: after}
	var refusal *apperr.Error
	switch {
	case err == nil:
	case errors.As(err, &refusal) && refusal.Code == apperr.InsufficientStock:
		out = told{refused: refusal.Code, available: refusal.Members["lines"].([]inventory.Shortage)[0].Available}
	case errors.As(err, &refusal) && refusal.Code == apperr.StatusChanged:
		out = told{refused: refusal.Code}
	default:
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: back})
	return nil
}

func (r *recorder) check() porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(oneStock, r.operations, time.Minute)
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
		ctx, err := h.stock.Lock(ctx, u, 10*time.Second, in.sku)
		if err != nil {
			return err
		}
		m, _, err := h.stock.Adjust(ctx, u, in.sku, adjustment)
		if err == nil {
			after = numbers{m.OnHand, m.Reserved}
		}
		return err
	})
	return after, err
}

func TestRacingMovementsAreLinearizable(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, requests, raced = 8, 40, 8
		h := open(ctx, t, db)
		for i := range raced {
			h.item(t, fmt.Sprintf("TEA-%d", i), 0)
		}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var r recorder
		errs := make([]error, clients)
		race(clients, func(client int) {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := range requests {
				in := asked{sku: fmt.Sprintf("TEA-%d", i*raced/requests), act: []string{"read", "adjust", "adjust", "count", "reserve"}[random.IntN(5)]}
				in.n, in.from = int64(1+random.IntN(4)), int64(random.IntN(4))
				if in.act == "adjust" && random.IntN(3) == 0 {
					in.n = -in.n
				}
				errs[client] = errors.Join(errs[client], r.record(client, in, func() (numbers, error) {
					return h.do(ctx, in, fmt.Sprintf("r-%d-%d", client, i))
				}))
			}
		})
		require.NoError(t, errors.Join(errs...))
		require.Len(t, r.operations, clients*requests)
		require.Equal(t, porcupine.Ok, r.check())
		for i := range raced {
			stock, err := h.stock.Inventory(ctx, fmt.Sprintf("TEA-%d", i))
			require.NoError(t, err)
			h.requireStock(t, stock.SKU, stock.OnHand, stock.Reserved)
		}
	})
}

func TestTheCheckerCatchesAReservationWithoutLockAndVersion(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		h := open(ctx, t, db)
		h.item(t, "TEA-1", 0)
		var r recorder
		delivery := asked{sku: "TEA-1", act: "adjust", n: 10}
		require.NoError(t, r.record(0, delivery, func() (numbers, error) { return h.do(ctx, delivery, "delivery") }))
		var read sync.WaitGroup
		read.Add(2)
		errs := make([]error, 2)
		race(2, func(i int) {
			errs[i] = r.record(i, asked{sku: "TEA-1", act: "reserve", n: 6}, func() (numbers, error) {
				return numbers{}, h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					return h.stock.ReserveUnguarded(ctx, u, "TEA-1", 6, func() { read.Done(); read.Wait() })
				})
			})
		})
		require.NoError(t, errors.Join(errs...))
		require.Equal(t, porcupine.Illegal, r.check(), "10 pieces were promised as 12")
	})
}
