package events_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/events"
	"interlock/internal/events/eventstest"
	"interlock/test/tier"
)

const patience = 30 * time.Second

func TestRedisFulfillsTheContract(t *testing.T) {
	options := redisOptions(t)
	eventstest.Contract(t, func(t *testing.T, buffer int) eventstest.Bus {
		return newRedisBus(t, options, events.RedisOptions{Prefix: uniquePrefix(), Buffer: buffer})
	})
}

func TestEventsReachOtherProcesses(t *testing.T) {
	prefix := uniquePrefix()
	here := newRedisBus(t, redisOptions(t), events.RedisOptions{Prefix: prefix, Buffer: 8})
	there := newRedisBus(t, redisOptions(t), events.RedisOptions{Prefix: prefix, Buffer: 8})
	stranger := newRedisBus(t, redisOptions(t), events.RedisOptions{Prefix: uniquePrefix(), Buffer: 8})
	subscription := subscribe(t, there)
	strangers := subscribe(t, stranger)

	want := events.Event{Topic: "orders", Tenant: 3, Key: "1", Payload: json.RawMessage(`{}`)}
	require.NoError(t, here.Publish(t.Context(), want))
	require.Equal(t, events.Delivery{Event: want}, <-subscription.Deliveries())
	require.NoError(t, stranger.Publish(t.Context(), events.Event{Topic: "orders", Key: "own"}))
	require.Equal(t, "own", (<-strangers.Deliveries()).Event.Key, "the other installation's event must not arrive")
}

// Proves G7.4.
func TestReaderResumesAtAnotherProcess(t *testing.T) {
	prefix := uniquePrefix()
	here := newRedisBus(t, redisOptions(t), events.RedisOptions{Prefix: prefix, Buffer: 8})
	there := newRedisBus(t, redisOptions(t), events.RedisOptions{Prefix: prefix, Buffer: 8})
	heard := []*events.Subscription{subscribe(t, here), subscribe(t, there)}
	for i, id := range []string{"a", "b", "c"} {
		bus := []*events.Redis{here, there}[i%2]
		require.NoError(t, bus.Publish(t.Context(), events.Event{ID: id, Topic: "orders", Tenant: 1, Key: id}))
		for _, subscription := range heard {
			require.Equal(t, id, receive(t, subscription).Event.ID)
		}
	}
	for _, bus := range []*events.Redis{here, there} {
		back, err := bus.ResumeTenant(t.Context(), 1, "a", "orders")
		require.NoError(t, err)
		require.Equal(t, "b", receive(t, back).Event.Key)
		require.Equal(t, "c", receive(t, back).Event.Key)
	}
	late := newRedisBus(t, redisOptions(t), events.RedisOptions{Prefix: prefix, Buffer: 8})
	back, err := late.ResumeTenant(t.Context(), 1, "a", "orders")
	require.NoError(t, err)
	require.True(t, receive(t, back).Lagged, "a process that started later does not have the events")
}

// Proves G7.4.
func TestReadersDoNotResumeAcrossAGap(t *testing.T) {
	options := redisOptions(t)
	options.ClientName = "events-break-" + uuid.NewString()
	bus := newRedisBus(t, options, events.RedisOptions{Prefix: uniquePrefix(), Buffer: 8})
	subscription := subscribe(t, bus)
	require.NoError(t, bus.Publish(t.Context(), events.Event{ID: "a", Topic: "orders", Tenant: 1}))
	require.Equal(t, "a", receive(t, subscription).Event.ID)
	killSubscriber(t, options)
	require.True(t, receive(t, subscription).Lagged)
	for _, place := range []string{"a", subscription.Cursor()} {
		back, err := bus.ResumeTenant(t.Context(), 1, place, "orders")
		require.NoError(t, err)
		require.True(t, receive(t, back).Lagged)
	}
}

func TestSubscribersLagAfterACutConnectionAndResume(t *testing.T) {
	options := redisOptions(t)
	options.ClientName = "events-cut-" + uuid.NewString()
	bus := newRedisBus(t, options, events.RedisOptions{Prefix: uniquePrefix(), Buffer: 8})
	first, second := subscribe(t, bus), subscribe(t, bus)

	for round := range int64(2) {
		// Twice, with nothing in between: each gap has its own marker.
		for range 2 {
			killSubscriber(t, options)
			for _, subscription := range []*events.Subscription{first, second} {
				require.Equal(t, events.Delivery{Lagged: true}, receive(t, subscription))
			}
		}
		require.NoError(t, bus.Publish(t.Context(), events.Event{Topic: "orders", Tenant: round}))
		for _, subscription := range []*events.Subscription{first, second} {
			require.Equal(t, round, receive(t, subscription).Event.Tenant)
		}
	}
}

func TestSilentConnectionIsReplaced(t *testing.T) {
	options := redisOptions(t)
	link := newLink(t, options.Addr)
	options.Addr = link.addr()
	bus := newRedisBus(t, options, events.RedisOptions{Prefix: uniquePrefix(), Buffer: 8, PingEvery: 50 * time.Millisecond})
	subscription := subscribe(t, bus)
	link.freeze()
	require.Equal(t, events.Delivery{Lagged: true}, receive(t, subscription))
}

func TestIdleConnectionStaysOpen(t *testing.T) {
	// A late reply of a busy machine must arrive before the next ping.
	const pingEvery = 500 * time.Millisecond
	options := redisOptions(t)
	link := newLink(t, options.Addr)
	options.Addr = link.addr()
	bus := newRedisBus(t, options, events.RedisOptions{Prefix: uniquePrefix(), Buffer: 8, PingEvery: pingEvery})
	subscription := subscribe(t, bus)
	select {
	case got := <-subscription.Deliveries():
		require.FailNow(t, "nothing was published", "%+v", got)
	case <-time.After(3 * pingEvery):
	}
}

func TestUnreadableMessageCountsAsMissed(t *testing.T) {
	options := redisOptions(t)
	prefix := uniquePrefix()
	bus := newRedisBus(t, options, events.RedisOptions{Prefix: prefix, Buffer: 8})
	subscription := subscribe(t, bus)
	client := newClient(t, options)
	require.NoError(t, client.Publish(t.Context(), prefix+"configs", "not JSON").Err())
	require.NoError(t, client.Publish(t.Context(), prefix+"orders", "not JSON").Err())
	require.Equal(t, events.Delivery{Lagged: true}, receive(t, subscription))
	require.NoError(t, bus.Publish(t.Context(), events.Event{Topic: "orders", Key: "1"}))
	require.Equal(t, "1", receive(t, subscription).Event.Key)
}

func TestPrefixIsLiteral(t *testing.T) {
	options := redisOptions(t)
	prefix := uniquePrefix() + `[a]*?\`
	bus := newRedisBus(t, options, events.RedisOptions{Prefix: prefix, Buffer: 8})
	subscription := subscribe(t, bus)
	require.NoError(t, bus.Publish(t.Context(), events.Event{Topic: "orders", Key: "1"}))
	require.Equal(t, "1", receive(t, subscription).Event.Key)
}

func TestNewRedisReportsAnUnreachableServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := listener.Addr().String()
	require.NoError(t, listener.Close())
	client := newClient(t, &redis.Options{Addr: addr, MaxRetries: -1})
	_, err = events.NewRedis(t.Context(), client, events.RedisOptions{Prefix: "interlock:"})
	require.ErrorContains(t, err, `subscribe to Redis channels "interlock:*"`)
	require.ErrorContains(t, err, addr)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = events.NewRedis(ctx, client, events.RedisOptions{Prefix: "interlock:"})
	require.Error(t, err)
}

func redisOptions(t *testing.T) *redis.Options {
	t.Helper()
	tier.NeedServers(t)
	url := os.Getenv("INTERLOCK_TEST_REDIS_URL")
	require.NotEmpty(t, url, "INTERLOCK_TEST_REDIS_URL is not set: run through `make test`")
	options, err := redis.ParseURL(url)
	require.NoError(t, err)
	return options
}

func newClient(t *testing.T, options *redis.Options) *redis.Client {
	t.Helper()
	client := redis.NewClient(options)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}

func newRedisBus(t *testing.T, options *redis.Options, busOptions events.RedisOptions) *events.Redis {
	t.Helper()
	bus, err := events.NewRedis(t.Context(), newClient(t, options), busOptions)
	require.NoError(t, err)
	t.Cleanup(bus.Close)
	return bus
}

func uniquePrefix() string { return "test:" + uuid.NewString() + ":" }

func subscribe(t *testing.T, bus events.Bus) *events.Subscription {
	t.Helper()
	subscription, err := bus.Subscribe(t.Context(), "orders")
	require.NoError(t, err)
	return subscription
}

func receive(t *testing.T, subscription *events.Subscription) events.Delivery {
	t.Helper()
	select {
	case delivery := <-subscription.Deliveries():
		return delivery
	case <-time.After(patience):
		require.FailNow(t, "nothing was delivered")
		return events.Delivery{}
	}
}

// killSubscriber closes the one pub/sub connection with the client name.
func killSubscriber(t *testing.T, options *redis.Options) {
	t.Helper()
	admin := newClient(t, options)
	list, err := admin.Do(t.Context(), "CLIENT", "LIST", "TYPE", "pubsub").Text()
	require.NoError(t, err)
	var ids []string
	for line := range strings.Lines(list) {
		if strings.Contains(line, "name="+options.ClientName+" ") {
			id, _, _ := strings.Cut(strings.TrimPrefix(line, "id="), " ")
			ids = append(ids, id)
		}
	}
	require.Len(t, ids, 1, "a process has one connection for events")
	killed, err := admin.Do(t.Context(), "CLIENT", "KILL", "ID", ids[0]).Int()
	require.NoError(t, err)
	require.Equal(t, 1, killed)
}

// link forwards connections to a server. When frozen, its existing connections stay open
// and transfer nothing; new ones work. It ends when its clients have closed.
type link struct {
	listener net.Listener
	copies   sync.WaitGroup

	mu     sync.Mutex
	frozen chan struct{}
}

func newLink(t *testing.T, server string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &link{listener: listener, frozen: make(chan struct{})}
	l.copies.Go(func() { l.accept(server) })
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		l.copies.Wait()
	})
	return l
}

func (l *link) addr() string { return l.listener.Addr().String() }

func (l *link) accept(server string) {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", server)
		if err != nil {
			_ = near.Close()
			continue
		}
		l.mu.Lock()
		frozen := l.frozen
		l.mu.Unlock()
		l.copies.Go(func() { forward(near, far, frozen) })
		l.copies.Go(func() { forward(far, near, frozen) })
	}
}

// forward copies until the link is frozen, and then discards.
func forward(to io.WriteCloser, from io.Reader, frozen <-chan struct{}) {
	defer func() { _ = to.Close() }()
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		select {
		case <-frozen:
			continue
		default:
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (l *link) freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.frozen)
	l.frozen = make(chan struct{})
}

func TestRedisClusterFulfillsTheContract(t *testing.T) {
	client := redistest.Connect(t, redistest.NewCluster(t).URL())
	eventstest.Contract(t, func(t *testing.T, buffer int) eventstest.Bus {
		bus, err := events.NewRedis(t.Context(), client, events.RedisOptions{Prefix: uniquePrefix(), Buffer: buffer})
		require.NoError(t, err)
		t.Cleanup(bus.Close)
		return bus
	})
}
