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
	// defaultPingEvery is half the maximum time until a dead connection is detected.
	defaultPingEvery = 10 * time.Second
	// Pauses between reconnection attempts, with jitter.
	minPause = 50 * time.Millisecond
	maxPause = 2 * time.Second
)

// RedisOptions configure a Redis bus.
type RedisOptions struct {
	// Prefix precedes the topic in the channel name. All processes of an installation use
	// the same prefix.
	Prefix string
	// Buffer is the number of events by which a subscriber can fall behind before it lags,
	// at least one.
	Buffer int
	// PingEvery is the interval of the connection's keepalive; 0 means 10 s.
	PingEvery time.Duration
	// Logger receives lost connections; nil discards them.
	Logger *slog.Logger
}

// Redis is the Bus of many processes over Redis pub/sub.
//
// Each process has one connection, subscribed to the pattern "<prefix>*", and fans out
// locally. After a reconnection every subscriber lags, and no reader can resume from an
// earlier cursor.
type Redis struct {
	*hub
	client    redis.UniversalClient
	prefix    string
	pingEvery time.Duration
	logger    *slog.Logger

	// ready is closed when the connection is established for the first time; failed
	// receives the error if it is not.
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

// NewRedis connects and returns when the subscription is established, or the error that prevented
// it. ctx bounds only the connection set-up. The bus reconnects after a lost connection until Close
// is called. The caller owns the client.
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

// Publish implements Bus. After a lost reply the client sends the event again, which may
// duplicate it.
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
	// One node for all topics, so that their order is shared.
	node, err := redisconn.NodeOf(ctx, b.client, b.prefix)
	if err != nil {
		return err
	}
	return node.Publish(ctx, channel, message).Err()
}

// Close ends the connection and all subscriptions. Further calls do nothing.
func (b *Redis) Close() {
	b.cancel()
	<-b.ended
	b.close()
}

// run maintains a connection until ctx ends.
func (b *Redis) run(ctx context.Context) {
	defer close(b.ended)
	pause := minPause
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
			pause = minPause
			b.logger.WarnContext(ctx, "events: Redis connection lost", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause/2 + rand.N(pause/2)):
			pause = min(2*pause, maxPause)
		}
	}
}

// listen receives on one connection until it fails or ctx ends, and reports whether the
// connection was established.
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

// subscribed is called on each confirmation of the subscription. A later confirmation
// follows a gap; at the first one there are no subscribers yet.
func (b *Redis) subscribed(ctx context.Context) {
	select {
	case <-b.ready:
		b.logger.InfoContext(ctx, "events: Redis connection re-established")
		b.lagAll()
	default:
		close(b.ready)
	}
}

// watch closes the connection when ctx ends or when nothing was received for a full
// interval after a ping.
func (b *Redis) watch(ctx context.Context, pubsub *redis.PubSub, heard *atomic.Int64) {
	// The connection is being discarded, so its error is irrelevant.
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

// receive fans a message out. A message that this process cannot decode, for example from a
// newer release, counts as missed.
func (b *Redis) receive(message *redis.Message) {
	topic := strings.TrimPrefix(message.Channel, b.prefix)
	var e envelope
	if err := json.Unmarshal([]byte(message.Payload), &e); err != nil {
		b.lag(topic)
		return
	}
	// deliver fails only while the bus is closing, when no subscriber is left.
	_ = b.deliver(Event{ID: e.ID, Topic: topic, Tenant: e.Tenant, Key: e.Key, Payload: e.Payload})
}

// pattern matches the channels of all topics.
func (b *Redis) pattern() string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(b.prefix) + "*"
}
