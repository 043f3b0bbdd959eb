package events

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/redisconn"
)

const (
	// defaultPingEvery bounds the time until a dead connection is noticed to
	// twice this.
	defaultPingEvery = 10 * time.Second
	// Pauses between attempts to connect again, with jitter.
	shortestPause = 50 * time.Millisecond
	longestPause  = 2 * time.Second
)

// RedisOptions tune a Redis bus.
type RedisOptions struct {
	// Prefix is put before the topic to name the channel. All processes of an
	// installation use the same one.
	Prefix string
	// Buffer is how many events a subscriber can fall behind before it lags,
	// at least one.
	Buffer int
	// PingEvery is the interval of the connection's life sign; 0 means 10 s.
	PingEvery time.Duration
	// Logger receives lost connections; nil discards them.
	Logger *slog.Logger
}

// Redis is the Bus of many processes over Redis pub/sub.
//
// Each process holds one connection, subscribed to the pattern "<prefix>*",
// and fans out locally. When a lost connection is established again, every
// subscriber lags, and nobody can come back to a place before.
type Redis struct {
	*hub
	client    redis.UniversalClient
	prefix    string
	pingEvery time.Duration
	logger    *slog.Logger

	// ready is closed when the connection is established for the first time, and
	// failed holds an error if it does not.
	ready  chan struct{}
	failed chan error
	cancel context.CancelFunc
	ended  chan struct{}
}

// envelope is the message on the wire; the channel name carries the topic.
type envelope struct {
	ID      string          `json:"id,omitempty"`
	Tenant  int64           `json:"tenant"`
	Key     string          `json:"key"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// NewRedis connects and returns when events arrive, or with the error that
// keeps them from it. Ctx bounds the connecting only. Lost connections are
// replaced until Close. The client remains the caller's.
func NewRedis(ctx context.Context, client redis.UniversalClient, options RedisOptions) (*Redis, error) {
	b := &Redis{
		hub:       newHub(options.Buffer),
		client:    client,
		prefix:    options.Prefix,
		pingEvery: options.PingEvery,
		logger:    options.Logger,
		ready:     make(chan struct{}),
		failed:    make(chan error, 1),
		ended:     make(chan struct{}),
	}
	if b.pingEvery <= 0 {
		b.pingEvery = defaultPingEvery
	}
	if b.logger == nil {
		b.logger = slog.New(slog.DiscardHandler)
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	b.cancel = cancel
	go b.run(running)

	var err error
	select {
	case <-b.ready:
		return b, nil
	case err = <-b.failed:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	b.Close()
	return nil, fmt.Errorf("subscribe to Redis channels %q: %w", b.pattern(), err)
}

// Publish implements Bus. A lost reply makes the client send the event again,
// which may double it.
func (b *Redis) Publish(ctx context.Context, event Event) error {
	if err := event.validate(); err != nil {
		return err
	}
	message, err := json.Marshal(envelope{ID: event.ID, Tenant: event.Tenant, Key: event.Key, Payload: event.Payload})
	if err != nil {
		return fmt.Errorf("encode %s event %q: %w", event.Topic, event.Key, err)
	}
	select {
	case <-b.ended:
		err = ErrClosed
	default:
		err = b.send(ctx, b.prefix+event.Topic, message)
	}
	if err != nil {
		return fmt.Errorf("publish %s event %q: %w", event.Topic, event.Key, err)
	}
	return nil
}

func (b *Redis) send(ctx context.Context, channel string, message []byte) error {
	// One node for all topics, so that order holds across them.
	node, err := redisconn.NodeOf(ctx, b.client, b.prefix)
	if err != nil {
		return err
	}
	return node.Publish(ctx, channel, message).Err()
}

// Close ends the connection and all subscriptions. Calling it again does
// nothing.
func (b *Redis) Close() {
	b.cancel()
	<-b.ended
	b.close()
}

// run keeps a connection until ctx ends.
func (b *Redis) run(ctx context.Context) {
	defer close(b.ended)
	pause := shortestPause
	for {
		established, err := b.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		select {
		case b.failed <- err:
		default:
		}
		if established {
			pause = shortestPause
			b.logger.WarnContext(ctx, "event connection to Redis lost", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause/2 + rand.N(pause/2)):
			pause = min(2*pause, longestPause)
		}
	}
}

// listen receives on one connection until it fails or ctx ends, and reports
// whether it was ever established.
func (b *Redis) listen(ctx context.Context) (established bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	pubsub := b.client.PSubscribe(ctx, b.pattern())
	var heard atomic.Int64
	var watching sync.WaitGroup
	watching.Go(func() { b.watch(ctx, pubsub, &heard) })
	defer watching.Wait()
	defer cancel()
	for {
		received, err := pubsub.Receive(ctx)
		if err != nil {
			return heard.Load() > 0, err
		}
		heard.Add(1)
		switch message := received.(type) {
		case *redis.Subscription:
			b.subscribed(ctx)
		case *redis.Message:
			b.receive(message)
		}
	}
}

// subscribed is called whenever the subscription is confirmed. It is confirmed
// again only after a gap; the first time there are no subscribers yet.
func (b *Redis) subscribed(ctx context.Context) {
	select {
	case <-b.ready:
		b.logger.InfoContext(ctx, "event connection to Redis is established again")
		b.lagAll()
	default:
		close(b.ready)
	}
}

// watch closes the connection when ctx ends or when nothing was heard for a
// whole interval after a ping.
func (b *Redis) watch(ctx context.Context, pubsub *redis.PubSub, heard *atomic.Int64) {
	// Its error is that of a connection that is being given up.
	defer func() { _ = pubsub.Close() }()
	ticker := time.NewTicker(b.pingEvery)
	defer ticker.Stop()
	for before := int64(-1); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := heard.Load()
		if now == before {
			return
		}
		before = now
		if err := pubsub.Ping(ctx); err != nil {
			return
		}
	}
}

// receive fans a message out. One that this process cannot read, say from a
// newer release, counts as missed.
func (b *Redis) receive(message *redis.Message) {
	topic := strings.TrimPrefix(message.Channel, b.prefix)
	var e envelope
	if err := json.Unmarshal([]byte(message.Payload), &e); err != nil {
		b.lag(topic)
		return
	}
	// Refused only when the bus is closing, when nobody listens any more.
	_ = b.deliver(Event{ID: e.ID, Topic: topic, Tenant: e.Tenant, Key: e.Key, Payload: e.Payload})
}

// pattern matches the channels of all topics.
func (b *Redis) pattern() string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(b.prefix) + "*"
}
