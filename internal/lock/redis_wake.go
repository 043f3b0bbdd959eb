package lock

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// lifeSign is how often the connection that wakes waiters is tried. A dead one is
// noticed within twice that; meanwhile waiters look by themselves.
const lifeSign = 5 * time.Second

// listen wakes this process's waiters on messages of others, until ctx ends.
func (l *Redis) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := l.receive(ctx)
		if ctx.Err() != nil {
			return
		}
		l.logger.WarnContext(ctx, "the connection that wakes waiters for locks was lost", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(jittered(longestPause)):
		}
	}
}

// receive returns when the connection is broken or ctx ends.
func (l *Redis) receive(ctx context.Context) error {
	pubsub := l.client.Subscribe(ctx, l.channel)
	// A read does not end with ctx, only with its connection.
	stop := context.AfterFunc(ctx, func() { _ = pubsub.Close() })
	defer func() {
		if stop() {
			_ = pubsub.Close()
		}
	}()
	asked := false
	for {
		received, err := pubsub.ReceiveTimeout(ctx, lifeSign)
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() && !asked {
			asked, err = true, pubsub.Ping(ctx)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		asked = false
		switch message := received.(type) {
		case *redis.Subscription:
			// What was said before is missed.
			l.wakeAll()
		case *redis.Message:
			l.wake(message.Payload)
		}
	}
}

// wake is told a lock's name.
func (l *Redis) wake(name string) {
	key := strings.TrimPrefix(name, l.lockName(""))
	l.mu.Lock()
	defer l.mu.Unlock()
	if q := l.queues[key]; q != nil {
		q.front.rouse()
	}
}

func (l *Redis) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.queues {
		q.front.rouse()
	}
}

// rouse lets a claim that waits ask again, or one that is asking ask once more. The
// caller holds mu.
func (c *redisClaim) rouse() {
	if c.wake == nil {
		c.wake = make(chan struct{}, 1)
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}
