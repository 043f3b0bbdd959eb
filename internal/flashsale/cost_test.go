package flashsale_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/test/world"
)

// commands records the commands of a client, except those that set up a connection.
type commands struct {
	mu   sync.Mutex
	sent []string
}

func (c *commands) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *commands) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		// If the server does not have a script, the client sends it.
		if cmd.Name() != "hello" && !redis.HasErrorPrefix(err, "NOSCRIPT") {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.sent = append(c.sent, strings.TrimSuffix(cmd.Name(), "sha"))
		}
		return err
	}
}

func (c *commands) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// take returns the commands since the last call.
func (c *commands) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	sent := c.sent
	c.sent = nil
	return sent
}

// costly is a shop on MariaDB and Redis that records statements and commands.
func costly(t *testing.T) (*market, *storagetest.Tap, *commands) {
	db, statements := storagetest.TappedMariaDB(t)
	now := clock.NewFake(world.Opening)
	client := redistest.Connect(t, redistest.SharedURL(t))
	sent := &commands{}
	client.AddHook(sent)
	queues := mq.NewRedis(client, fmt.Sprintf("cost:%d:", rand.Uint64()), mq.Options{Clock: now})
	return newMarket(storagetest.Tenant(t), t, db, now, queues, gate.NewRedis(client, queues, now)), statements, sent
}

func TestPurchaseCostsOneScriptAndNoStatement(t *testing.T) {
	s, statements, sent := costly(t)
	sale := s.open(t, object{"quantity": 2, "perUserLimit": 1})
	require.Equal(t, 202, s.buy(t, sale, 1, 1).Status)
	statements.Take()
	sent.take()

	require.Equal(t, 202, s.buy(t, sale, 2, 1).Status)
	require.Empty(t, statements.Take(), "of a sale read at most some seconds ago")
	require.Equal(t, []string{"eval"}, sent.take())

	require.Equal(t, "sold_out", s.buy(t, sale, 3, 1).Body["code"])
	require.Equal(t, []string{"eval"}, sent.take(), "the gate reports it once")
	require.Equal(t, "sold_out", s.buy(t, sale, 4, 1).Body["code"])
	require.Equal(t, []string{"eval"}, sent.take(), "this process caches it, and reads whether the customer has a ticket")
	require.Empty(t, statements.Take())

	s.Clock.Advance(6 * time.Second)
	require.Equal(t, "sold_out", s.buy(t, sale, 5, 1).Body["code"])
	require.Equal(t, []string{"SELECT flash_sales", "SELECT flash_sale_stocks"}, statements.Take(), "the cached sale expires")
}

func TestOrderBatchHasAConstantNumberOfStatements(t *testing.T) {
	s, statements, sent := costly(t)
	sale := s.open(t, object{"quantity": 150, "perUserLimit": 1})
	queue := s.queues.Queue(gate.QueueName(idOf(sale)))
	_, err := queue.Claim(s.Ctx, 100, time.Minute) // the first claim of a process registers the queue
	require.NoError(t, err)
	user := int64(0)
	for _, size := range []int{2, 100} {
		for range size {
			user++
			require.Equal(t, 202, s.buy(t, sale, user, 1).Status)
		}
		statements.Take()
		sent.take()
		batch, err := queue.Claim(s.Ctx, 100, time.Minute)
		require.NoError(t, err)
		require.Len(t, batch.Messages, size)
		outcomes := s.sales.Handler(idOf(sale))(s.worker(), batch.Messages)
		require.NoError(t, queue.Settle(s.Ctx, batch, outcomes))

		require.Equal(t, []string{
			"SELECT flash_sales", "SELECT flash_sale_stocks", "SELECT orders",
			"START TRANSACTION",
			"UPDATE flash_sale_stocks", "SET @one",
			"INSERT INTO orders", "SELECT orders", "INSERT INTO order_lines", "INSERT INTO order_histories",
			"UPDATE inventory_holds", "INSERT INTO inventory_holds",
			"INSERT INTO audit_entries", "INSERT INTO audit_targets",
			"SET @reached", "COMMIT",
		}, statements.Take(), "a batch of %d", size)
		require.Equal(t, []string{"eval", "eval", "eval", "eval"}, sent.take(), "claim, begin, settle with the gate, acknowledge")
		confirmed, _ := s.soldInSQL(t, sale)
		require.Equal(t, user, confirmed)
	}
}
