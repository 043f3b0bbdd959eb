package lock

import (
	"container/list"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/clock"
)

const (
	defaultTTL            = 10 * time.Second
	defaultPollEvery      = 500 * time.Millisecond
	defaultCommandTimeout = time.Second
	// longestOutage is how long Acquire goes on when Redis does not answer.
	longestOutage = time.Second
	// Pauses between attempts while Redis does not answer.
	shortestPause = 20 * time.Millisecond
	longestPause  = 300 * time.Millisecond
)

// RedisOptions tune a Redis locker. Zero values take the defaults.
type RedisOptions struct {
	// Prefix is put before the key to name its string in Redis. All processes of an
	// installation use the same one.
	Prefix string
	// Channels is put before a process's id to name the channel that wakes it.
	Channels string
	// TTL is how long a lock outlives a holder that has died, 10 s if not given.
	// A living holder's lock is extended at a third of it.
	TTL time.Duration
	// PollEvery is how soon a waiter that was not woken looks by itself, 500 ms if
	// not given.
	PollEvery time.Duration
	// CommandTimeout bounds one question to Redis, 1 s if not given.
	CommandTimeout time.Duration
	Observer       Observer
	// Logger receives what fails in the background; nil discards it.
	Logger *slog.Logger
}

// Redis is the Locker of many processes.
//
// Within a process a key has one queue. Its front alone talks to Redis about the
// key: it holds the lock or waits for it there. A holder that releases passes the
// lock to the waiter behind it in one step, unless the first waiter of another
// process has waited longer; then that process is woken by a message. So waiters
// are served first come, first served across processes too, up to the time that a
// command is under way, and a waiter whose process has died holds the others back
// for a few poll intervals at most.
//
// A lock's life is counted on the monotonic clock from before the command was sent
// that took or extended it, so it ends here before it ends there.
//
// When Redis cannot be reached, Acquire fails with ErrUnavailable. A lock that
// could not be released is released when Redis is back, or ends with its TTL.
type Redis struct {
	client         redis.UniversalClient
	prefix         string
	ttl            time.Duration
	pollEvery      time.Duration
	commandTimeout time.Duration
	observer       Observer
	logger         *slog.Logger
	// process names this process among the others, channel is where it is woken.
	process, channel string
	tokens           atomic.Int64

	mu sync.Mutex
	// queues holds the keys that this process holds or waits for, and no others.
	queues map[string]*queue
	// stale are claims that Redis may still know and nobody here wants.
	stale []staleClaim
	// goneStale is sent to when one is added.
	goneStale chan struct{}

	cancel     context.CancelFunc
	background sync.WaitGroup
}

// queue is one key's: its front talks to Redis, the others wait for their turn.
type queue struct {
	front   *redisClaim
	waiting list.List // of *redisClaim
}

// redisClaim is one caller's place at one key.
type redisClaim struct {
	key   string
	token string
	lease *redisLease
	// arrived is when it began to wait.
	arrived time.Time

	// turn receives once, when the claim has come to the front by another's leave:
	// with the lock or without it. Nil for a claim that came there at once.
	turn chan grantOrTurn

	// The rest is guarded by Redis.mu.

	// wake is sent to when the lock may be free, nil until it is needed.
	wake chan struct{}
	// place is where it waits, nil when it does not.
	place *list.Element
	// abandoned is set when its caller left while the lock was passed to it.
	abandoned bool
	// held is set from the grant to the release or the loss.
	held  bool
	since time.Time
	// confirmed is when the last command was sent that gave it a whole TTL.
	confirmed time.Time
	expiry    *time.Timer
}

// grantOrTurn tells a claim how it came to the front: with the lock, or after a
// pause it asks for it.
type grantOrTurn struct {
	granted bool
	pause   time.Duration
}

// staleClaim is to be released in the background until its life is over anyway.
type staleClaim struct {
	key, token string
	until      time.Time
}

// NewRedis returns a Locker on Redis. It asks nothing of Redis before the first
// Acquire; its background work ends with Close. The client remains the caller's and
// must not repeat commands whose reply was lost.
func NewRedis(client redis.UniversalClient, options RedisOptions) *Redis {
	l := &Redis{
		client: client, prefix: options.Prefix,
		ttl: options.TTL, pollEvery: options.PollEvery, commandTimeout: options.CommandTimeout,
		observer: options.Observer, logger: options.Logger,
		process: crand.Text(), queues: make(map[string]*queue), goneStale: make(chan struct{}, 1),
	}
	if l.ttl <= 0 {
		l.ttl = defaultTTL
	}
	if l.pollEvery <= 0 {
		l.pollEvery = defaultPollEvery
	}
	if l.commandTimeout <= 0 {
		l.commandTimeout = defaultCommandTimeout
	}
	if l.logger == nil {
		l.logger = slog.New(slog.DiscardHandler)
	}
	l.channel = options.Channels + l.process
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	l.background.Go(func() { l.watch(ctx) })
	l.background.Go(func() { l.listen(ctx) })
	l.background.Go(func() { l.report(ctx) })
	return l
}

// Close ends the background work. Locks that are still held end with their TTL.
func (l *Redis) Close() {
	l.cancel()
	l.background.Wait()
}

// Acquire implements Locker. A free key costs one round trip.
func (l *Redis) Acquire(ctx context.Context, wait time.Duration, keys ...string) (Lease, error) {
	sorted, err := lockOrder(keys)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("acquire lock %q: %w", sorted[0], context.Cause(ctx))
	}
	lease := newRedisLease(ctx, l, len(sorted))
	p := &patience{ctx: ctx}
	if wait > 0 {
		p.ends = clock.Mark().Add(wait)
	}
	defer p.end()
	for _, key := range sorted {
		c := lease.claim(key)
		if err := l.take(p, c); err != nil {
			lease.claims = lease.claims[:len(lease.claims)-1]
			_ = lease.Release(context.WithoutCancel(ctx))
			return nil, fmt.Errorf("acquire lock %q: %w", key, err)
		}
	}
	if errors.Is(context.Cause(lease.ctx), ErrLost) {
		_ = lease.Release(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("acquire lock %q: the first was lost while the last was waited for: %w", sorted, ErrLost)
	}
	return lease, nil
}

// patience is how long a caller waits for all its keys. Most need not wait at all, so
// its context is made when somebody does.
type patience struct {
	ctx context.Context
	// ends is zero for a caller that does not wait.
	ends   time.Time
	cancel context.CancelFunc
}

func (p *patience) waits() bool { return !p.ends.IsZero() }

// context ends with the caller's and with its patience.
func (p *patience) context() context.Context {
	if p.cancel == nil && p.waits() {
		p.ctx, p.cancel = context.WithDeadlineCause(p.ctx, p.ends, ErrNotAcquired)
	}
	return p.ctx
}

func (p *patience) end() {
	if p.cancel != nil {
		p.cancel()
	}
}

// take returns nil when c holds its key.
func (l *Redis) take(p *patience, c *redisClaim) error {
	contended, err := l.takeInTurn(p, c)
	waited := time.Duration(0)
	if contended && p.waits() {
		waited = clock.Since(c.arrived)
	}
	switch {
	case err == nil:
		l.observer.acquired(c.key, waited, contended)
	case !errors.Is(err, ErrUnavailable):
		l.observer.refused(c.key, waited)
	}
	return err
}

func (l *Redis) takeInTurn(p *patience, c *redisClaim) (contended bool, err error) {
	if l.enter(c, p.waits()) {
		return l.contend(p, c, 0)
	}
	if !p.waits() {
		return true, ErrNotAcquired
	}
	ctx := p.context()
	select {
	case turn := <-c.turn:
		if turn.granted {
			return true, nil
		}
		_, err := l.contend(p, c, turn.pause)
		return true, err
	case <-ctx.Done():
		return true, l.leaveQueue(ctx, c)
	}
}

// enter reports whether c has come to the front at once. Otherwise it has joined
// the queue if it waits.
func (l *Redis) enter(c *redisClaim, waits bool) (front bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[c.key]
	switch {
	case q == nil:
		l.queues[c.key] = &queue{front: c}
		return true
	case waits:
		c.turn = make(chan grantOrTurn, 1)
		c.place = q.waiting.PushBack(c)
	}
	return false
}

// leaveQueue withdraws a claim that is not at the front. If it has just come there,
// it is handed on.
func (l *Redis) leaveQueue(ctx context.Context, c *redisClaim) error {
	l.mu.Lock()
	if c.place != nil {
		l.queues[c.key].waiting.Remove(c.place)
		c.place = nil
		l.mu.Unlock()
		return context.Cause(ctx)
	}
	select {
	case turn := <-c.turn:
		l.mu.Unlock()
		if turn.granted {
			_ = l.giveBack(ctx, c)
		} else {
			l.stepAside(ctx, c)
		}
	default:
		// It is being passed the lock: who passes it sees this and goes on.
		c.abandoned = true
		l.mu.Unlock()
	}
	return context.Cause(ctx)
}

// contend asks Redis for the lock until it is granted, c no longer waits, or Redis
// cannot be reached. The claim is at the front of its queue; pause is what it waits
// before it asks, or to be woken, 0 for nothing.
func (l *Redis) contend(p *patience, c *redisClaim, pause time.Duration) (contended bool, err error) {
	var trouble outage
	waits := p.waits()
	isNew := c.turn == nil
	for {
		if pause > 0 && !l.await(p.context(), c, pause) {
			return contended, l.giveUp(p.context(), c, trouble.last)
		}
		sent := clock.Mark()
		reply, err := l.ask(p, c, isNew)
		isNew = false
		switch {
		case err == nil && reply.granted:
			l.mu.Lock()
			l.granted(c, sent)
			l.mu.Unlock()
			return contended, nil
		case err == nil && !waits:
			l.advance(c)
			return true, ErrNotAcquired
		case err == nil:
			contended, trouble = true, outage{}
			pause = l.pollAfter(reply.busyFor)
		case trouble.tooLong(err, waits):
			l.discard(c)
			return contended, err
		default:
			pause = trouble.pause(waits)
		}
	}
}

// ask asks Redis for the lock once. A new claim tries first whether nobody holds it or
// waits for it.
func (l *Redis) ask(p *patience, c *redisClaim, isNew bool) (lockReply, error) {
	if isNew {
		taken, err := l.takeFree(p.ctx, c.key, c.token)
		if taken || err != nil {
			return lockReply{granted: taken}, err
		}
	}
	command := lockCommand{key: c.key, process: l.channel, want: c.token, waited: clock.Since(c.arrived)}
	if p.waits() {
		command.waiterTTL = l.waiterTTL()
	}
	return l.run(p.ctx, command)
}

// giveUp takes c from the front because its caller waits no longer.
func (l *Redis) giveUp(ctx context.Context, c *redisClaim, trouble error) error {
	if trouble == nil {
		l.stepAside(ctx, c)
		return context.Cause(ctx)
	}
	l.discard(c)
	if cause := context.Cause(ctx); !errors.Is(cause, ErrNotAcquired) {
		return cause
	}
	// Nobody held it: nobody could be asked.
	return trouble
}

// outage counts the questions in a row that Redis did not answer.
type outage struct {
	failures int
	since    time.Time
	last     error
}

// tooLong notes a failure and reports whether it is time to fail. Without a wait
// there is one more attempt, which has the same token and so gets the answer that
// was lost.
func (o *outage) tooLong(err error, waits bool) bool {
	if o.failures == 0 {
		o.since = clock.Mark()
	}
	o.failures++
	o.last = err
	return o.failures > 1 && (!waits || clock.Since(o.since) >= longestOutage)
}

func (o *outage) pause(waits bool) time.Duration {
	if !waits {
		return 0
	}
	return jittered(min(shortestPause<<o.failures, longestPause))
}

// await returns when it is time to ask again, and false when c waits no longer.
func (l *Redis) await(ctx context.Context, c *redisClaim, atMost time.Duration) bool {
	l.mu.Lock()
	if c.wake == nil {
		c.wake = make(chan struct{}, 1)
	}
	woken := c.wake
	l.mu.Unlock()
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-woken:
		return true
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// waiterTTL is how long a waiter counts in Redis without a sign of life.
func (l *Redis) waiterTTL() time.Duration { return 4 * l.pollEvery }

// pollAfter is when a waiter that was not woken looks again: soon after the
// holder's claim would end, and otherwise at the poll interval.
func (l *Redis) pollAfter(busyFor time.Duration) time.Duration {
	if busyFor > 0 && busyFor < l.pollEvery {
		return busyFor + time.Millisecond
	}
	return jittered(l.pollEvery)
}

// granted makes c the holder. The caller holds mu.
func (l *Redis) granted(c *redisClaim, sent time.Time) {
	c.held, c.since, c.confirmed = true, clock.Mark(), sent
	c.expiry = time.AfterFunc(l.validity()-clock.Since(sent), func() { l.expire(c) })
}

// advance takes c from the front and lets the next in the queue have its turn
// without the lock.
func (l *Redis) advance(c *redisClaim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advanceLocked(c)
}

func (l *Redis) advanceLocked(c *redisClaim) {
	if next := l.nextBehind(c); next != nil {
		next.turn <- grantOrTurn{}
	}
}

// nextBehind puts the next in the queue to the front in place of c and returns it,
// or forgets the queue. The caller holds mu.
func (l *Redis) nextBehind(c *redisClaim) *redisClaim {
	q := l.queues[c.key]
	if q == nil || q.front != c {
		return nil
	}
	first := q.waiting.Front()
	if first == nil {
		delete(l.queues, c.key)
		return nil
	}
	q.front = q.waiting.Remove(first).(*redisClaim)
	q.front.place = nil
	return q.front
}

// stepAside takes c, which Redis knows as a waiter, from the front.
func (l *Redis) stepAside(ctx context.Context, c *redisClaim) {
	l.mu.Lock()
	alone := l.queues[c.key].waiting.Len() == 0
	l.mu.Unlock()
	if alone {
		// Otherwise others would count this process as a waiter until its patience
		// ends. Somebody behind c takes over its place instead.
		_, _ = l.run(ctx, lockCommand{key: c.key, process: l.channel})
	}
	l.advance(c)
}

// discard takes c from the front, whose last command may or may not have run.
func (l *Redis) discard(c *redisClaim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advanceLocked(c)
	l.goesStale(c)
}

// goesStale keeps a claim for the background to release. The caller holds mu.
func (l *Redis) goesStale(c *redisClaim) {
	l.stale = append(l.stale, staleClaim{key: c.key, token: c.token, until: clock.Mark().Add(l.ttl)})
	select {
	case l.goneStale <- struct{}{}:
	default:
	}
}

// giveBack releases a claim and passes the lock to the next in the queue. It
// returns ErrLost when the claim was lost before.
func (l *Redis) giveBack(ctx context.Context, c *redisClaim) error {
	l.mu.Lock()
	if !c.held {
		l.mu.Unlock()
		return fmt.Errorf("release lock %q: %w", c.key, ErrLost)
	}
	l.letGo(c)
	heldFor := clock.Since(c.since)
	l.mu.Unlock()
	defer l.observer.released(c.key, heldFor)

	for from := c; ; {
		next, reply, err := l.passOn(ctx, from)
		if err != nil {
			return fmt.Errorf("release lock %q: %w", c.key, err)
		}
		if from == c && !reply.released {
			l.logger.WarnContext(ctx, "a lock had ended before it was released", "key", c.key)
		}
		if next == nil || !l.hand(next, reply) {
			return nil
		}
		// Its caller left in this very moment.
		from = next
	}
}

// letGo ends the holding of a claim here. The caller holds mu.
func (l *Redis) letGo(c *redisClaim) {
	c.held = false
	c.expiry.Stop()
}

// passed is a reply with the time before its command was sent.
type passed struct {
	lockReply
	sent time.Time
}

// passOn releases the claim in Redis and, in the same step, asks for the lock on
// behalf of the next in the queue.
func (l *Redis) passOn(ctx context.Context, c *redisClaim) (next *redisClaim, reply passed, err error) {
	command := lockCommand{key: c.key, release: c.token}
	l.mu.Lock()
	if q := l.queues[c.key]; q != nil && q.front == c && q.waiting.Len() > 0 {
		next = l.nextBehind(c)
		command.process, command.want = l.channel, next.token
		command.waited, command.waiterTTL = clock.Since(next.arrived), l.waiterTTL()
	}
	l.mu.Unlock()
	reply.sent = clock.Mark()
	reply.lockReply, err = l.run(ctx, command)

	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.goesStale(c)
	}
	switch {
	case next == nil:
		// Who has come meanwhile asks for itself.
		l.advanceLocked(c)
	case err != nil && next.abandoned:
		l.goesStale(next)
		l.advanceLocked(next)
	case err != nil:
		next.turn <- grantOrTurn{}
	}
	return next, reply, err
}

// hand tells the next claim how it came to the front. It reports true when its
// caller has left, so that the claim has to be handed on.
func (l *Redis) hand(next *redisClaim, reply passed) (left bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if next.abandoned {
		return true
	}
	if reply.granted {
		l.granted(next, reply.sent)
	}
	next.turn <- grantOrTurn{granted: reply.granted, pause: l.pollAfter(reply.busyFor)}
	return false
}

// jittered returns d give or take a quarter.
func jittered(d time.Duration) time.Duration { return d*3/4 + rand.N(d/2+1) }
