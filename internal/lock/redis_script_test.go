package lock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
)

func newScripted(t testing.TB, options RedisOptions) *Redis {
	t.Helper()
	options.Prefix = cmp.Or(options.Prefix, "test:"+uuid.NewString()+":")
	options.Channels = options.Prefix
	l := NewRedis(redistest.Connect(t, redistest.SharedURL(t)), options)
	t.Cleanup(l.Close)
	return l
}

func (l *Redis) mustRun(t require.TestingT, command lockCommand) lockReply {
	reply, err := l.run(context.Background(), command)
	require.NoError(t, err)
	return reply
}

// state returns the Redis string of a lock, "" for none.
func (l *Redis) state(t require.TestingT, key string) string {
	state, err := l.client.Get(context.Background(), l.lockName(key)).Result()
	if !errors.Is(err, redis.Nil) {
		require.NoError(t, err)
	}
	return state
}

// Proves G4.25.
func TestResentCommandHasTheSameReply(t *testing.T) {
	l := newScripted(t, RedisOptions{})
	taken, err := l.acquireFree(t.Context(), "k", "a")
	require.NoError(t, err)
	require.True(t, taken)
	require.True(t, l.mustRun(t, lockCommand{key: "k", process: "p", want: "a"}).granted, "the reply was lost")

	for range 2 {
		passed := l.mustRun(t, lockCommand{key: "k", process: "p", release: "a", want: "b"})
		require.True(t, passed.granted)
		require.Equal(t, "b", l.state(t, "k"))
	}
	require.True(t, l.mustRun(t, lockCommand{key: "k", release: "b"}).released)
	require.False(t, l.mustRun(t, lockCommand{key: "k", release: "b"}).released)
}

// Proves G4.25.
func TestRepeatedGrantRestartsTheTTL(t *testing.T) {
	l := newScripted(t, RedisOptions{})
	for name, waiting := range map[string]bool{"without waiters": false, "with a waiter": true} {
		t.Run(name, func(t *testing.T) {
			ask := lockCommand{key: name, process: "p", want: "a"}
			require.True(t, l.mustRun(t, ask).granted)
			require.NoError(t, l.client.PExpire(t.Context(), l.lockName(name), l.ttl/2).Err())
			stranger := lockCommand{key: name, process: "q", want: "b"}
			if waiting {
				stranger.waiterTTL = time.Minute
			}
			require.LessOrEqual(t, l.mustRun(t, stranger).busyFor, l.ttl/2)
			require.True(t, l.mustRun(t, ask).granted)
			require.Greater(t, l.mustRun(t, stranger).busyFor, l.ttl*9/10)
		})
	}
}

// Proves G4.27.
func TestWaitingForAHeldLockDoesNotExtendIt(t *testing.T) {
	l := newScripted(t, RedisOptions{TTL: 300 * time.Millisecond})
	// The grant happens in Redis between these two lines.
	sent := clock.Mark()
	require.True(t, l.mustRun(t, lockCommand{key: "k", want: "a"}).granted)
	granted := clock.Mark()
	for waiterTTL := time.Duration(0); ; waiterTTL = time.Second - waiterTTL {
		elapsed := clock.Since(granted)
		reply := l.mustRun(t, lockCommand{key: "k", process: "q", want: "b", waiterTTL: waiterTTL})
		if reply.granted {
			break
		}
		require.LessOrEqual(t, elapsed+reply.busyFor, l.ttl+5*time.Millisecond)
		l.mustRun(t, lockCommand{key: "k", process: "q"})
	}
	require.GreaterOrEqual(t, clock.Since(sent), l.validity())
}

// Proves G4.28.
func TestLateReleaseDoesNotReleaseTheNextHolder(t *testing.T) {
	first := newScripted(t, RedisOptions{TTL: 20 * time.Millisecond})
	require.True(t, first.mustRun(t, lockCommand{key: "k", want: "a"}).granted)
	l := newScripted(t, RedisOptions{TTL: time.Minute, Prefix: first.prefix})
	require.Eventually(t, func() bool { return l.mustRun(t, lockCommand{key: "k", want: "b"}).granted }, 2*time.Minute, 5*time.Millisecond)
	require.False(t, l.mustRun(t, lockCommand{key: "k", release: "a"}).released)
	extended, err := l.extend(t.Context(), "k", "a")
	require.NoError(t, err)
	require.False(t, extended)
	require.Equal(t, "b", l.state(t, "k"))
}

// Proves G4.26.
func TestUnusedLocksUseNoMemory(t *testing.T) {
	l := newScripted(t, RedisOptions{})
	l.mustRun(t, lockCommand{key: "k", want: "a"})
	l.mustRun(t, lockCommand{key: "k", want: "b", process: "q", waiterTTL: time.Minute})
	l.mustRun(t, lockCommand{key: "k", release: "a"})
	left, err := l.client.PTTL(t.Context(), l.lockName("k")).Result()
	require.NoError(t, err)
	require.Positive(t, left)
	require.LessOrEqual(t, left, time.Minute, "a waiter is stored until it no longer counts")
	l.mustRun(t, lockCommand{key: "k", process: "q"})
	require.Empty(t, l.state(t, "k"))
}

// Proves G4.27.
func TestDeadWaiterDelaysOthersOnlyForItsTTL(t *testing.T) {
	l := newScripted(t, RedisOptions{})
	l.mustRun(t, lockCommand{key: "k", want: "a"})
	require.False(t, l.mustRun(t, lockCommand{key: "k", process: "dead", want: "b", waited: time.Hour, waiterTTL: time.Second}).granted)
	require.True(t, l.mustRun(t, lockCommand{key: "k", release: "a"}).released)
	require.False(t, l.mustRun(t, lockCommand{key: "k", process: "late", want: "c"}).granted, "the first waiter goes first")
	require.Eventually(t, func() bool {
		return l.mustRun(t, lockCommand{key: "k", process: "late", want: "c"}).granted
	}, 2*time.Minute, 5*time.Millisecond)
}

// The model: at most one holder; a claim that is granted while another process waits has
// waited longer; the key is deleted when the lock has neither holder nor waiters.
// Proves G4.26.
func TestScriptMatchesItsModel(t *testing.T) {
	l := newScripted(t, RedisOptions{TTL: time.Hour})
	rapid.Check(t, func(t *rapid.T) {
		key := uuid.NewString()
		holder := ""
		waiting := map[string]int{} // process → hours waited
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			process := rapid.SampledFrom([]string{"p", "q", "r"}).Draw(t, "process")
			s := lockCommand{key: key, process: process}
			if rapid.Bool().Draw(t, "releases") {
				s.release = rapid.SampledFrom([]string{holder, "stranger"}).Draw(t, "release")
			}
			hours := rapid.IntRange(1, 9).Draw(t, "hours")
			if rapid.Bool().Draw(t, "wants") {
				s.want = fmt.Sprintf("%s:%d", process, i)
				s.waited = time.Duration(hours) * time.Hour
				if rapid.Bool().Draw(t, "waits") {
					s.waiterTTL = time.Hour
				}
			}
			reply := l.mustRun(t, s)

			released := s.release != "" && s.release == holder
			require.Equal(t, released, reply.released)
			if released {
				holder = ""
			}
			longest := math.MinInt
			for other, waited := range waiting {
				if other != process {
					longest = max(longest, waited)
				}
			}
			granted := s.want != "" && holder == "" && hours >= longest
			// Within the same hour Redis counts the earlier waiter as longer.
			if hours == longest && s.want != "" && holder == "" {
				granted = reply.granted
			}
			require.Equal(t, granted, reply.granted)
			switch {
			case granted:
				holder = s.want
				delete(waiting, process)
			case s.want == "":
				delete(waiting, process)
			case s.waiterTTL > 0:
				waiting[process] = hours
			}
			require.Equal(t, holder == "" && len(waiting) == 0, l.state(t, key) == "")
			require.Contains(t, l.state(t, key), holder)
			if holder != "" {
				extended, err := l.extend(context.Background(), key, holder)
				require.NoError(t, err)
				require.True(t, extended)
			}
		}
	})
}
