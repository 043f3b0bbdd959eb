package wallets_test

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

func TestOfManyDebitsExactlyAsManySucceedAsThereIsMoney(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each, units = 64, 3, 100
		b := open(ctx, t, db)
		b.fund(t, "12", units)
		var debited, refused atomic.Int64
		racing.Together(clients, func(client int) {
			for i := range each {
				a := b.enter(t, "12", -1, fmt.Sprintf("debit-%d-%d", client, i))
				switch {
				case a.Status == http.StatusCreated:
					debited.Add(1)
				case a.Status == http.StatusConflict && a.Body["code"] == "insufficient_balance":
					refused.Add(1)
				default:
					t.Errorf("answered %d: %v", a.Status, a.Body)
				}
			}
		})
		require.EqualValues(t, units, debited.Load())
		require.EqualValues(t, clients*each-units, refused.Load())
		b.requireLedger(t, "12", 0)
	})
}

func TestOppositeTransfersConserveTheTotalAndNoDeadlockReachesAClient(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, funds = 16, 1000
		b := open(ctx, t, db)
		b.fund(t, "1", funds)
		b.fund(t, "2", funds)
		racing.Together(clients, func(client int) {
			from := 1 + client%2
			for i := range tier.Rounds(600, 10_000) / clients {
				a := b.Send(t, http.MethodPost, "/wallet-transfers?wait=10000", object{
					"fromUserId": from, "toUserId": 3 - from, "amount": 1 + i%7, "reference": fmt.Sprintf("t-%d-%d", client, i),
				})
				if a.Status != http.StatusCreated && a.Body["code"] != "insufficient_balance" {
					t.Errorf("answered %d: %v", a.Status, a.Body)
				}
			}
		})
		first := b.balance(t, "1")
		require.EqualValues(t, 2*funds, first+b.balance(t, "2"))
		b.requireLedger(t, "1", first)
		b.requireLedger(t, "2", 2*funds-first)
	})
}

func TestOfManyRetriesOfOneReferenceOneIsMade(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := open(ctx, t, db)
		const clients = 24
		answers := make([]object, clients)
		var made atomic.Int64
		racing.Together(clients, func(i int) {
			a := b.enter(t, "12", 50, "once")
			answers[i] = a.Body
			if a.Status == http.StatusCreated {
				made.Add(1)
			}
		})
		require.EqualValues(t, 1, made.Load())
		for _, answer := range answers {
			require.Equal(t, answers[0], answer)
		}
		b.requireLedger(t, "12", 50)
	})
}

// With a lock that excludes nobody every writer is one whose lock was lost; the guard
// is all there is.
func TestWithoutALockThatHoldsTheGuardLosesAndDoublesNothing(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each, units = 24, 4, 40
		b := openWith(ctx, t, db, &locktest.Unreliable{})
		b.fund(t, "12", units)
		var debited atomic.Int64
		racing.Together(clients, func(client int) {
			for i := range each {
				a := b.enter(t, "12", -1, fmt.Sprintf("debit-%d-%d", client, i))
				switch a.Status {
				case http.StatusCreated:
					debited.Add(1)
				case http.StatusConflict, http.StatusLocked, http.StatusServiceUnavailable:
				default:
					t.Errorf("answered %d: %v", a.Status, a.Body)
				}
			}
		})
		require.Positive(t, debited.Load())
		b.requireLedger(t, "12", units-debited.Load())
	})
}

func TestAHolderThatIsToldThatItsLockWasLostStartsAnew(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := &locktest.Unreliable{}
		b := openWith(ctx, t, db, locks)
		b.fund(t, "12", 100)
		runs := 0
		err := b.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			runs++
			var lease *locktest.Loseable
			locks.Granted = func(_ int64, l *locktest.Loseable) { lease = l }
			_, _, err := b.wallets.Enter(ctx, u, wallets.Posting{UserID: "12", Amount: -30, Kind: "test", Reference: "paused"}, 0)
			if runs == 1 {
				lease.Lose()
			}
			return err
		})
		require.NoError(t, err)
		require.Equal(t, 2, runs, "what the first run wrote was rolled back")
		b.requireLedger(t, "12", 70)
	})
}

// readsWallet tells the statement by which an entry reads its balance from others.
func readsWallet(tx *gorm.DB) bool {
	_, reads := tx.Statement.Dest.(*[]wallets.Standing)
	return reads
}

// A holder is paused between its reading of the balance and its writing, long enough for
// its lock to end and for somebody else to come and go. It does not notice.
func TestAPausedHolderIsRefusedByTheGuardAndNothingIsAppliedTwice(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	b := openWith(ctx, t, db, &locktest.Unreliable{})
	b.fund(t, "12", 100)
	var paused, refusals atomic.Int64
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:pause", func(tx *gorm.DB) {
		if readsWallet(tx) && paused.CompareAndSwap(0, 1) {
			require.Equal(t, http.StatusCreated, b.enter(t, "12", -60, "overtaking").Status)
		}
	}))
	// The statement behind the guarded UPDATE, with which it goes in one packet.
	require.NoError(t, db.Write(ctx).Callback().Create().After("gorm:create").Register("test:count", func(tx *gorm.DB) {
		if tx.Error != nil && strings.Contains(tx.Error.Error(), "row_count() = 1") {
			refusals.Add(1)
		}
	}))
	a := b.enter(t, "12", -60, "paused")
	require.Equal(t, http.StatusConflict, a.Status)
	require.Equal(t, "insufficient_balance", a.Body["code"], "it was run again, and saw what is there now")
	require.EqualValues(t, 1, refusals.Load(), "the guarded UPDATE changed no row")
	b.requireLedger(t, "12", 40)
}

// Of a credit the balance refuses nothing, so the version must. The unique version of its
// entry would refuse it in the second place, and is taken away.
func TestTheVersionAloneRefusesAPausedHolderWhoseAmountTheBalanceAllows(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.DropIndex(t, ctx, db, "wallet_entries", "uq_wallet_entries_version")
		b := openWith(ctx, t, db, &locktest.Unreliable{})
		b.fund(t, "12", 100)
		seen, err := b.wallets.Wallet(ctx, "12")
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, b.enter(t, "12", 60, "overtaking").Status)
		err = b.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			return b.wallets.EnterAfterPause(ctx, u, *seen, wallets.Posting{UserID: "12", Amount: 30, Kind: "test", Reference: "paused"})
		})
		require.Truef(t, apperr.Has(err, apperr.ResourceLocked), "%v", err)
		b.requireLedger(t, "12", 160)
	})
}

func TestLocksAreTakenBeforeTheTransactionBeginsAndReleasedAfterItHasEnded(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := locktest.NewAround(lock.NewInProcess(lock.Observer{}), db)
		b := openWith(ctx, t, db, locks)
		caller, _ := principal.From(ctx)
		of := func(user int) string { return fmt.Sprintf("wallet:%d:%d", caller.TenantID, user) }
		b.fund(t, "12", 100)
		require.Equal(t, []string{of(12)}, locks.Taken(t))
		a := b.enter(t, "12", -101, "too much")
		require.Equal(t, http.StatusConflict, a.Status, a.Body)
		require.Equal(t, []string{of(12)}, locks.Taken(t))
		a = b.Send(t, http.MethodPost, "/wallet-transfers", object{"fromUserId": 12, "toUserId": 11, "amount": 5, "reference": "t"})
		require.Equal(t, http.StatusCreated, a.Status, a.Body)
		require.Equal(t, []string{of(11), of(12)}, locks.Taken(t))
	})
}

func TestAHolderThatIsOvertakenEachTimeIsAnsweredLockedAndChangesNothing(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	b := openWith(ctx, t, db, &locktest.Unreliable{})
	b.fund(t, "12", 1000)
	var overtaking atomic.Bool
	var n atomic.Int64
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:overtake", func(tx *gorm.DB) {
		if readsWallet(tx) && overtaking.CompareAndSwap(false, true) {
			require.Equal(t, http.StatusCreated, b.enter(t, "12", -1, fmt.Sprintf("overtaking-%d", n.Add(1))).Status)
			overtaking.Store(false)
		}
	}))
	a := b.enter(t, "12", -60, "paused")
	overtaking.Store(true)
	require.Equal(t, http.StatusLocked, a.Status, a.Body)
	require.Equal(t, string(apperr.ResourceLocked), a.Body["code"])
	b.requireLedger(t, "12", 1000-n.Load())
}
