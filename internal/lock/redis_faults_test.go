package lock_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/lock"
)

const (
	// timeout is the deadline of each wait; only a hang reaches it.
	timeout = 2 * time.Minute
	// never is an interval that does not end within a test.
	never = time.Hour
	// A lease of longTTL with a failed release is released again within soon, before it expires.
	longTTL, soon = 18 * time.Second, 15 * time.Second
)

// processes returns lockers that share their keys, like two replicas.
func processes(t *testing.T, url string, options lock.RedisOptions) (one, other *lock.Redis) {
	t.Helper()
	options.Prefix = "test:" + t.Name() + ":"
	return newRedis(t, redistest.Connect(t, url), options), newRedis(t, redistest.Connect(t, url), options)
}

func acquire(t *testing.T, locker lock.Locker, wait time.Duration, keys ...string) lock.Lease {
	t.Helper()
	lease, err := locker.Acquire(t.Context(), wait, keys...)
	require.NoError(t, err)
	return lease
}

// acquireInBackground acquires key in a goroutine and returns when waiters
// processes wait for it in Redis; name is the name of the lock there. The returned channel
// receives the lease.
func acquireInBackground(t *testing.T, client redis.UniversalClient, name string, waiters int, locker lock.Locker, key string) <-chan lock.Lease {
	t.Helper()
	acquired := make(chan lock.Lease, 1)
	go func() {
		lease, err := locker.Acquire(context.Background(), timeout, key)
		if err != nil {
			t.Errorf("acquire: %v", err)
		}
		acquired <- lease
	}()
	require.Eventually(t, func() bool {
		state, err := client.Get(t.Context(), name).Result()
		// The first line belongs to the holder; each waiting process adds one line.
		return err == nil && strings.Count(state, "\n") == waiters
	}, timeout, time.Millisecond)
	return acquired
}

type counting struct{ commands *atomic.Int64 }

func (c counting) DialHook(next redis.DialHook) redis.DialHook { return next }
func (c counting) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// pipelines counts pipelines that set a value. Only reports do so.
type pipelines struct{ commands *atomic.Int64 }

func (p pipelines) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (p pipelines) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (p pipelines) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		if commands[0].Name() == "set" {
			p.commands.Add(1)
		}
		return next(ctx, commands)
	}
}

func (c counting) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		// The client may open a connection at any time, and other tests flush the script
		// cache.
		if cmd.Name() != "hello" && cmd.Name() != "eval" {
			c.commands.Add(1)
		}
		return next(ctx, cmd)
	}
}

// With min-replicas-to-write, Redis rejects writes while too few replicas follow. A
// rejected command has no effect: no lock is held by it, and none is left when the replicas
// are back.
// Proves G5.35.
func TestLocksAreUnavailableWhileTooFewReplicasFollow(t *testing.T) {
	t.Parallel()
	master := redistest.NewServer(t)
	client := redistest.Connect(t, master.URL())
	one, other := processes(t, master.URL(), lock.RedisOptions{TTL: longTTL})
	short, _ := processes(t, master.URL(), lock.RedisOptions{TTL: time.Second})
	released, lost := acquire(t, one, 0, "released"), acquire(t, short, 0, "lost")
	require.NoError(t, client.ConfigSet(t.Context(), "min-replicas-to-write", "1").Err())

	for _, wait := range []time.Duration{0, timeout} {
		started := clock.Mark()
		_, err := other.Acquire(t.Context(), wait, "free")
		require.ErrorIs(t, err, lock.ErrUnavailable)
		require.ErrorContains(t, err, "NOREPLICAS")
		require.Less(t, clock.Since(started), timeout/2, "a waiter gets the error too")
	}
	require.ErrorIs(t, released.Release(t.Context()), lock.ErrUnavailable)
	select {
	case <-lost.Context().Done():
		require.ErrorIs(t, context.Cause(lost.Context()), lock.ErrLost, "a lease that cannot be extended is not believed")
	case <-time.After(timeout):
		require.FailNow(t, "the holder was not notified")
	}

	redistest.NewReplica(t, master)
	for _, key := range []string{"free", "released", "lost"} {
		lease, err := other.Acquire(t.Context(), soon, key)
		require.NoError(t, err, "%s: it is not released before its lease ends", key)
		require.NoError(t, lease.Release(t.Context()))
	}
	require.Eventually(t, func() bool {
		left, err := client.Keys(t.Context(), "test:"+t.Name()+":lock:*").Result()
		return err == nil && len(left) == 0
	}, timeout, 10*time.Millisecond, "nothing remains")
}

func TestFreeLockCostsTwoRoundTrips(t *testing.T) {
	client := redistest.Connect(t, redistest.SharedURL(t))
	locker := newRedis(t, client, lock.RedisOptions{PollEvery: never})
	require.NoError(t, acquire(t, locker, 0, "warm").Release(t.Context()))
	var commands atomic.Int64
	client.AddHook(counting{&commands})
	for range 10 {
		require.NoError(t, acquire(t, locker, time.Second, "key").Release(t.Context()))
	}
	require.EqualValues(t, 20, commands.Load())
}

// Proves G4.32.
func TestReleaseWakesAWaiterInAnotherProcess(t *testing.T) {
	for name, url := range map[string]string{"single": redistest.SharedURL(t), "cluster": redistest.NewCluster(t).URL()} {
		t.Run(name, func(t *testing.T) {
			one, other := processes(t, url, lock.RedisOptions{PollEvery: never})
			client := redistest.Connect(t, url)
			holder := acquire(t, one, 0, "key")
			acquired := acquireInBackground(t, client, "test:"+t.Name()+":lock:key", 1, other, "key")
			require.NoError(t, holder.Release(t.Context()))
			select {
			case lease := <-acquired:
				require.NoError(t, lease.Release(t.Context()))
			case <-time.After(timeout):
				require.FailNow(t, "it was not woken, and the poll is far away")
			}
		})
	}
}

// Proves G4.32.
func TestWaiterPollsWithoutAWakeup(t *testing.T) {
	client := redistest.Connect(t, redistest.SharedURL(t))
	options := lock.RedisOptions{Prefix: "test:" + t.Name() + ":", PollEvery: 20 * time.Millisecond}
	one := newRedis(t, client, options)
	options.Channels = "no process publishes here:"
	deaf := lock.NewRedis(client, options)
	defer deaf.Close()
	holder := acquire(t, one, 0, "key")
	acquired := acquireInBackground(t, client, options.Prefix+"lock:key", 1, deaf, "key")
	require.NoError(t, holder.Release(t.Context()))
	require.NoError(t, (<-acquired).Release(t.Context()))
}

// Proves G4.32.
func TestWaitersAreServedInOrderAcrossProcesses(t *testing.T) {
	one, other := processes(t, redistest.SharedURL(t), lock.RedisOptions{PollEvery: never})
	client := redistest.Connect(t, redistest.SharedURL(t))
	name := "test:" + t.Name() + ":lock:key"
	holder := acquire(t, one, 0, "key")
	second := acquireInBackground(t, client, name, 1, other, "key")
	third := make(chan lock.Lease, 1)
	go func() {
		lease, err := one.Acquire(context.Background(), timeout, "key")
		if err != nil {
			t.Errorf("acquire: %v", err)
		}
		third <- lease
	}()
	awaitHolding(t, one, "key", func(h lock.Holding) bool { return h.Waiters >= 1 })

	// The releasing process has a waiter too, but it arrived later.
	require.NoError(t, holder.Release(t.Context()))
	next := <-second
	require.Empty(t, third)
	require.NoError(t, next.Release(t.Context()))
	require.NoError(t, (<-third).Release(t.Context()))
}

func awaitHolding(t *testing.T, locker lock.Locker, key string, is func(lock.Holding) bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		held, err := locker.Held(t.Context())
		for _, h := range held {
			if h.Key == key && err == nil {
				return is(h)
			}
		}
		return false
	}, timeout, time.Millisecond)
}

func TestHeldShowsTheLocksOfAllProcesses(t *testing.T) {
	t.Parallel()
	one, other := processes(t, redistest.NewCluster(t).URL(), lock.RedisOptions{PollEvery: 20 * time.Millisecond, TTL: 2 * time.Second})
	_, err := other.Acquire(lock.WithOwner(t.Context(), "request 7"), 0, "key")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	waiting.Go(func() { _, _ = one.Acquire(ctx, timeout, "key") })
	waiting.Go(func() { _, _ = one.Acquire(ctx, timeout, "key") })
	for _, locker := range []lock.Locker{one, other} {
		awaitHolding(t, locker, "key", func(h lock.Holding) bool {
			return h.Owner == "request 7" && h.Age > 0 && h.Waiters == 2
		})
	}
	cancel()
	waiting.Wait()
	// The report of a dead process expires like its locks.
	other.Close()
	require.Eventually(t, func() bool {
		held, err := one.Held(t.Context())
		return err == nil && len(held) == 0
	}, timeout, 5*time.Millisecond)
}

func TestLongHeldLockIsReportedOnce(t *testing.T) {
	client := redistest.Connect(t, redistest.SharedURL(t))
	options := lock.RedisOptions{Prefix: "test:" + t.Name() + ":", PollEvery: 20 * time.Millisecond, TTL: time.Hour}
	holder, other := newRedis(t, client, options), newRedis(t, redistest.Connect(t, redistest.SharedURL(t)), options)
	owned := lock.WithOwner(t.Context(), "request 7")
	lease, err := holder.Acquire(owned, 0, "key")
	require.NoError(t, err)
	awaitHolding(t, other, "key", func(h lock.Holding) bool { return h.Owner == "request 7" })
	var commands atomic.Int64
	client.AddHook(pipelines{&commands})
	require.True(t, clock.Sleep(t.Context(), 200*time.Millisecond))
	require.Zero(t, commands.Load(), "an unchanged report must not be written")
	require.NoError(t, lease.Release(t.Context()))
	lease, err = holder.Acquire(owned, 0, "key")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return commands.Load() > 0 }, timeout, 5*time.Millisecond, "a new hold by the same owner must be reported")
	require.NoError(t, lease.Release(t.Context()))
}

func TestHeldLockOutlivesItsTTL(t *testing.T) {
	t.Parallel()
	const ttl = time.Second
	one, other := processes(t, redistest.SharedURL(t), lock.RedisOptions{TTL: ttl})
	lease := acquire(t, one, 0, "key")
	_, err := other.Acquire(t.Context(), 2*ttl, "key")
	require.ErrorIs(t, err, lock.ErrNotAcquired)
	require.NoError(t, lease.Context().Err())
	require.NoError(t, lease.Release(t.Context()))
}

// Without its background work a process behaves as if stopped by SIGSTOP.
// Proves G4.28.
func TestStoppedHolderLosesItsLockAndCannotReleaseTheNext(t *testing.T) {
	var lost atomic.Int64
	one, other := processes(t, redistest.SharedURL(t), lock.RedisOptions{
		TTL: 300 * time.Millisecond, Observer: lock.Observer{Lost: func(string) { lost.Add(1) }},
	})
	stopped := acquire(t, one, 0, "key")
	one.Close()
	next := acquire(t, other, timeout, "key")
	<-stopped.Context().Done()
	require.ErrorIs(t, context.Cause(stopped.Context()), lock.ErrLost)
	require.ErrorIs(t, stopped.Release(t.Context()), lock.ErrLost)
	require.Eventually(t, func() bool { return lost.Load() == 1 }, timeout, time.Millisecond)
	_, err := one.Acquire(t.Context(), 0, "key")
	require.ErrorIs(t, err, lock.ErrNotAcquired)
	require.NoError(t, next.Context().Err())
	require.NoError(t, next.Release(t.Context()))
}

// Proves G4.29.
func TestServerHangingBeyondTheTTLEndsItsLocks(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	one, other := processes(t, server.URL(), lock.RedisOptions{TTL: 500 * time.Millisecond, CommandTimeout: 200 * time.Millisecond})
	lease := acquire(t, one, 0, "key")
	server.Pause(t)
	select {
	case <-lease.Context().Done():
		require.ErrorIs(t, context.Cause(lease.Context()), lock.ErrLost)
	case <-time.After(timeout):
		require.FailNow(t, "the holder was not notified")
	}
	_, err := other.Acquire(t.Context(), 0, "key")
	require.ErrorIs(t, err, lock.ErrUnavailable)
	_, err = other.Acquire(t.Context(), 50*time.Millisecond, "key")
	require.ErrorIs(t, err, lock.ErrUnavailable, "the state of the lock is unknown")
	server.Resume(t)
	require.Eventually(t, func() bool {
		next, err := other.Acquire(t.Context(), time.Second, "key")
		return err == nil && next.Release(t.Context()) == nil
	}, timeout, 10*time.Millisecond)
	require.ErrorIs(t, lease.Release(t.Context()), lock.ErrLost)
}

// Proves G4.30.
func TestRedisRestartReleasesNoHeldLock(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	one, other := processes(t, server.URL(), lock.RedisOptions{TTL: timeout})
	lease := acquire(t, one, 0, "key")
	server.Kill(t)
	for _, wait := range []time.Duration{0, 100 * time.Millisecond} {
		_, err := other.Acquire(t.Context(), wait, "key")
		require.ErrorIs(t, err, lock.ErrUnavailable)
	}
	server.Start(t)
	// Both processes recover automatically.
	require.Eventually(t, func() bool {
		_, err := other.Acquire(t.Context(), 0, "key")
		return err != nil && !isUnavailable(err)
	}, timeout, 10*time.Millisecond)
	require.NoError(t, lease.Context().Err())
	require.NoError(t, lease.Release(t.Context()))
	require.NoError(t, acquire(t, other, timeout, "key").Release(t.Context()))
}

// Proves G4.30.
func TestUnreleasedLockIsReleasedWhenRedisReturns(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	one, other := processes(t, server.URL(), lock.RedisOptions{TTL: longTTL})
	lease := acquire(t, one, 0, "key")
	server.Kill(t)
	require.ErrorIs(t, lease.Release(t.Context()), lock.ErrUnavailable)
	server.Start(t)
	require.Eventually(t, func() bool {
		next, err := other.Acquire(t.Context(), 100*time.Millisecond, "key")
		return err == nil && next.Release(t.Context()) == nil
	}, soon, 10*time.Millisecond, "it is not released before its TTL has passed")
}

// The test breaks all connections at every third acquisition while two processes contend
// for two keys.
// Proves G4.31.
func TestExclusionSurvivesBrokenConnections(t *testing.T) {
	server := redistest.NewServer(t)
	one, other := processes(t, server.URL(), lock.RedisOptions{PollEvery: 50 * time.Millisecond})
	const workers, rounds = 8, 40
	var inside atomic.Int32
	// Not atomic: each holder must see the writes of the previous one.
	turns := int64(0)
	var acquired, away atomic.Int64
	due := make(chan struct{}, 1)
	var breaking, working sync.WaitGroup
	breaking.Go(func() { breakLinks(t, server, due) })
	for w := range workers {
		locker := []lock.Locker{one, other}[w%2]
		working.Go(func() {
			for range rounds {
				lease, err := locker.Acquire(t.Context(), timeout, "a", "b")
				if err != nil {
					if !isUnavailable(err) {
						t.Errorf("acquire: %v", err)
					}
					away.Add(1)
					continue
				}
				if inside.Add(1) != 1 {
					t.Error("two concurrent holders")
				}
				turns++
				if acquired.Add(1)%3 == 0 {
					select {
					case due <- struct{}{}:
					default:
					}
				}
				inside.Add(-1)
				// If the reply is lost here, the background work releases the lock.
				_ = lease.Release(t.Context())
			}
		})
	}
	working.Wait()
	close(due)
	breaking.Wait()
	require.EqualValues(t, workers*rounds, acquired.Load()+away.Load())
	require.Greater(t, acquired.Load(), int64(workers*rounds/2))
	require.Equal(t, acquired.Load(), turns)
	require.NoError(t, acquire(t, one, timeout, "a", "b").Release(t.Context()), "nothing remains")
}

// breakLinks closes all connections to the server on each signal from due.
func breakLinks(t *testing.T, server *redistest.Server, due <-chan struct{}) {
	client := redistest.Connect(t, server.URL())
	for range due {
		_ = client.Do(t.Context(), "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Err()
		_ = client.Do(t.Context(), "CLIENT", "KILL", "TYPE", "pubsub").Err()
	}
}

func isUnavailable(err error) bool { return errors.Is(err, lock.ErrUnavailable) }
