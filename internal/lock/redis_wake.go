package lock

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// pingEvery is the silence after which the process pings its wake connection. A dead
// connection is detected within twice that time; until then waiters poll.
const pingEvery = 5 * time.Second

// listen wakes this process's waiters on messages from other processes, until ctx ends.
func (l *Redis) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := l.receive(ctx)
		if ctx.Err() != nil {
			return
		}
		l.logger.WarnContext(ctx, "lock: wake-up connection lost; will reconnect", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(jittered(maxPause)):
		}
	}
}

// receive returns when the connection is broken or ctx ends.
func (l *Redis) receive(ctx context.Context) error {
	pubsub := l.client.Subscribe(ctx, l.channel)
	// A blocked read ends with its connection, not with ctx.
	stop := context.AfterFunc(ctx, func() { _ = pubsub.Close() })
	defer func() {
		if stop() {
			_ = pubsub.Close()
		}
	}()
	pinged := false
	for {
		received, err := pubsub.ReceiveTimeout(ctx, pingEvery)
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() && !pinged {
			pinged, err = true, pubsub.Ping(ctx)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		pinged = false
		switch message := received.(type) {
		case *redis.Subscription:
			// Messages sent before the subscription are lost.
			l.wakeAll()
		case *redis.Message:
			l.wake(message.Payload)
		}
	}
}

// wake wakes the waiter for the lock with this name in Redis.
func (l *Redis) wake(lockName string) {
	key := strings.TrimPrefix(lockName, l.lockName(""))
	l.mu.Lock()
	defer l.mu.Unlock()
	if q := l.queues[key]; q != nil {
		q.front.signalWake()
	}
}

func (l *Redis) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.queues {
		q.front.signalWake()
	}
}

// signalWake makes a waiting claim request the lock again; a claim with a request in flight sends
// one more. It requires mu.
func (c *redisClaim) signalWake() {
	select {
	case c.wakeChannel() <- struct{}{}:
	default:
	}
}

// wakeChannel creates the channel on first use. It requires mu.
func (c *redisClaim) wakeChannel() chan struct{} {
	if c.wake == nil {
		c.wake = make(chan struct{}, 1)
	}
	return c.wake
}
