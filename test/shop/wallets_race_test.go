package shop

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
	"interlock/internal/lock/locktest"
	"interlock/internal/wallets"
	"interlock/test/racing"
	"interlock/test/tier"
)

// Proves G4.1.
func TestConcurrentDebitsSpendExactlyTheBalance(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each, units = 64, 3, 100
		s := Open(ctx, t, db)
		s.Fund(t, "12", units)
		var debited, refused atomic.Int64
		racing.Together(clients, func(client int) {
			for i := range each {
				a := s.enter(t, "12", -1, fmt.Sprintf("debit-%d-%d", client, i))
				switch {
				case a.Status == http.StatusCreated:
					debited.Add(1)
				case a.Status == http.StatusConflict && a.Body["code"] == "insufficient_balance":
					refused.Add(1)
				default:
					t.Errorf("status %d: %v", a.Status, a.Body)
				}
			}
		})
		require.EqualValues(t, units, debited.Load())
		require.EqualValues(t, clients*each-units, refused.Load())
		s.requireLedger(t, "12", 0)
	})
}

// Proves G4.2.
func TestOppositeTransfersConserveTheTotalWithoutDeadlocks(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, funds = 16, 1000
		s := Open(ctx, t, db)
		s.Fund(t, "1", funds)
		s.Fund(t, "2", funds)
		racing.Together(clients, func(client int) {
			from := 1 + client%2
			for i := range tier.Rounds(600, 10_000) / clients {
				a := s.Send(t, http.MethodPost, "/wallet-transfers?wait=10000", object{
					"fromUserId": from, "toUserId": 3 - from, "amount": 1 + i%7, "reference": fmt.Sprintf("t-%d-%d", client, i),
				})
				if a.Status != http.StatusCreated && a.Body["code"] != "insufficient_balance" {
					t.Errorf("status %d: %v", a.Status, a.Body)
				}
			}
		})
		first := s.Balance(t, "1")
		require.EqualValues(t, 2*funds, first+s.Balance(t, "2"))
		s.requireLedger(t, "1", first)
		s.requireLedger(t, "2", 2*funds-first)
	})
}

// Proves G4.9.
func TestConcurrentRetriesOfAReferenceAreAppliedOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		const clients = 24
		answers := make([]object, clients)
		var made atomic.Int64
		racing.Together(clients, func(i int) {
			a := s.enter(t, "12", 50, "once")
			answers[i] = a.Body
			if a.Status == http.StatusCreated {
				made.Add(1)
			}
		})
		require.EqualValues(t, 1, made.Load())
		for _, answer := range answers {
			require.Equal(t, answers[0], answer)
		}
		s.requireLedger(t, "12", 50)
	})
}

// The locker excludes no caller, so that each writer has lost its lock and only the guard decides.
// Proves G4.6.
func TestGuardAlonePostsNoEntryTwice(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each, units = 24, 4, 40
		s := OpenWith(ctx, t, db, Options{Locks: &locktest.Unreliable{}})
		s.Fund(t, "12", units)
		var debited atomic.Int64
		racing.Together(clients, func(client int) {
			for i := range each {
				a := s.enter(t, "12", -1, fmt.Sprintf("debit-%d-%d", client, i))
				switch a.Status {
				case http.StatusCreated:
					debited.Add(1)
				case http.StatusConflict, http.StatusLocked, http.StatusServiceUnavailable:
				default:
					t.Errorf("status %d: %v", a.Status, a.Body)
				}
			}
		})
		require.Positive(t, debited.Load())
		s.requireLedger(t, "12", units-debited.Load())
	})
}

// Proves G4.6.
func TestLostWalletLockRestartsTheUnit(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := &locktest.Unreliable{}
		s := OpenWith(ctx, t, db, Options{Locks: locks})
		s.Fund(t, "12", 100)
		runs := 0
		err := s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			runs++
			var lease *locktest.Loseable
			locks.Granted = func(_ int64, l *locktest.Loseable) { lease = l }
			_, _, err := s.Wallets.Enter(ctx, u, wallets.Posting{UserID: "12", Amount: -30, Kind: "test", Reference: "paused"}, 0)
			if runs == 1 {
				lease.Lose()
			}
			return err
		})
		require.NoError(t, err)
		require.Equal(t, 2, runs, "the writes of the first run were rolled back")
		s.requireLedger(t, "12", 70)
	})
}

// readsWallet reports whether a statement is the one by which an entry reads its balance.
func readsWallet(tx *gorm.DB) bool {
	return strings.Contains(tx.Statement.SQL.String(), "AS entry_id")
}

// A holder pauses between its read and its write until its lock has expired and another holder has
// made an entry. It is not notified.
// Proves G4.6.
func TestGuardRejectsAPausedEntry(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	s := OpenWith(ctx, t, db, Options{Locks: &locktest.Unreliable{}})
	s.Fund(t, "12", 100)
	var paused, refusals atomic.Int64
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:pause", func(tx *gorm.DB) {
		if readsWallet(tx) && paused.CompareAndSwap(0, 1) {
			require.Equal(t, http.StatusCreated, s.enter(t, "12", -60, "overtaking").Status)
		}
	}))
	// The statement after the guarded UPDATE, in the same packet, reports that the UPDATE matched no row.
	require.NoError(t, db.Write(ctx).Callback().Create().After("gorm:create").Register("test:count", func(tx *gorm.DB) {
		if tx.Error != nil && strings.Contains(tx.Error.Error(), "row_count() = 1") {
			refusals.Add(1)
		}
	}))
	a := s.enter(t, "12", -60, "paused")
	require.Equal(t, http.StatusConflict, a.Status)
	require.Equal(t, "insufficient_balance", a.Body["code"], "it was run again, and read the current rows")
	require.EqualValues(t, 1, refusals.Load(), "the guarded UPDATE changed no row")
	s.requireLedger(t, "12", 40)
}

// A credit fits each balance, so that only the version can reject it. The unique version of its entry
// would reject it too, so the index is dropped.
// Proves G4.7.
func TestVersionRejectsAPausedHolderDespiteSufficientBalance(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.DropIndex(t, ctx, db, "wallet_entries", "uq_wallet_entries_version")
		s := OpenWith(ctx, t, db, Options{Locks: &locktest.Unreliable{}})
		s.Fund(t, "12", 100)
		resume := s.FreezeReads(t, "wallets")
		require.Equal(t, http.StatusCreated, s.enter(t, "12", 60, "overtaking").Status)
		paused := s.enter(t, "12", 30, "paused")
		resume()
		require.Equal(t, []any{http.StatusLocked, "resource_locked"}, []any{paused.Status, paused.Body["code"]}, paused.Body)
		s.requireLedger(t, "12", 160)
	})
}

// Proves G4.39.
func TestWalletLocksEncloseTheTransaction(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := locktest.NewAround(lock.NewInProcess(lock.Observer{}), db)
		s := OpenWith(ctx, t, db, Options{Locks: locks})
		caller, _ := principal.From(ctx)
		of := func(user int) string { return fmt.Sprintf("wallet:%d:%d", caller.TenantID, user) }
		s.Fund(t, "12", 100)
		require.Equal(t, []string{of(12)}, locks.Taken(t))
		a := s.enter(t, "12", -101, "too much")
		require.Equal(t, http.StatusConflict, a.Status, a.Body)
		require.Equal(t, []string{of(12)}, locks.Taken(t))
		a = s.Send(t, http.MethodPost, "/wallet-transfers", object{"fromUserId": 12, "toUserId": 11, "amount": 5, "reference": "t"})
		require.Equal(t, http.StatusCreated, a.Status, a.Body)
		require.Equal(t, []string{of(11), of(12)}, locks.Taken(t))
	})
}

func TestAlwaysOvertakenHolderIsLocked(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	s := OpenWith(ctx, t, db, Options{Locks: &locktest.Unreliable{}})
	s.Fund(t, "12", 1000)
	var overtaking atomic.Bool
	var n atomic.Int64
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:overtake", func(tx *gorm.DB) {
		if readsWallet(tx) && overtaking.CompareAndSwap(false, true) {
			require.Equal(t, http.StatusCreated, s.enter(t, "12", -1, fmt.Sprintf("overtaking-%d", n.Add(1))).Status)
			overtaking.Store(false)
		}
	}))
	a := s.enter(t, "12", -60, "paused")
	overtaking.Store(true)
	require.Equal(t, http.StatusLocked, a.Status, a.Body)
	require.Equal(t, string(apperr.ResourceLocked), a.Body["code"])
	s.requireLedger(t, "12", 1000-n.Load())
}
