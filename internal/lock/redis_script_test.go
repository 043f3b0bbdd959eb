package lock

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/redisconn/redistest"
)

func newScripted(t testing.TB, options RedisOptions) *Redis {
	t.Helper()
	options.Prefix = "test:" + uuid.NewString() + ":"
	options.Channels = options.Prefix
	l := NewRedis(redistest.Connect(t, redistest.SharedURL(t)), options)
	t.Cleanup(l.Close)
	return l
}

func (l *Redis) mustRun(t require.TestingT, s step) stepped {
	reply, err := l.run(context.Background(), s)
	require.NoError(t, err)
	return reply
}

func TestACommandThatIsSentAgainGetsTheSameAnswer(t *testing.T) {
	l := newScripted(t, RedisOptions{})
	first := l.mustRun(t, step{key: "k", process: "p", want: "a"})
	require.True(t, first.granted)
	require.Equal(t, first, l.mustRun(t, step{key: "k", process: "p", want: "a"}), "the reply was lost")

	passed := l.mustRun(t, step{key: "k", process: "p", release: "a", want: "b"})
	require.True(t, passed.released)
	require.True(t, passed.granted)
	require.Greater(t, passed.fence, first.fence)
	again := l.mustRun(t, step{key: "k", process: "p", release: "a", want: "b"})
	require.True(t, again.granted)
	require.Equal(t, passed.fence, again.fence)

	require.True(t, l.mustRun(t, step{key: "k", release: "b"}).released)
	require.False(t, l.mustRun(t, step{key: "k", release: "b"}).released)
}

func TestAReleaseAfterTheEndDoesNotFreeTheNextHoldersLock(t *testing.T) {
	l := newScripted(t, RedisOptions{TTL: 20 * time.Millisecond})
	require.True(t, l.mustRun(t, step{key: "k", want: "a"}).granted)
	require.Eventually(t, func() bool { return l.mustRun(t, step{key: "k", want: "b"}).granted }, 20*time.Second, 5*time.Millisecond)
	require.False(t, l.mustRun(t, step{key: "k", release: "a"}).released)
	extended, err := l.extend(t.Context(), "k", "a")
	require.NoError(t, err)
	require.False(t, extended)
	require.Regexp(t, `^\d+ \d+ b$`, l.client.Get(t.Context(), l.lockName("k")).Val())
}

func TestFencingNumbersGrowWhenTheServersClockIsSetBack(t *testing.T) {
	future := time.Now().Add(time.Hour).UnixMicro()
	for _, state := range []string{"%d", "%d 0 ", "%d 0 b"} {
		l := newScripted(t, RedisOptions{})
		require.NoError(t, l.client.Set(t.Context(), l.lockName("k"), fmt.Sprintf(state, future), 0).Err())
		require.Equal(t, future+1, l.mustRun(t, step{key: "k", want: "a"}).fence, state)
		require.Equal(t, future+2, l.mustRun(t, step{key: "k", release: "a", want: "b"}).fence, state)
		require.True(t, l.mustRun(t, step{key: "k", release: "b"}).released)
		require.Equal(t, future+3, l.mustRun(t, step{key: "k", want: "c"}).fence, "a free lock remembers its last")
	}
}

func TestWhatNobodyHoldsIsForgotten(t *testing.T) {
	l := newScripted(t, RedisOptions{})
	l.mustRun(t, step{key: "k", want: "a"})
	l.mustRun(t, step{key: "k", want: "b", process: "q", patience: time.Second})
	l.mustRun(t, step{key: "k", release: "a"})
	left, err := l.client.PTTL(t.Context(), l.lockName("k")).Result()
	require.NoError(t, err)
	require.Positive(t, left)
	require.LessOrEqual(t, left, l.ttl+remembered+time.Second)
}

func TestAWaiterWhoseProcessDiedHoldsNobodyBackForLong(t *testing.T) {
	l := newScripted(t, RedisOptions{})
	l.mustRun(t, step{key: "k", want: "a"})
	require.False(t, l.mustRun(t, step{key: "k", process: "dead", want: "b", waited: time.Hour, patience: 50 * time.Millisecond}).granted)
	require.True(t, l.mustRun(t, step{key: "k", release: "a"}).released)
	require.False(t, l.mustRun(t, step{key: "k", process: "late", want: "c"}).granted, "the first waiter's turn has come")
	require.Eventually(t, func() bool {
		return l.mustRun(t, step{key: "k", process: "late", want: "c"}).granted
	}, 5*time.Second, 5*time.Millisecond)
}

// The model: one holder at most; who is granted while another waits has waited
// longer; numbers grow with every new grant and never otherwise.
func TestTheScriptKeepsToItsModel(t *testing.T) {
	l := newScripted(t, RedisOptions{TTL: time.Hour})
	rapid.Check(t, func(t *rapid.T) {
		key := uuid.NewString()
		holder, last := "", int64(0)
		waiting := map[string]int{} // process → hours waited
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			process := rapid.SampledFrom([]string{"p", "q", "r"}).Draw(t, "process")
			s := step{key: key, process: process}
			if rapid.Bool().Draw(t, "releases") {
				s.release = rapid.SampledFrom([]string{holder, "stranger"}).Draw(t, "release")
			}
			hours := rapid.IntRange(1, 9).Draw(t, "hours")
			if rapid.Bool().Draw(t, "wants") {
				s.want = fmt.Sprintf("%s %d", process, i)
				s.waited = time.Duration(hours) * time.Hour
				if rapid.Bool().Draw(t, "waits") {
					s.patience = time.Hour
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
			// Within the same hour the one that came first counts as longer.
			if hours == longest && s.want != "" && holder == "" {
				granted = reply.granted
			}
			require.Equal(t, granted, reply.granted)
			switch {
			case granted:
				require.Greater(t, reply.fence, last)
				holder, last = s.want, reply.fence
				delete(waiting, process)
			case s.want == "":
				delete(waiting, process)
			case s.patience > 0:
				waiting[process] = hours
			}
		}
	})
}
