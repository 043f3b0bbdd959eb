package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/test/apptest"
	"interlock/test/racing"
	"interlock/test/tier"
)

// Each round sends one request of a random kind with a separate key, causes a fault, and
// repeats the request. The requirements are always the same: the effect exists once, with
// one audit row, and all successful responses are identical.

var (
	// keyRounds is the number of requests with an idempotency key per fault.
	keyRounds = tier.Rounds(8, 200)
	// killRounds is the number of rounds in which the fault kills the real program.
	killRounds = tier.Rounds(1, 200)
)

// isReplay reports whether a response replays that of an earlier attempt.
func isReplay(a apptest.Answer) bool { return a.Header.Get("X-Idempotency-Replay") == "true" }

// round is one deed in flight.
type round struct {
	deed
	what   string
	store  witness
	before int64 // audit rows
}

// rounds draws deeds for one program and its store.
type rounds struct {
	deeds *deeds
	store witness
	n     int
	// wentBack is set if the database was restored to an earlier state.
	wentBack bool
}

func newRounds(t *testing.T, random *rand.Rand, databaseURL string) *rounds {
	rs := &rounds{deeds: newDeeds(random), store: newWitness(t, databaseURL)}
	t.Cleanup(func() {
		changed := rs.store.number(t, "SELECT COUNT(*) FROM installation WHERE reason <> 'It was installed.'")
		require.Equal(t, rs.wentBack, changed == 1, "the epoch is changed when the database went back, and by no other fault")
	})
	return rs
}

func (rs *rounds) next(t *testing.T, c *apptest.Caller) round {
	t.Helper()
	rs.n++
	d := rs.deeds.next(t, c)
	r := round{deed: d, what: fmt.Sprintf("round %d, %s", rs.n, d.name), store: rs.store, before: rs.store.audited(t)}
	require.Zero(t, r.store.effects(t, d), r.what)
	return r
}

// requireEffects checks how often the deed was done.
func (r round) requireEffects(t *testing.T, times int64) {
	t.Helper()
	require.Equal(t, times, r.store.effects(t, r.deed), "%s: effects", r.what)
	require.Equal(t, r.before+times*(1+r.alsoAudited), r.store.audited(t), "%s: audit rows", r.what)
}

// again repeats the deed until it gets a definite response, like a patient client, and
// requires that it is done then.
func (r round) again(t *testing.T, c *apptest.Caller) apptest.Answer {
	t.Helper()
	until, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	for {
		answer, err := r.send(until, c)
		switch {
		case err != nil:
			require.NoErrorf(t, until.Err(), "%s: no answer: %v", r.what, err)
		case answer.Code() == "request_in_progress", answer.Status == http.StatusServiceUnavailable:
			require.NoErrorf(t, until.Err(), "%s: still %s", r.what, answer.Body)
		default:
			require.Equalf(t, r.status, answer.Status, "%s: %s", r.what, answer.Body)
			return answer
		}
		pause(until, 5*time.Millisecond)
	}
}

// settle repeats the deed: the response must be the same, and the effect must exist once.
func (r round) settle(t *testing.T, c *apptest.Caller, answer apptest.Answer) {
	t.Helper()
	replay := r.again(t, c)
	require.True(t, isReplay(replay), r.what)
	r.requireSame(t, answer, replay)
	r.requireEffects(t, 1)
}

func (r round) requireSame(t *testing.T, one, other apptest.Answer) {
	t.Helper()
	require.Equal(t, one.Status, other.Status, r.what)
	require.Equal(t, string(one.Body), string(other.Body), r.what)
	for _, name := range []string{"Etag", "Location", "Content-Type"} {
		require.Equal(t, one.Header.Get(name), other.Header.Get(name), "%s: %s", r.what, name)
	}
}

// killAtCommit kills the program at a point of each deed's COMMIT, requires that number of effects,
// and sends the deed again to the restarted program.
func killAtCommit(t *testing.T, point fate, effects int64) {
	t.Parallel()
	random := racing.Seeded(t)
	p, s, between, direct, c := asProcessBehindProxy(t)
	rs := newRounds(t, random, direct)
	for range killRounds {
		r := rs.next(t, c)
		between.whenLost(p.kill)
		between.commitOf(r.key, 1, point)
		_, err := r.send(t.Context(), c)
		require.Error(t, err, "%s: the client is left without a reply", r.what)
		r.requireEffects(t, effects)

		p = serve(t, s)
		c.HTTP.CloseIdleConnections()
		answer := r.again(t, c)
		require.Equal(t, effects == 1, isReplay(answer), r.what)
		r.settle(t, c, answer)
	}
	s.DatabaseURL = direct
	checkPromises(t, s)
}

// Proves G3.6.
func TestCrashBeforeCommitReleasesTheKey(t *testing.T) {
	killAtCommit(t, cutBefore, 0)
}

// Proves G3.6.
func TestCrashAfterCommitPreservesTheReply(t *testing.T) { killAtCommit(t, loseReply, 1) }

// The embedded database has no link to cut, so the time of the kill is random. The test
// adjusts its range so that the kill comes before COMMIT about as often as after it.
// Proves G3.6.
func TestKilledEmbeddedProgramIsAtomic(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	random := racing.Seeded(t)
	p, s, c := asProcess(t, "sqlite")
	rs := newRounds(t, random, s.URL())
	span := 5 * time.Millisecond
	before, after := 0, 0
	for range killRounds {
		r := rs.next(t, c)
		answered := make(chan error, 1)
		go func() {
			_, err := r.send(t.Context(), c)
			answered <- err
		}()
		pause(t.Context(), time.Duration(random.Int64N(int64(2*span))))
		p.kill()
		failure := <-answered
		p = serve(t, s)
		c.HTTP.CloseIdleConnections()
		effects := r.store.effects(t, r.deed)
		r.requireEffects(t, effects)
		if effects == 0 {
			require.Error(t, failure, "%s: acknowledged without an effect", r.what)
			before, span = before+1, span*5/4
		} else {
			after, span = after+1, span*4/5
		}
		answer := r.again(t, c)
		require.Equal(t, effects == 1, isReplay(answer), "%s: the reply exists if and only if the effect does", r.what)
		r.settle(t, c, answer)
	}
	t.Logf("killed before COMMIT %d times, after it %d times", before, after)
	checkPromises(t, s)
}

// Proves G3.6.
func TestUnacknowledgedCommitPreservesTheReply(t *testing.T) {
	t.Parallel()
	random := racing.Seeded(t)
	between, direct, _, c := behindProxy(t)
	rs := newRounds(t, random, direct)
	for range keyRounds {
		r := rs.next(t, c)
		lost := []fate{loseReply, loseReply, loseReply, lateCommit}[random.IntN(4)]
		between.commitOf(r.key, 1, lost)
		first, err := r.send(t.Context(), c)
		require.NoError(t, err, r.what)
		require.Equalf(t, r.status, first.Status, "%s: %s", r.what, first.Body)
		require.False(t, isReplay(first), r.what)
		r.settle(t, c, first)
	}
}

// onTwoPrograms boots two programs on one database and one Redis. They share no cache.
func onTwoPrograms(t *testing.T) (redis *redistest.Server, databaseURL string, callers [2]*apptest.Caller) {
	t.Helper()
	redis = redistest.NewServer(t)
	s := fresh(t, "mariadb")
	s.RedisURL = redis.URL()
	_, callers[0] = serveHere(t, s)
	second := s
	second.DataDir = t.TempDir()
	other := *callers[0]
	other.Program, other.HTTP = apptest.Start(t, second), newClient(t)
	callers[1] = &other
	return redis, s.DatabaseURL, callers
}

// Proves G3.7.
func TestReplySurvivesAnEmptiedRedis(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	random := racing.Seeded(t)
	redis, databaseURL, callers := onTwoPrograms(t)
	client := redistest.Connect(t, redis.URL())
	rs := newRounds(t, random, databaseURL)
	for range keyRounds {
		one, other := callers[0], callers[1]
		if random.IntN(2) == 0 {
			one, other = other, one
		}
		r := rs.next(t, one)
		first := r.again(t, one)
		require.False(t, isReplay(first), r.what)
		require.NoError(t, client.FlushAll(t.Context()).Err())
		r.settle(t, other, first)
		r.settle(t, one, first)
	}
}

// Proves G3.7.
func TestWithoutRedisAKeyStillHasOneEffect(t *testing.T) {
	t.Parallel()
	random := racing.Seeded(t)
	redis, databaseURL, callers := onTwoPrograms(t)
	redis.Kill(t)
	rs := newRounds(t, random, databaseURL)
	rs.deeds.withoutLocks()
	for range keyRounds {
		r := rs.next(t, callers[0])
		attempts := 2 + random.IntN(4)
		answers := make([]apptest.Answer, attempts)
		var running sync.WaitGroup
		for i := range attempts {
			running.Go(func() { answers[i], _ = r.send(t.Context(), callers[i%2]) })
		}
		running.Wait()
		own := 0
		last := r.again(t, callers[random.IntN(2)])
		for _, answer := range answers {
			if answer.Status == http.StatusServiceUnavailable || answer.Code() == "request_in_progress" {
				continue
			}
			r.requireSame(t, last, answer)
			if !isReplay(answer) {
				own++
			}
		}
		require.LessOrEqual(t, own, 1, r.what)
		r.settle(t, callers[0], last)
	}
}

// trap calls spring at one statement of one request.
type trap struct {
	request string
	left    atomic.Int64
	spring  func()
}

// traps are set at a program's statements.
type traps struct{ set atomic.Pointer[trap] }

// lay prepares a program that does not run yet.
func (ts *traps) lay(t *testing.T, p *apptest.Program) {
	t.Helper()
	after := func(db *gorm.DB) {
		set := ts.set.Load()
		if set != nil && principal.Request(db.Statement.Context) == set.request && set.left.Add(-1) == 0 {
			set.spring()
		}
	}
	db := p.Services().DB
	for name, g := range map[string]*gorm.DB{"faults:read": db.Read(t.Context()), "faults:write": db.Write(t.Context())} {
		if db.Dialect == storage.MySQL && name == "faults:read" {
			continue // both use one
		}
		callbacks := g.Callback()
		require.NoError(t, callbacks.Create().After("gorm:create").Register(name, after))
		require.NoError(t, callbacks.Query().After("gorm:query").Register(name, after))
		require.NoError(t, callbacks.Update().After("gorm:update").Register(name, after))
		require.NoError(t, callbacks.Delete().After("gorm:delete").Register(name, after))
		require.NoError(t, callbacks.Row().After("gorm:row").Register(name, after))
		require.NoError(t, callbacks.Raw().After("gorm:raw").Register(name, after))
	}
}

// trapped boots a program in which traps can be set.
func trapped(t *testing.T, random *rand.Rand, engine string) (*traps, *apptest.Caller, *rounds) {
	t.Helper()
	ts, s := &traps{}, fresh(t, engine)
	_, c := serveHere(t, s, func(p *apptest.Program) { ts.lay(t, p) })
	return ts, c, newRounds(t, random, s.URL())
}

// at sets a trap at the n-th statement of a request and replaces the former trap.
func (ts *traps) at(request string, n int, spring func()) {
	set := &trap{request: request, spring: spring}
	set.left.Store(int64(n))
	ts.set.Store(set)
}

// clear removes the trap, in case the request had fewer statements.
func (ts *traps) clear() { ts.set.Store(nil) }

// maxStatements is about the number of statements of the longest deed.
const maxStatements = 14

// Proves G3.7.
func TestPanicReleasesTheKey(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) {
		random := racing.Seeded(t)
		ts, c, rs := trapped(t, random, engine)
		for panics := 0; panics < keyRounds; {
			r := rs.next(t, c)
			ts.at(r.key, 1+random.IntN(maxStatements), func() { panic("out of tea") })
			answer, err := r.send(t.Context(), c)
			ts.clear()
			require.NoError(t, err, r.what)
			if answer.Status == http.StatusInternalServerError {
				panics++
				require.Equal(t, "internal", answer.Code(), r.what)
				r.requireEffects(t, 0)
				answer = r.again(t, c)
			}
			require.False(t, isReplay(answer), r.what)
			r.settle(t, c, answer)
		}
	})
}

// Proves G3.7.
func TestRetryAfterAHangUpHasTheOriginalReply(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) {
		random := racing.Seeded(t)
		ts, c, rs := trapped(t, random, engine)
		done := 0
		for hungUp := 0; hungUp < keyRounds; {
			r := rs.next(t, c)
			ctx, hangUp := context.WithCancel(t.Context())
			ts.at(r.key, 1+random.IntN(maxStatements), hangUp)
			_, err := r.send(ctx, c)
			if err != nil {
				require.ErrorIs(t, err, context.Canceled, r.what)
				hungUp++
			}
			hangUp()
			answer := r.again(t, c)
			if isReplay(answer) {
				done++
			}
			r.settle(t, c, answer)
		}
		t.Logf("of the aborted requests %d were executed", done)
	})
}
