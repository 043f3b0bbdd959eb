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

// RedisOptions tune a Redis locker. Zero values take the defaults.
type RedisOptions struct {
	// Prefix is put before the key to name its string in Redis. All processes of an
	// installation use the same one.
	Prefix string
	// Channels is put before a process's id to name the channel that wakes it.
	Channels string
	// TTL is how long a lock outlives a holder that has died, 10 s if not given.
	// A living holder's lock is extended when between a quarter and a half of it has passed.
	TTL time.Duration
	// PollEvery is how soon a waiter that was not woken asks by itself, 500 ms if
	// not given.
	PollEvery time.Duration
	// CommandTimeout bounds one command to Redis, 1 s if not given.
	CommandTimeout time.Duration
	Observer       Observer
	// Logger receives what fails in the background; nil discards it.
	Logger *slog.Logger
}

// Redis is the Locker of many processes.
//
// Within a process a key has one queue. Its front alone talks to Redis about the
// key: it holds the lock or waits for it there. A holder that releases passes the
// lock to the waiter behind it in the same command, unless the first waiter of another
// process has waited longer; then that process is woken by a message. So waiters
// are served first come, first served across processes too, up to the time that a
// command is under way, and a waiter whose process has died delays the others by a
// few poll intervals at most.
//
// A claim's life is counted on the monotonic clock from before the command was sent
// that took or extended it, so it ends here before it ends in Redis.
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
	queues map[string]*keyQueue
	// cleanups are claims that Redis may still know and that nobody here wants.
	cleanups []cleanup
	// cleanupQueued receives when one is added.
	cleanupQueued chan struct{}

	cancel     context.CancelFunc
	background sync.WaitGroup
}

// redisClaim is one caller's claim to one key.
type redisClaim struct {
	key   string
	token string
	lease *redisLease
	// arrived is when it began to wait.
	arrived time.Time
	// asked is whether Redis was asked for the lock on its behalf.
	asked bool
	// turn receives once, when the claim comes to the front of its queue. Nil for a
	// claim that found the queue empty.
	turn chan turn

	// The rest is guarded by Redis.mu.

	// place is its place in the queue; nil when it is at the front, or gone.
	place *list.Element
	// wake receives when the lock may be free; nil until it is needed.
	wake chan struct{}
	// callerLeft is set when its caller left while the lock was being passed to it.
	callerLeft bool
	// held is true from the grant to the release or the loss.
	held  bool
	since time.Time
	// confirmed is when the last command was sent that gave it a whole TTL.
	confirmed time.Time
	expiry    *time.Timer
}

// NewRedis returns a Locker on Redis. It asks nothing of Redis before the first
// Acquire; its background work ends with Close. The client remains the caller's and
// must not repeat commands whose reply was lost.
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

// Close ends the background work. Locks that are still held end with their TTL.
func (l *Redis) Close() {
	l.cancel()
	l.background.Wait()
}
