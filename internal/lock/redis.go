package lock

import (
	"container/list"
	"context"
	crand "crypto/rand"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	defaultTTL            = 10 * time.Second
	defaultPollEvery      = 500 * time.Millisecond
	defaultCommandTimeout = time.Second
)

// RedisOptions configure a Redis locker. Zero values select the defaults.
type RedisOptions struct {
	// Prefix precedes the key in the name of its Redis string. All processes of an
	// installation use the same prefix.
	Prefix string
	// Channels precedes the process id in the name of the process's wake channel.
	Channels string
	// TTL is the time after which the lock of a dead holder expires, 10 s by default. The
	// locker extends the lock of a live holder after a quarter to a half of the TTL.
	TTL time.Duration
	// PollEvery is the interval at which a waiter polls if it is not woken, 500 ms by
	// default.
	PollEvery time.Duration
	// CommandTimeout bounds one command to Redis, 1 s by default.
	CommandTimeout time.Duration
	Observer       Observer
	// Logger receives failures of the background work; nil discards them.
	Logger *slog.Logger
}

// Redis is the Locker of many processes.
//
// Within a process each key has one queue. Only the claim at the front of the queue talks
// to Redis about the key: it holds the lock, or it waits for the lock in Redis. A release
// passes the lock to the next claim of the queue in the same command, unless the first
// waiter of another process has waited longer; then a message wakes that process. So
// waiters are served in FIFO order across processes too, to within the latency of one
// command, and a waiter of a dead process delays the others by a few poll intervals at
// most.
//
// The validity of a claim is measured on the monotonic clock, starting before the command
// that acquired or extended it was sent. So the claim ends in this process before it ends
// in Redis.
//
// When Redis cannot be reached, Acquire fails with ErrUnavailable. A lock that could not be
// released is released when Redis is reachable again, or expires with its TTL.
type Redis struct {
	client         redis.UniversalClient
	prefix         string
	ttl            time.Duration
	pollEvery      time.Duration
	commandTimeout time.Duration
	observer       Observer
	logger         *slog.Logger
	// process is the id of this process; channel is its wake channel.
	process, channel string
	tokens           atomic.Int64

	mu sync.Mutex
	// queues contains the keys that this process has locked or waits for.
	queues map[string]*keyQueue
	// cleanups are claims that Redis may still store although this process abandoned them.
	cleanups []cleanup
	// cleanupQueued receives when a cleanup is added.
	cleanupQueued chan struct{}

	cancel     context.CancelFunc
	background sync.WaitGroup
}

// redisClaim is one caller's claim to one key.
type redisClaim struct {
	key   string
	token string
	lease *redisLease
	// arrived is when the caller started to wait.
	arrived time.Time
	// requested reports whether the claim has requested the lock from Redis.
	requested bool
	// turn receives once, when the claim reaches the front of its queue. It is nil for a
	// claim that found the queue empty.
	turn chan turn

	// The rest is guarded by Redis.mu.

	// place is the element in the queue; nil at the front, and after leaving the queue.
	place *list.Element
	// wake receives when the lock may be free; created on first use.
	wake chan struct{}
	// callerLeft is set if the caller left while a release was passing the lock to the
	// claim.
	callerLeft bool
	// held is true from the grant to the release or the loss.
	held  bool
	since time.Time
	// confirmed is the time at which the last command that renewed the full TTL was sent.
	confirmed time.Time
	expiry    *time.Timer
}

// NewRedis returns a Locker on Redis. It sends no lock command before the first Acquire.
// Close ends its background work. The caller owns the client, which must not retry a
// command after a lost reply.
func NewRedis(client redis.UniversalClient, options RedisOptions) *Redis {
	l := &Redis{
		client: client, prefix: options.Prefix,
		ttl: options.TTL, pollEvery: options.PollEvery, commandTimeout: options.CommandTimeout,
		observer: options.Observer, logger: options.Logger,
		process: crand.Text(), queues: make(map[string]*keyQueue), cleanupQueued: make(chan struct{}, 1),
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
	l.background.Go(func() { l.maintain(ctx) })
	l.background.Go(func() { l.listen(ctx) })
	l.background.Go(func() { l.report(ctx) })
	return l
}

// Close ends the background work. Locks that are still held expire with their TTL.
func (l *Redis) Close() {
	l.cancel()
	l.background.Wait()
}
