package orders_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
	"interlock/test/racing"
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

// oneOrder is what a status is by itself: an action is done if and only if the
// machine allows it from the status, and whoever is refused is told the status.
var oneOrder = racing.Model[asked, told, string]{
	Of:      func(in asked) any { return in.order },
	Initial: orders.Machine.Initial.Name,
	Step: func(at string, in asked, out told) (bool, string) {
		if in.action == "" {
			return out.status == at, at
		}
		from, _ := orders.Machine.Named(at)
		verb, _ := strings.CutSuffix(in.action, " by wallet")
		to, allowed := orders.Machine.Next(verb, from)
		switch out.code {
		case "":
			return allowed && out.status == to.Name, to.Name
		case apperr.TransitionNotAllowed:
			return !allowed && out.status == at, at
		}
		return out.status == at, at
	},
}

// tell is what a client is told when its action leaves the row or is refused.
func tell(row *orders.Order, err error) (told, error) {
	var refusal *apperr.Error
	switch {
	case errors.As(err, &refusal):
		status, _ := refusal.Members["currentStatus"].(string)
		return told{status, refusal.Code}, nil
	case err != nil:
		return told{}, err
	}
	return told{status: orders.Machine.Of(row.Status).Name}, nil
}

var steps = map[string]orders.Step{
	"pay":           orders.Payment{Method: "external"},
	"pay by wallet": orders.Payment{Method: "wallet"},
	"ship":          orders.Shipment{Carrier: "DHL", TrackingNo: "1"},
	"complete":      orders.Completion{},
	"cancel":        orders.Cancellation{Reason: "changed my mind"},
}

func TestRacingTransitionsAreLinearizable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, requests, raced = 8, 40, 10
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100)
		s.fund(t, buyer, 100*raced)
		var ids []int64
		for range raced {
			ids = append(ids, idOf(s.place(t, "TEA-1")))
		}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var history racing.History[asked, told]
		racing.Together(clients, func(client int) {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := range requests {
				in := asked{ids[i*raced/requests], []string{"pay", "pay by wallet", "ship", "complete", "cancel", ""}[random.IntN(6)]}
				history.Record(client, in, func() (told, error) {
					if in.action == "" {
						return tell(s.orders.Order(ctx, in.order))
					}
					return tell(s.move(ctx, in.order, steps[in.action], nil))
				})
			}
		})
		require.Len(t, history.Told(), clients*requests)
		require.True(t, racing.Linearizable(t, &history, oneOrder))
		s.requireBalanced(t)
	})
}

func TestTheCheckerCatchesATransitionWithoutItsPredicate(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100)
		id := idOf(s.place(t, "TEA-1"))
		var history racing.History[asked, told]
		history.Record(0, asked{id, "pay"}, func() (told, error) { return tell(s.move(ctx, id, steps["pay"], nil)) })
		bothHaveRead := racing.Meet(2)
		racing.Together(2, func(i int) {
			action := []string{"ship", "cancel"}[i]
			history.Record(i, asked{id, action}, func() (told, error) {
				var after *orders.Order
				err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					order, err := s.orders.Order(ctx, id)
					if err != nil {
						return err
					}
					after, err = s.orders.TransitionUnguarded(ctx, u, order, steps[action], bothHaveRead)
					return err
				})
				return tell(after, err)
			})
		})
		require.False(t, racing.Linearizable(t, &history, oneOrder), "both were told that they won")
	})
}
