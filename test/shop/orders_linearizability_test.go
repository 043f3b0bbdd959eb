package shop

import (
	"context"
	"errors"
	"fmt"
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
	"interlock/test/world"
)

// orderRequest is a request for one order: an action, or "" to read it.
type orderRequest struct {
	order  int64
	action string
}

// orderReply is the status in the response, and the code of the error.
type orderReply struct {
	status string
	code   apperr.Code
}

// oneOrder is the sequential model of an order: an action succeeds if and only if the machine allows it
// from the status, and an error contains the status.
var oneOrder = racing.Model[orderRequest, orderReply, string]{
	Of:      func(in orderRequest) any { return in.order },
	Initial: orders.Machine.Initial.Name,
	Step: func(at string, in orderRequest, out orderReply) (bool, string) {
		if in.action == "" {
			return out.status == at, at
		}
		from, _ := orders.Machine.Named(at)
		verb, _ := strings.CutSuffix(in.action, " by wallet")
		to, allowed := orders.Machine.Next(verb, from)
		if verb == "ship" && at == "pending" || verb == "cancel" && at == "shipped" || at == "shipped" && (verb == "ship" || verb == "pay") {
			// The orders are prepaid, no unit is returned, and no refund leaves units to ship.
			allowed = false
		}
		switch out.code {
		case "":
			return allowed && out.status == to.Name, to.Name
		case apperr.TransitionNotAllowed:
			return !allowed && out.status == at, at
		}
		return out.status == at, at
	},
}

// orderReplyOf returns the reply to an action that returned row and err.
func orderReplyOf(row *orders.Order, err error) (orderReply, error) {
	var refusal *apperr.Error
	switch {
	case errors.As(err, &refusal):
		status, _ := refusal.Members["currentStatus"].(string)
		return orderReply{status, refusal.Code}, nil
	case err != nil:
		return orderReply{}, err
	}
	return orderReply{status: orders.Machine.Of(row.Status).Name}, nil
}

var orderSteps = map[string]orders.Step{
	"pay by wallet": orders.Payment{Method: "wallet"},
	"ship":          orders.Shipment{Carrier: "DHL", TrackingNo: "1"},
	"complete":      orders.Completion{},
	"cancel":        orders.Cancellation{Reason: "changed my mind"},
}

// stepOf returns the step of an action. A payment from outside has a new reference.
func stepOf(action string) orders.Step {
	if action == "pay" {
		return outside()
	}
	return orderSteps[action]
}

// Proves G2.9.
func TestRacingTransitionsAreLinearizable(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, requests, raced = 8, 40, 10
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 100*raced)
		var ids []int64
		for range raced {
			ids = append(ids, world.ID(s.Place(t)))
		}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var history racing.History[orderRequest, orderReply]
		racing.Together(clients, func(client int) {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := range requests {
				in := orderRequest{ids[i*raced/requests], []string{"pay", "pay by wallet", "ship", "complete", "cancel", ""}[random.IntN(6)]}
				history.Record(client, in, func() (orderReply, error) {
					if in.action == "" {
						return orderReplyOf(s.Orders.Order(ctx, in.order))
					}
					return orderReplyOf(s.move(ctx, in.order, stepOf(in.action), nil))
				})
			}
		})
		require.Len(t, history.Results(), clients*requests)
		require.True(t, racing.Linearizable(t, &history, oneOrder))
		s.requireBalanced(t)
	})
}

// Proves G2.9.
func TestCheckerDetectsATransitionWithoutItsPredicate(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		id := world.ID(s.Place(t))
		var history racing.History[orderRequest, orderReply]
		history.Record(0, orderRequest{id, "pay"}, func() (orderReply, error) { return orderReplyOf(s.move(ctx, id, stepOf("pay"), nil)) })
		bothHaveRead := racing.Meet(2)
		racing.Together(2, func(i int) {
			action := []string{"ship", "cancel"}[i]
			history.Record(i, orderRequest{id, action}, func() (orderReply, error) {
				var after *orders.Order
				err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
					order, err := s.Orders.Order(ctx, id)
					if err != nil {
						return err
					}
					after, err = s.transitionUnguarded(ctx, u, order, action, bothHaveRead)
					return err
				})
				return orderReplyOf(after, err)
			})
		})
		require.False(t, racing.Linearizable(t, &history, oneOrder), "both were orderReply that they won")
	})
}

// transitionUnguarded changes the status without the predicates on status and version. between runs
// after the read and before the write.
func (s *Shop) transitionUnguarded(ctx context.Context, u *uow.Unit, order *orders.Order, action string, between func()) (*orders.Order, error) {
	to, ok := orders.Machine.Next(action, orders.Machine.Of(order.Status))
	if !ok {
		return nil, fmt.Errorf("%s is not possible from status %d", action, order.Status)
	}
	between()
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	u.Audit(uow.Entry{Action: "order." + action, Resource: orders.Topic})
	after := *order
	after.Status = to.Code
	return &after, tx.Exec("UPDATE orders SET status = ?, version = version + 1 WHERE tenant_id = ? AND id = ?",
		to.Code, order.TenantID, order.ID).Error
}
