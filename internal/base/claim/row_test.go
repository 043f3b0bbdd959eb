package claim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/claim"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Goroutines of the driver, while the package's database is open.
		goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"),
		goleak.IgnoreTopFunction("database/sql.(*DB).connectionCleaner"))
}

const (
	lease = 2 * time.Second
	// forever is a lease that outlasts any test, with its heartbeats.
	forever = time.Hour
	// patience is the deadline of each wait; only a hang reaches it.
	patience = 2 * time.Minute
)

// unclaimed returns a database of the test with an empty table of claims.
func unclaimed(t *testing.T) *storage.DB {
	t.Helper()
	var migrated string
	require.NoError(t, storagetest.MariaDB(t).Pools()["read"].QueryRowContext(t.Context(), "SELECT DATABASE()").Scan(&migrated))
	db := storagetest.Open(t, storagetest.NewMariaDBURL(t))
	_, err := db.Pools()["write"].ExecContext(t.Context(), "CREATE TABLE server_claims LIKE "+migrated+".server_claims")
	require.NoError(t, err)
	return db
}

// here is a server on this machine, elsewhere one on another machine.
func here(db *storage.DB) claim.Options {
	return claim.Options{DB: db, Role: "all", Lease: lease, Logger: slog.New(slog.DiscardHandler)}
}

func elsewhere(db *storage.DB, host string) claim.Options {
	o := here(db)
	o.Self = claim.Process{Host: host, Machine: "the machine of " + host, PID: 7, Start: 1}
	return o
}

func leased(o claim.Options, lease time.Duration) claim.Options {
	o.Lease = lease
	return o
}

func withRedis(o claim.Options) claim.Options {
	o.Shared = true
	return o
}

func take(t *testing.T, o claim.Options) *claim.Claim {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := claim.Acquire(ctx, o)
	require.NoError(t, err)
	t.Cleanup(c.Release)
	return c
}

// crash leaves the claim of a server without further heartbeats, and returns the end of its
// lease.
func crash(t *testing.T, o claim.Options) (ends time.Time) {
	t.Helper()
	require.NoError(t, claim.NewServer(o).Acquire(t.Context()))
	holder, err := claim.Read(t.Context(), o.DB)
	require.NoError(t, err)
	require.True(t, holder.Live())
	return holder.Ends
}

// since returns the time of the claim, by the database's clock.
func since(t *testing.T, db *storage.DB) time.Time {
	t.Helper()
	holder, err := claim.Read(t.Context(), db)
	require.NoError(t, err)
	return holder.Since
}

func refused(t *testing.T, o claim.Options) *claim.HeldError {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := claim.Acquire(ctx, o)
	var held *claim.HeldError
	require.ErrorAs(t, err, &held)
	return held
}

func requireHeld(t *testing.T, c *claim.Claim) {
	t.Helper()
	require.NoError(t, c.Reason())
}

// lost waits until the claim is lost and returns the reason.
func lost(t *testing.T, c *claim.Claim) error {
	t.Helper()
	select {
	case <-c.Lost():
	case <-time.After(patience):
		require.FailNow(t, "the holder has not noticed")
	}
	return c.Reason()
}

// Proves G4.36.
func TestSecondServerIsRejectedWithTheHolder(t *testing.T) {
	db := unclaimed(t)
	first := take(t, leased(here(db), forever))
	held := refused(t, here(db))
	require.Equal(t, os.Getpid(), held.Holder.PID)
	require.Equal(t, claim.Self().Host, held.Holder.Host)
	for _, part := range []string{
		fmt.Sprintf("process %d on %s (role all)", os.Getpid(), claim.Self().Host), "since 20", "last heartbeat", "INTERLOCK_REDIS_URL",
	} {
		require.ErrorContains(t, held, part)
	}
	requireHeld(t, first)
}

func TestReleasedClaimIsAvailableImmediately(t *testing.T) {
	db := unclaimed(t)
	take(t, leased(elsewhere(db, "shop-1"), forever)).Release()
	holder, err := claim.Read(t.Context(), db)
	require.NoError(t, err)
	require.False(t, holder.Live(), "it has ended its lease")
	take(t, elsewhere(db, "shop-2"))
}

// Proves G4.37.
func TestClaimOfADeadLocalProcessIsAcquiredImmediately(t *testing.T) {
	self := claim.Self()
	require.NotEmpty(t, self.Machine, "/proc does not identify this machine")
	child := exec.Command("sleep", "60")
	require.NoError(t, child.Start())
	ended, err := claim.ProcessOf(child.Process.Pid)
	require.NoError(t, err)
	require.NotZero(t, ended.Start)
	require.NoError(t, child.Process.Kill())
	reused := self
	reused.Start--
	tests := map[string]func(t *testing.T) claim.Process{
		// Its parent has not waited for it yet.
		"a zombie": func(t *testing.T) claim.Process {
			require.Eventually(t, func() bool {
				stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", ended.PID))
				return err == nil && strings.Contains(string(stat), ") Z ")
			}, patience, time.Millisecond)
			return ended
		},
		"no process": func(*testing.T) claim.Process {
			_ = child.Wait()
			return ended
		},
		"its PID is another's": func(*testing.T) claim.Process { return reused },
	}
	for _, name := range []string{"a zombie", "no process", "its PID is another's"} {
		t.Run(name, func(t *testing.T) {
			db := unclaimed(t)
			o := leased(here(db), forever)
			o.Self = tests[name](t)
			crash(t, o)
			take(t, here(db))
		})
	}
}

// Proves G4.37.
func TestRemoteProcessIsNotAssumedDead(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *claim.Process){
		"another machine":                    func(p *claim.Process) { p.Host, p.Machine = "shop-1", "another boot" },
		"another container of the same host": func(p *claim.Process) { p.Machine += " pid:[1]" },
		"a system without machine identity":  func(p *claim.Process) { p.Machine, p.Start = "", 0 },
	} {
		t.Run(name, func(t *testing.T) {
			db := unclaimed(t)
			o := here(db)
			o.Self = claim.Self()
			// No such process exists here.
			o.Self.PID = 1 << 22
			change(&o.Self)
			take(t, o)
			require.Equal(t, o.Self.PID, refused(t, here(db)).Holder.PID)
		})
	}
}

func TestRemoteServerIsRejectedAfterTheHoldersHeartbeat(t *testing.T) {
	t.Parallel()
	db := unclaimed(t)
	take(t, elsewhere(db, "shop-1"))
	var log bytes.Buffer
	o := elsewhere(db, "shop-2")
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	require.Equal(t, "shop-1", refused(t, o).Holder.Host)
	require.Contains(t, log.String(), "claim: another server claims this database; waiting for its next heartbeat")
	require.Contains(t, log.String(), "process 7 on shop-1")
}

// Proves G4.37.
func TestCrashedHolderBlocksOnlyForItsLease(t *testing.T) {
	t.Parallel()
	db := unclaimed(t)
	ends := crash(t, elsewhere(db, "shop-1"))
	take(t, elsewhere(db, "shop-2"))
	require.False(t, since(t, db).Before(ends), "its lease had not ended")
}

// Proves G4.37.
func TestReplacedHolderLosesItsClaimAndReportsTheNewHolder(t *testing.T) {
	t.Parallel()
	db := unclaimed(t)
	paused := claim.NewServer(elsewhere(db, "shop-1"))
	require.NoError(t, paused.Acquire(t.Context()))
	next := take(t, elsewhere(db, "shop-2"))
	held, err := paused.Held(t.Context())
	require.NoError(t, err)
	require.False(t, held, "its heartbeat does not regain the claim")
	stop := make(chan struct{})
	time.AfterFunc(patience, func() { close(stop) })
	err = paused.ExtendUntil(stop)
	require.ErrorContains(t, err, "this server has lost its claim on the database and ends")
	require.ErrorContains(t, err, "process 7 on shop-2")
	requireHeld(t, next)
}

func TestLostIsClosedWhenAnotherServerOwnsTheClaim(t *testing.T) {
	t.Parallel()
	db := unclaimed(t)
	c := take(t, elsewhere(db, "shop-1"))
	// The state after a takeover, without the wait for one.
	_, err := db.Pools()["write"].ExecContext(t.Context(), "UPDATE server_claims SET group_name = 'x', run_id = 'x', host = 'shop-2'")
	require.NoError(t, err)
	require.ErrorContains(t, lost(t, c), "on shop-2")
}

func TestHolderEndsWhenItsRowIsDeleted(t *testing.T) {
	t.Parallel()
	db := unclaimed(t)
	c := take(t, elsewhere(db, "shop-1"))
	_, err := db.Pools()["write"].ExecContext(t.Context(), "DELETE FROM server_claims")
	require.NoError(t, err)
	require.ErrorContains(t, lost(t, c), "the database was emptied or replaced")
}

// Proves G4.37.
func TestPausedHolderContinuesIfNotOvertaken(t *testing.T) {
	db := unclaimed(t)
	paused := claim.NewServer(leased(elsewhere(db, "shop-1"), time.Millisecond))
	require.NoError(t, paused.Acquire(t.Context()))
	require.Eventually(t, func() bool {
		holder, err := claim.Read(t.Context(), db)
		return err == nil && !holder.Live()
	}, patience, time.Millisecond)
	held, err := paused.Held(t.Context())
	require.NoError(t, err)
	require.True(t, held)
}

// Proves G4.36.
func TestOnlyOneOfConcurrentServersClaims(t *testing.T) {
	t.Parallel()
	db := unclaimed(t)
	const servers = 20
	for _, before := range []string{"no server yet", "the last one crashed", "the last one ended"} {
		t.Run(before, func(t *testing.T) {
			var racing sync.WaitGroup
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			claims, errs := make([]*claim.Claim, servers), make([]error, servers)
			for i := range servers {
				racing.Go(func() { claims[i], errs[i] = claim.Acquire(ctx, elsewhere(db, fmt.Sprintf("shop-%d", i))) })
			}
			racing.Wait()
			var serving []*claim.Claim
			for i := range servers {
				if errs[i] == nil {
					serving = append(serving, claims[i])
					continue
				}
				var held *claim.HeldError
				require.ErrorAs(t, errs[i], &held)
			}
			require.Len(t, serving, 1)
			requireHeld(t, serving[0])
			serving[0].Release()
			if before == "no server yet" {
				crash(t, elsewhere(db, "crashed"))
			}
		})
	}
}

// Proves G4.36.
func TestServersWithARedisServeTogether(t *testing.T) {
	t.Parallel()
	db := unclaimed(t)
	first := take(t, withRedis(leased(elsewhere(db, "shop-1"), forever)))
	second := take(t, withRedis(elsewhere(db, "shop-2")))
	held := refused(t, elsewhere(db, "shop-3"))
	require.ErrorContains(t, held, "this one has no INTERLOCK_REDIS_URL")
	requireHeld(t, first)

	first.Release()
	requireHeld(t, second)
	require.Equal(t, "shop-2", refused(t, elsewhere(db, "shop-3")).Holder.Host)
}

// Proves G4.36.
func TestServerWithRedisIsRejectedNextToOneWithout(t *testing.T) {
	db := unclaimed(t)
	take(t, here(db))
	held := refused(t, withRedis(here(db)))
	require.ErrorContains(t, held, "serves this database without Redis")
	require.ErrorContains(t, held, "give it this INTERLOCK_REDIS_URL too")
}

func TestDeadMemberDoesNotReleaseItsGroup(t *testing.T) {
	t.Parallel()
	db := unclaimed(t)
	gone := withRedis(here(db))
	gone.Self = claim.Self()
	gone.Self.Start--
	ends := crash(t, gone)
	take(t, here(db))
	require.False(t, since(t, db).Before(ends))
}

func TestUnreachableDatabaseDoesNotEndTheHolder(t *testing.T) {
	t.Parallel()
	db := unclaimed(t)
	server := claim.NewServer(elsewhere(db, "shop-1"))
	require.NoError(t, server.Acquire(t.Context()))
	require.NoError(t, db.Close())
	stop, ended := make(chan struct{}), make(chan error)
	go func() { ended <- server.ExtendUntil(stop) }()
	select {
	case err := <-ended:
		require.FailNow(t, "it ended", "%v", err)
	case <-time.After(lease):
	}
	close(stop)
	require.NoError(t, <-ended)
}

func TestWaitForClaimEndsAtShutdown(t *testing.T) {
	db := unclaimed(t)
	crash(t, leased(elsewhere(db, "shop-1"), forever))
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("requested to end"))
	defer cancel()
	_, err := claim.Acquire(ctx, elsewhere(db, "shop-2"))
	require.ErrorContains(t, err, "requested to end")
}
