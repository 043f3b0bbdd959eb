package config_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/config"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/test/racing"
)

// casInput is one call of a client: a read, or a compare-and-set of the value at the version that
// the client read.
type casInput struct {
	read     bool
	expected int64
	value    string
}

// casOutput is the response: the current config, or the success of the set.
type casOutput struct {
	landed  bool
	version int64
	value   string
}

type casState struct {
	version int64
	value   string
}

// oneConfig is the sequential model of a config.
var oneConfig = racing.Model[casInput, casOutput, casState]{
	Initial: casState{1, `"start"`},
	Step: func(now casState, in casInput, out casOutput) (bool, casState) {
		switch {
		case in.read:
			return out.version == now.version && out.value == now.value, now
		case out.landed:
			next := casState{version: now.version + 1, value: in.value}
			return in.expected == now.version && out.version == next.version, next
		}
		return in.expected != now.version, now
	},
}

// setter makes one compare-and-set and reports whether it landed.
type setter func(ctx context.Context, u *uow.Unit, row *config.Config, expected guard.Ref, value string) error

// guarded is the setter of the service.
func guarded(w *registry) setter {
	return func(ctx context.Context, u *uow.Unit, row *config.Config, expected guard.Ref, value string) error {
		_, err := w.Edit(ctx, u, row, change.Edit{IfMatch: guard.Precondition{Ref: expected}, Patch: map[string]any{"value": value}})
		return err
	}
}

// unguarded is the mutant: it checks the version that it has read, and leaves the
// version out of the UPDATE. It pauses between the two, because without a pause
// eight racers on two processors may happen to take turns in every round.
func unguarded(ctx context.Context, u *uow.Unit, row *config.Config, expected guard.Ref, value string) error {
	if row.Ref() != expected {
		return apperr.New(apperr.VersionConflict, "stale")
	}
	clock.Sleep(ctx, 5*time.Millisecond)
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	u.Audit(uow.Entry{Action: "config.mutant", Resource: "configs/cas"})
	return tx.Exec("UPDATE configs SET value = ?, version = version + 1 WHERE tenant_id = ? AND id = ?", `"`+value+`"`, row.TenantID, row.ID).Error
}

// clients runs rounds of concurrent reads and sets on one config, and returns the history.
func clients(w *registry, set setter) *racing.History[casInput, casOutput] {
	const racers, rounds = 8, 12
	w.create("cas", text("start"))
	var history racing.History[casInput, casOutput]
	for range rounds {
		racing.Together(racers, func(client int) {
			var seen *config.Config
			history.Record(client, casInput{read: true}, func() (out casOutput, err error) {
				if seen, err = w.Get(w.Ctx, "cas"); err == nil {
					out = casOutput{version: seen.Version, value: seen.Value}
				}
				return out, err
			})
			if seen == nil {
				return
			}
			value := fmt.Sprintf("%d.%d", client, rand.Uint64())
			history.Record(client, casInput{expected: seen.Version, value: `"` + value + `"`}, func() (casOutput, error) {
				err := w.do(w.Ctx, func(ctx context.Context, u *uow.Unit) error {
					current, err := w.Get(ctx, "cas")
					if err != nil {
						return err
					}
					return set(ctx, u, current, seen.Ref(), value)
				})
				if apperr.Has(err, apperr.VersionConflict) {
					return casOutput{}, nil
				}
				return casOutput{landed: true, version: seen.Version + 1}, err
			})
		})
	}
	return &history
}

// Proves G1.8.
func TestRacingEditsAreLinearizable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		history := clients(w, guarded(w))
		require.True(t, racing.Linearizable(t, history, oneConfig))

		landed := int64(0)
		for _, reply := range history.Results() {
			if reply.landed {
				landed++
			}
		}
		require.Equal(t, landed, w.get("cas").Version-1, "an acknowledged edit is lost, or a rejected one was applied")
		require.Len(t, w.historyOf("cas"), int(landed)+1)
	})
}

// The checker must detect a store that loses updates.
// Proves G1.8.
func TestCheckerDetectsWriterWithoutVersionPredicate(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		require.False(t, racing.Linearizable(t, clients(w, unguarded), oneConfig))
	})
}
