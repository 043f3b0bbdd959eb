package shop

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/inventory"
	"interlock/internal/lock"
	"interlock/internal/lock/locktest"
	"interlock/test/racing"
)

func TestConcurrentReservationsMatchTheStock(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each, pieces = 32, 3, 50
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, pieces)
		var reserved, refused atomic.Int64
		racing.Together(clients, func(client int) {
			for i := range each {
				holder := fmt.Sprintf("orders/%d-%d", client, i)
				switch err := s.reserve(holder, "@"+holder, "TEA-1", 1); {
				case err == nil:
					reserved.Add(1)
				case apperr.Has(err, apperr.InsufficientStock):
					refused.Add(1)
				default:
					t.Error(err)
				}
			}
		})
		require.EqualValues(t, pieces, reserved.Load())
		require.EqualValues(t, clients*each-pieces, refused.Load())
		s.requireStock(t, "TEA-1", pieces, pieces)
	})
}

// Proves G4.12.
func TestOnlyOneOfConcurrentCountsIsApplied(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		const clients = 24
		statuses := make([]int, clients)
		racing.Together(clients, func(i int) {
			statuses[i] = s.adjust(t, "TEA-1", object{"setTo": 20 + i, "changeFrom": 10, "reference": fmt.Sprintf("count-%d", i)}).Status
		})
		winner := -1
		for i, status := range statuses {
			if status == http.StatusCreated {
				require.Equal(t, -1, winner, "a second winner")
				winner = i
				continue
			}
			require.Equal(t, http.StatusConflict, status)
		}
		require.NotEqual(t, -1, winner)
		s.requireStock(t, "TEA-1", int64(20+winner), 0)
	})
}

func TestLocksInOppositeOrdersDoNotDeadlock(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 1000)
		s.Stock(t, "TEA-2", 100, 1000)
		const clients, each = 12, 8
		errs := make(chan error, clients*each)
		racing.Together(clients, func(client int) {
			skus := []string{"TEA-1", "TEA-2"}
			if client%2 == 1 {
				skus[0], skus[1] = skus[1], skus[0]
			}
			for i := range each {
				holder := fmt.Sprintf("orders/%d-%d", client, i)
				errs <- s.in(func(ctx context.Context, u *uow.Unit) error {
					return s.Inventory.Reserve(ctx, u, holder, "@"+holder, map[string]int64{"TEA-1": 1, "TEA-2": 2})
				}, skus...)
			}
		})
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
		s.requireStock(t, "TEA-1", 1000, clients*each)
		s.requireStock(t, "TEA-2", 1000, 2*clients*each)
	})
}

// The locker excludes no caller, so that each writer has lost its lock and only the guard decides.
// Proves G4.6.
func TestGuardAloneReservesNoUnitTwice(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each, pieces = 16, 4, 30
		s := OpenWith(ctx, t, db, Options{Locks: &locktest.Unreliable{}})
		s.Stock(t, "TEA-1", 100, pieces)
		var reserved atomic.Int64
		racing.Together(clients, func(client int) {
			for i := range each {
				holder := fmt.Sprintf("orders/%d-%d", client, i)
				err := s.reserve(holder, "@"+holder, "TEA-1", 1)
				overtaken := apperr.Has(err, apperr.ResourceLocked) || apperr.Has(err, apperr.Unavailable)
				switch {
				case err == nil:
					reserved.Add(1)
				case !overtaken && !apperr.Has(err, apperr.InsufficientStock):
					t.Error(err)
				}
			}
		})
		require.Positive(t, reserved.Load())
		s.requireStock(t, "TEA-1", pieces, reserved.Load())
	})
}

// Proves G4.6.
func TestLostStockLockRestartsTheUnit(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := &locktest.Unreliable{}
		s := OpenWith(ctx, t, db, Options{Locks: locks})
		s.Stock(t, "TEA-1", 100, 10)
		runs := 0
		var lease *locktest.Loseable
		locks.Granted = func(_ int64, l *locktest.Loseable) { lease = l }
		require.NoError(t, s.in(func(ctx context.Context, u *uow.Unit) error {
			runs++
			err := s.Inventory.Reserve(ctx, u, "orders/1", "@orders/1/place", map[string]int64{"TEA-1": 4})
			if runs == 1 {
				lease.Lose()
			}
			return err
		}, "TEA-1"))
		require.Equal(t, 2, runs, "the writes of the first run were rolled back")
		s.requireStock(t, "TEA-1", 10, 4)
	})
}

// A holder pauses between its read and its write until its lock has expired and another holder has
// reserved. It is not notified.
// Proves G4.6.
func TestGuardRejectsAPausedReservation(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	s := OpenWith(ctx, t, db, Options{Locks: &locktest.Unreliable{}})
	s.Stock(t, "TEA-1", 100, 10)
	var paused, refusals atomic.Int64
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:pause", func(tx *gorm.DB) {
		if _, reads := tx.Statement.Dest.(*[]inventory.Inventory); reads && paused.CompareAndSwap(0, 1) {
			require.NoError(t, s.reserve("orders/1", "@orders/1/place", "TEA-1", 6))
		}
	}))
	// The next SELECT, in the packet of the guarded UPDATE, reports that the UPDATE matched no row.
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:count", func(tx *gorm.DB) {
		if tx.Error != nil && strings.Contains(tx.Error.Error(), "row_count() = 1") {
			refusals.Add(1)
		}
	}))
	err := s.reserve("orders/2", "@orders/2/place", "TEA-1", 6)
	require.True(t, apperr.Has(err, apperr.InsufficientStock), "it was run again, and read the current rows: %v", err)
	require.EqualValues(t, 1, refusals.Load(), "the guarded UPDATE changed no row")
	s.requireStock(t, "TEA-1", 10, 6)
}

// An adjustment pauses between its look for the reference and its write until its lock has expired
// and the same request has been made again. It finds that movement instead of failing. The test uses
// no packets, because a unit with a failed packet always runs again.
// Proves G4.6.
func TestPausedAdjustmentFindsItsRepetition(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, _ := storagetest.TappedMariaDB(t, "packets=false")
	s := OpenWith(ctx, t, db, Options{Locks: &locktest.Unreliable{}})
	s.Stock(t, "TEA-1", 100, 10)
	adjust := func() (m *inventory.Movement, first bool, err error) {
		err = s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) (err error) {
			m, first, err = s.Inventory.Adjust(ctx, u, "TEA-1", inventory.Adjustment{Delta: new(int64(5)), Reason: "delivery", Reference: "delivery-7"}, time.Second)
			return err
		})
		return m, first, err
	}
	var paused atomic.Int64
	var repeated *inventory.Movement
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:pause", func(tx *gorm.DB) {
		if _, reads := tx.Statement.Dest.(*[]inventory.Movement); reads && paused.CompareAndSwap(0, 1) {
			var err error
			repeated, _, err = adjust()
			require.NoError(t, err)
		}
	}))
	found, first, err := adjust()
	require.NoError(t, err)
	require.False(t, first)
	require.Equal(t, repeated.ID, found.ID)
	s.requireStock(t, "TEA-1", 15, 0)
}

// The stock covers both reservations, so that only the version can reject the second. The unique
// version of its movement would reject it too, so the index is dropped.
// Proves G4.7.
func TestVersionRejectsAPausedHolderDespiteSufficientStock(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.DropIndex(t, ctx, db, "inventory_movements", "uq_inventory_movements_version")
		s := OpenWith(ctx, t, db, Options{Locks: &locktest.Unreliable{}})
		s.Stock(t, "TEA-1", 100, 10)
		resume := s.FreezeReads(t, "inventories")
		require.NoError(t, s.reserve("orders/1", "@orders/1/place", "TEA-1", 3))
		err := s.reserve("orders/2", "@orders/2/place", "TEA-1", 2)
		resume()
		require.Truef(t, apperr.Has(err, apperr.ResourceLocked), "%v", err)
		s.requireStock(t, "TEA-1", 10, 3)
	})
}

// Proves G4.39.
func TestStockLocksEncloseTheTransaction(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := locktest.NewAround(lock.NewInProcess(lock.Observer{}), db)
		s := OpenWith(ctx, t, db, Options{Locks: locks})
		caller, _ := principal.From(ctx)
		of := func(sku string) string { return fmt.Sprintf("inventory:%d:%s", caller.TenantID, sku) }
		s.Stock(t, "TEA-2", 100, 10)
		require.Equal(t, []string{of("TEA-2")}, locks.Taken(t))
		s.Stock(t, "TEA-1", 100, 10)
		require.Equal(t, []string{of("TEA-1")}, locks.Taken(t))
		require.Equal(t, http.StatusConflict, s.adjust(t, "TEA-1", object{"delta": -11, "reference": "too many"}).Status)
		require.Equal(t, []string{of("TEA-1")}, locks.Taken(t))
		require.NoError(t, s.in(func(ctx context.Context, u *uow.Unit) error {
			return s.Inventory.Reserve(ctx, u, "orders/1", "@orders/1/place", map[string]int64{"TEA-1": 1, "TEA-2": 2})
		}, "TEA-2", "TEA-1"))
		require.Equal(t, []string{of("TEA-1"), of("TEA-2")}, locks.Taken(t))
	})
}
