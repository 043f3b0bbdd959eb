package config_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"interlock/internal/apperr"
	"interlock/internal/change"
	"interlock/internal/config"
	"interlock/internal/guard"
	"interlock/internal/storage"
	"interlock/internal/storage/storagetest"
	"interlock/internal/uow"
)

// casInput is one call of a client on the config: a read, or a compare-and-set of
// the value under the version that the client saw.
type casInput struct {
	read     bool
	expected int64
	value    string
}

// casOutput is what the client was told: what is there, or that its set landed.
type casOutput struct {
	landed  bool
	version int64
	value   string
}

type casState struct {
	version int64
	value   string
}

// casModel is a config as one thread would see it.
func casModel(initial casState) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return initial },
		Step: func(state, input, output any) (bool, any) {
			now, in, out := state.(casState), input.(casInput), output.(casOutput)
			switch {
			case in.read:
				return out.version == now.version && out.value == now.value, now
			case out.landed:
				next := casState{version: now.version + 1, value: in.value}
				return in.expected == now.version && out.version == next.version, next
			}
			return in.expected != now.version, now
		},
		DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
	}
}

// setter makes one compare-and-set and reports whether it landed.
type setter func(ctx context.Context, u *uow.Unit, row *config.Config, expected guard.Ref, value string) error

// guarded is the product's way.
func guarded(w *world) setter {
	return func(ctx context.Context, u *uow.Unit, row *config.Config, expected guard.Ref, value string) error {
		_, err := w.Edit(ctx, u, row, change.Edit{IfMatch: guard.Precondition{Ref: expected}, Patch: map[string]any{"value": value}})
		return err
	}
}

// unguarded is the mutant: it checks the version that it has read, and leaves the
// version out of the UPDATE.
func unguarded(ctx context.Context, u *uow.Unit, row *config.Config, expected guard.Ref, value string) error {
	if row.Ref() != expected {
		return apperr.New(apperr.VersionConflict, "stale")
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	u.Audit(uow.Entry{Action: "config.mutant", Resource: "configs/cas"})
	return tx.Exec("UPDATE configs SET value = ?, version = version + 1 WHERE tenant_id = ? AND id = ?", `"`+value+`"`, row.TenantID, row.ID).Error
}

// clients race reads and sets on one config for some rounds, all together in each
// round, and return what each was told.
func clients(t *testing.T, w *world, set setter) []porcupine.Operation {
	const racing, rounds = 8, 12
	w.create("cas", text("start"))
	var mu sync.Mutex
	var history []porcupine.Operation
	call := func(client int, in casInput, fn func() (casOutput, error)) casOutput {
		begin := time.Now().UnixNano()
		out, err := fn()
		end := time.Now().UnixNano()
		require.NoError(t, err)
		mu.Lock()
		defer mu.Unlock()
		history = append(history, porcupine.Operation{ClientId: client, Input: in, Call: begin, Output: out, Return: end})
		return out
	}
	for range rounds {
		race(racing, func(client int) error {
			var row *config.Config
			seen := call(client, casInput{read: true}, func() (casOutput, error) {
				var err error
				row, err = w.Get(w.ctx, "cas")
				return casOutput{version: row.Version, value: row.Value}, err
			})
			value := fmt.Sprintf("%d.%d", client, rand.Uint64())
			call(client, casInput{expected: seen.version, value: `"` + value + `"`}, func() (casOutput, error) {
				err := w.do(w.ctx, func(ctx context.Context, u *uow.Unit) error {
					current, err := w.Get(ctx, "cas")
					if err != nil {
						return err
					}
					return set(ctx, u, current, row.Ref(), value)
				})
				if apperr.Has(err, apperr.VersionConflict) {
					return casOutput{}, nil
				}
				return casOutput{landed: true, version: seen.version + 1}, err
			})
			return nil
		})
	}
	return history
}

func TestRacingEditsAreLinearizable(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newWorld(t, ctx, db)
		history := clients(t, w, guarded(w))
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(casModel(casState{1, `"start"`}), history, time.Minute))

		landed := int64(0)
		for _, operation := range history {
			if operation.Output.(casOutput).landed {
				landed++
			}
		}
		require.Equal(t, landed, w.get("cas").Version-1, "an acknowledged edit is lost, or one landed that was refused")
		require.Len(t, w.historyOf("cas"), int(landed)+1)
	})
}

// The checker is worth nothing if it passes a store that loses updates.
func TestTheCheckerCatchesAWriterWithoutTheVersionPredicate(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newWorld(t, ctx, db)
		history := clients(t, w, unguarded)
		require.Equal(t, porcupine.Illegal, porcupine.CheckOperationsTimeout(casModel(casState{1, `"start"`}), history, time.Minute))
	})
}
