package shop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/orders"
	"interlock/test/racing"
	"interlock/test/tier"
	"interlock/test/world"
)

// move executes a step in its own unit, as a request does.
func (s *Shop) move(ctx context.Context, id int64, step orders.Step, ifMatch *guard.Precondition) (*orders.Order, error) {
	var after *orders.Order
	err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		order, err := s.Orders.Order(ctx, id)
		if err != nil {
			return err
		}
		after, err = s.Orders.Transition(ctx, u, order, step, ifMatch)
		return err
	})
	return after, err
}

func TestOnlyOneOfFiftyShipOrCancelRacersWins(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		for range tier.Rounds(15, 1000) {
			s.raceShipAndCancel(t, 50)
		}
	})
}

func (s *Shop) raceShipAndCancel(t *testing.T, racers int) {
	t.Helper()
	id := world.ID(s.Place(t))
	_, err := s.move(s.Ctx, id, outside(), nil)
	require.NoError(t, err)
	errs, rows := make([]error, racers), make([]*orders.Order, racers)
	racing.Together(racers, func(i int) {
		var step orders.Step = orders.Shipment{Carrier: "DHL", TrackingNo: "1"}
		if i%2 == 1 {
			step = orders.Cancellation{Reason: "changed my mind"}
		}
		rows[i], errs[i] = s.move(s.Actor(int64(100+i), fmt.Sprintf("Racer %d", i)), id, step, nil)
	})
	final, err := s.Orders.Order(s.Ctx, id)
	require.NoError(t, err)
	winner := -1
	for i, err := range errs {
		if err == nil {
			require.Equal(t, -1, winner, "a second winner")
			winner = i
		}
	}
	require.NotEqual(t, -1, winner, "no winner: %v", errors.Join(errs...))
	require.Equal(t, rows[winner].Status, final.Status)
	require.EqualValues(t, 3, final.Version)
	require.EqualValues(t, 100+winner, final.UpdatedBy)
	for i, err := range errs {
		if i != winner {
			requireWinnerInError(t, err, final)
		}
	}
	require.EqualValues(t, 3, s.Count(t, &orders.Event{}, "order_id = ?", id))
	require.EqualValues(t, 3, s.Count(t, &uow.AuditRow{}, "resource = ?", fmt.Sprintf("orders/%d", id)))
}

func requireWinnerInError(t *testing.T, err error, final *orders.Order) {
	t.Helper()
	var refusal *apperr.Error
	require.ErrorAs(t, err, &refusal)
	require.Contains(t, []apperr.Code{apperr.TransitionNotAllowed, apperr.StatusChanged}, refusal.Code)
	require.Equal(t, orders.Machine.Of(final.Status).Name, refusal.Members["currentStatus"])
	require.Equal(t, principal.Person{ID: final.UpdatedBy, Name: final.UpdatedByName}, refusal.Members["changedBy"])
	require.NotNil(t, refusal.Members["changedTime"])
	require.NotNil(t, refusal.Members["current"])
}

// bumpVersion writes another version of an order with the same status and its history row, as a refund
// does.
func (s *Shop) bumpVersion(t *testing.T, order *orders.Order) {
	t.Helper()
	require.NoError(t, s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
		u.Audit(uow.Entry{Action: "order.test", Resource: fmt.Sprintf("orders/%d", order.ID)})
		if err := guard.Update[orders.Order](ctx, u, order.Ref(), guard.Set{"tracking_no": "noted"}); err != nil {
			return err
		}
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		return tx.Create(&orders.Event{OrderID: order.ID, Event: change.Event{
			Revision:   change.Revision{Version: order.Version + 1, Action: "note", ChangedBy: 7, ChangedByName: "Tester", ChangedTime: u.Now()},
			FromStatus: &order.Status, ToStatus: order.Status, Detail: []byte("{}"),
		}}).Error
	}))
}

// The status is unchanged, so only the version shows that the order changed since it was read.
// Proves G2.6.
func TestStaleOrderStepRunsAgainOnTheNewestVersion(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		for _, guarded := range []bool{false, true} {
			id := world.ID(s.Place(t))
			runs := 0
			var after *orders.Order
			var ifMatch *guard.Precondition
			err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				order, err := s.Orders.Order(ctx, id)
				if err != nil {
					return err
				}
				if runs++; runs == 1 {
					s.bumpVersion(t, order)
				}
				if guarded && runs == 1 {
					ifMatch = &guard.Precondition{Ref: order.Ref()}
				}
				after, err = s.Orders.Transition(ctx, u, order, outside(), ifMatch)
				return err
			})
			final, readErr := s.Orders.Order(ctx, id)
			require.NoError(t, readErr)
			require.Equal(t, int64(len(s.versions(t, id))), final.Version, "each version has one row of history")
			if guarded {
				require.Truef(t, apperr.Has(err, apperr.VersionConflict), "%v", err)
				require.Equal(t, "pending", orders.Machine.Of(final.Status).Name)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, 2, runs)
			require.Equal(t, after.Ref(), final.Ref(), "the payer got the stored version")
		}
	})
}

// versions returns the versions in the history of an order.
func (s *Shop) versions(t *testing.T, id int64) (found []int64) {
	t.Helper()
	require.NoError(t, s.DB.Read(s.Ctx).Model(&orders.Event{}).Where("order_id = ?", id).Order("version").Pluck("version", &found).Error)
	return found
}

func TestConcurrentDeletionAndOrdersAreExclusive(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		for round := range 10 {
			sku := fmt.Sprintf("TEA-%d", round)
			s.Stock(t, sku, 100, Plenty)
			etag := s.Send(t, http.MethodGet, "/items/"+sku, nil).Header.Get("ETag")
			statuses := make([]int, 9)
			racing.Together(len(statuses), func(i int) {
				if i == 0 {
					statuses[i] = s.Send(t, http.MethodDelete, "/items/"+sku, nil, "If-Match", etag).Status
					return
				}
				statuses[i] = s.Send(t, http.MethodPost, "/orders", object{"userId": 1, "items": []object{{"sku": sku, "quantity": 1}}}).Status
			})
			placed := s.Count(t, &orders.Line{}, "sku = ?", sku)
			if statuses[0] == http.StatusNoContent {
				require.Zero(t, placed)
				require.NotContains(t, statuses[1:], http.StatusCreated)
				continue
			}
			require.Equal(t, http.StatusConflict, statuses[0])
			require.Positive(t, placed)
		}
	})
}

// Proves G2.5.
func TestOneOfTwoOrdersWithACouponIsPlaced(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 1000, Plenty)
		for range 10 {
			code := s.Coupon(t, nil)
			const racers = 4
			answers := make([]object, racers)
			statuses := make([]int, racers)
			before := s.Count(t, &orders.Order{}, "1 = 1")
			racing.Together(racers, func(i int) {
				a := s.Send(t, http.MethodPost, "/orders", object{"userId": 7, "items": []object{{"sku": "TEA-1", "quantity": 1}}, "couponCode": code})
				statuses[i], answers[i] = a.Status, a.Body
			})
			var winner object
			for i, status := range statuses {
				if status == http.StatusCreated {
					require.Nil(t, winner, "a second winner")
					winner = answers[i]
					continue
				}
				require.Equal(t, http.StatusUnprocessableEntity, status, answers[i])
				require.Equal(t, "/couponCode", answers[i]["fields"].([]any)[0].(object)["pointer"])
				require.Equal(t, "used", answers[i]["currentStatus"])
				require.NotContains(t, fmt.Sprint(answers[i]), "Tester", "the customer of a storefront reads it")
			}
			require.EqualValues(t, 500, winner["amount"])
			require.EqualValues(t, before+1, s.Count(t, &orders.Order{}, "1 = 1"), "no order of a loser stays")
			coupon := s.Send(t, http.MethodGet, "/coupons/"+code, nil)
			require.Equal(t, "used", coupon.Body["status"])
			require.Equal(t, winner["id"], coupon.Body["orderId"])
		}
	})
}

func TestReleasedCouponIsUsedAgainByOneOrder(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 1000, Plenty)
		code := s.Coupon(t, object{"perUser": 1})
		for range 5 {
			order := s.Create(t, "/orders", object{"userId": 7, "items": []object{{"sku": "TEA-1", "quantity": 1}}, "couponCode": code})
			statuses := make([]int, 20)
			racing.Together(len(statuses), func(i int) {
				statuses[i] = s.Send(t, http.MethodPost, OrderPath(order)+"/cancel", object{"reason": "again"}).Status
			})
			won := 0
			for _, status := range statuses {
				if status == http.StatusOK {
					won++
					continue
				}
				require.Equal(t, http.StatusConflict, status)
			}
			require.Equal(t, 1, won)
			coupon := s.Send(t, http.MethodGet, "/coupons/"+code, nil).Body
			require.Equal(t, "unused", coupon["status"])
			require.Nil(t, coupon["orderId"])
		}
		history := s.Send(t, http.MethodGet, "/coupons/"+code+"/history", nil)
		require.EqualValues(t, 11, history.Body["total"], "issued, and five times used and returned")
	})
}

// Proves G4.34.
func TestCancellationWithAContestedCouponIsLocked(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	s := Open(ctx, t, db)
	s.Stock(t, "TEA-1", 1990, Plenty)
	order := s.Create(t, "/orders", object{"userId": 7, "items": []object{{"sku": "TEA-1", "quantity": 1}}, "couponCode": s.Coupon(t, nil)})
	caller, _ := principal.From(ctx)
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:overtake", func(tx *gorm.DB) {
		if _, one := tx.Statement.Dest.(*coupons.Coupon); one {
			require.NoError(t, db.Write(ctx).Exec("UPDATE coupons SET version = version + 1 WHERE tenant_id = ?", caller.TenantID).Error)
		}
	}))
	a := s.Post(t, http.StatusLocked, OrderPath(order)+"/cancel", object{"reason": "no"})
	require.Equal(t, "resource_locked", a["code"])
	require.Equal(t, "pending", s.Send(t, http.MethodGet, OrderPath(order), nil).Body["status"])
}
