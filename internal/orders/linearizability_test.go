package orders_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"interlock/internal/apperr"
	"interlock/internal/orders"
	"interlock/internal/storage"
	"interlock/internal/storage/storagetest"
	"interlock/internal/uow"
)

// asked is what a client asked of one order: an action, or "" to read it.
type asked struct {
	order  int64
	action string
}

// told is what it was told: the status, and the code of a refusal.
type told struct {
	status string
	code   apperr.Code
}

// place is where an order is: its status, and whether its user's wallet paid for it.
type place struct {
	status   string
	byWallet bool
}

// oneOrder is what a status is by itself: an action is done if and only if the
// machine allows it from the status and the money can be given back, and whoever is
// refused is told the status.
var oneOrder = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byOrder := map[int64][]porcupine.Operation{}
		for _, operation := range history {
			order := operation.Input.(asked).order
			byOrder[order] = append(byOrder[order], operation)
		}
		var partitions [][]porcupine.Operation
		for _, partition := range byOrder {
			partitions = append(partitions, partition)
		}
		return partitions
	},
	Init: func() any { return place{status: orders.Machine.Initial.Name} },
	Step: func(state, input, output any) (bool, any) {
		in, out, at := input.(asked), output.(told), state.(place)
		if in.action == "" {
			return out.status == at.status, at
		}
		from, _ := orders.Machine.Named(at.status)
		verb, byWallet := strings.CutSuffix(in.action, " by wallet")
		to, allowed := orders.Machine.Next(verb, from)
		allowed = allowed && (verb != "cancel" || at.status != "paid" || at.byWallet)
		switch out.code {
		case "":
			return allowed && out.status == to.Name, place{to.Name, at.byWallet || byWallet}
		case apperr.TransitionNotAllowed:
			return !allowed && out.status == at.status, at
		}
		return out.status == at.status, at
	},
}

// recorder keeps what many clients asked and were told, in the order of one
// counter.
type recorder struct {
	now        atomic.Int64
	mu         sync.Mutex
	operations []porcupine.Operation
}

func (r *recorder) record(client int, in asked, do func() (*orders.Order, error)) error {
	call := r.now.Add(1)
	row, err := do()
	back := r.now.Add(1)
	var out told
	var refusal *apperr.Error
	switch {
	case err == nil:
		out.status = orders.Machine.Of(row.Status).Name
	case errors.As(err, &refusal):
		out.code = refusal.Code
		out.status, _ = refusal.Members["currentStatus"].(string)
	default:
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: back})
	return nil
}

func (r *recorder) check() porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(oneOrder, r.operations, time.Minute)
}

var steps = map[string]orders.Step{
	"pay":           orders.Payment{Method: "external"},
	"pay by wallet": orders.Payment{Method: "wallet"},
	"ship":          orders.Shipment{Carrier: "DHL", TrackingNo: "1"},
	"complete":      orders.Completion{},
	"cancel":        orders.Cancellation{Reason: "changed my mind"},
}

func TestRacingTransitionsAreLinearizable(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, requests, raced = 8, 40, 10
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100)
		s.fund(t, 42, 100*raced)
		var ids []int64
		for range raced {
			ids = append(ids, idOf(s.place(t, "TEA-1")))
		}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var r recorder
		errs := make([]error, clients)
		race(clients, func(client int) {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := range requests {
				in := asked{ids[i*raced/requests], []string{"pay", "pay by wallet", "ship", "complete", "cancel", ""}[random.IntN(6)]}
				errs[client] = errors.Join(errs[client], r.record(client, in, func() (*orders.Order, error) {
					if in.action == "" {
						return s.orders.Order(ctx, in.order)
					}
					return s.move(ctx, in.order, steps[in.action], nil)
				}))
			}
		})
		require.NoError(t, errors.Join(errs...))
		require.Len(t, r.operations, clients*requests)
		require.Equal(t, porcupine.Ok, r.check())
		s.requireBalanced(t)
	})
}

func TestTheCheckerCatchesATransitionWithoutItsPredicate(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100)
		id := idOf(s.place(t, "TEA-1"))
		var r recorder
		var read sync.WaitGroup
		read.Add(2)
		errs := make([]error, 2)
		race(2, func(i int) {
			action := []string{"pay", "cancel"}[i]
			errs[i] = r.record(i, asked{id, action}, func() (after *orders.Order, err error) {
				err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					order, err := s.orders.Order(ctx, id)
					if err != nil {
						return err
					}
					after, err = s.orders.TakeUnguarded(ctx, u, order, steps[action], func() { read.Done(); read.Wait() })
					return err
				})
				return after, err
			})
		})
		require.NoError(t, errors.Join(errs...))
		require.Equal(t, porcupine.Illegal, r.check(), "both were told that they won")
	})
}
