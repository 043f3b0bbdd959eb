package mq_test

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"gorm.io/gorm"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/mq"
	"interlock/internal/mq/mqtest"
)

func TestMain(m *testing.M) {
	// The suite runs on four engines; the command line, parsed later, may request more
	// checks.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("database/sql.(*DB).connectionOpener"))
}

func uniquePrefix() string { return "test:" + uuid.NewString() + ":" }

// onRedis runs the steps of other packages in its own scripts, as those packages do.
type onRedis struct {
	*mq.Redis
	client redis.UniversalClient
}

func (r onRedis) step(ctx context.Context, queue, body, id string) error {
	found, err := redis.NewScript(mq.ScriptPrelude+body).Run(ctx, r.client, r.Open(queue).Keys().List(), id).Bool()
	if err == nil && !found {
		return mq.ErrNoSuchMessage
	}
	return err
}

func (r onRedis) RetryDead(ctx context.Context, queue, id string) error {
	return r.step(ctx, queue, "return retry_dead(ARGV[1]) and 1 or 0", id)
}

func (r onRedis) DiscardDead(ctx context.Context, queue, id string) error {
	return r.step(ctx, queue, "return discard_dead(ARGV[1]) and 1 or 0", id)
}

func (r onRedis) Purge(ctx context.Context, queue string) error {
	return r.step(ctx, queue, "purge() return 1", "")
}

// onSQL runs them in its own transactions.
type onSQL struct {
	*mq.SQL
	db *storage.DB
}

func (s onSQL) step(ctx context.Context, do func(tx *gorm.DB) error) error {
	return s.db.Transact(storage.AcrossTenants(ctx), time.Minute, do)
}

func (s onSQL) RetryDead(ctx context.Context, queue, id string) error {
	return s.step(ctx, func(tx *gorm.DB) error { return s.RetryDeadTx(tx, queue, id) })
}

func (s onSQL) DiscardDead(ctx context.Context, queue, id string) error {
	return s.step(ctx, func(tx *gorm.DB) error { return s.DiscardDeadTx(tx, queue, id) })
}

func (s onSQL) Purge(ctx context.Context, queue string) error {
	return s.step(ctx, func(tx *gorm.DB) error { return s.PurgeTx(tx, queue) })
}

func keepsTheContractOnRedis(t *testing.T, url string) {
	client := redistest.Connect(t, url)
	mqtest.Contract(t, func(*testing.T) mqtest.Broker {
		return onRedis{mq.NewRedis(client, uniquePrefix(), mq.Options{}), client}
	})
}

// Proves G5.4, G5.36.
func TestRedisFulfillsTheContract(t *testing.T) { keepsTheContractOnRedis(t, redistest.SharedURL(t)) }

// Proves G5.36.
func TestRedisClusterFulfillsTheContract(t *testing.T) {
	keepsTheContractOnRedis(t, redistest.NewCluster(t).URL())
}

// Proves G5.36.
func TestSQLiteFulfillsTheContract(t *testing.T) {
	mqtest.Contract(t, func(t *testing.T) mqtest.Broker {
		db := storagetest.SQLite(t)
		return onSQL{mq.NewSQL(db, clock.System{}, mq.Options{}), db}
	})
}

// Proves G5.4, G5.36.
func TestMariaDBFulfillsTheContract(t *testing.T) { keepsTheContractOn(t, storagetest.MariaDB(t)) }

// Some engines ignore SKIP LOCKED, and a row lock does not exclude transactions on other
// servers of a cluster.
// Proves G5.37.
func TestMariaDBFulfillsTheContractWithoutLocks(t *testing.T) {
	db, _ := storagetest.WithoutLocks(t)
	keepsTheContractOn(t, db)
}

// MariaDB before 10.6 does not support SKIP LOCKED. Depending on its version, TiDB either
// ignores SKIP LOCKED together with the preceding FOR UPDATE, or rejects it.
func TestRejectedSkipLockedIsNotRetried(t *testing.T) {
	db, tap := storagetest.TappedMariaDB(t)
	broker := mq.NewSQL(db, clock.System{}, mq.Options{})
	attempts := 0
	tap.Refuse(func(statement string) *storagetest.Refusal {
		if !strings.Contains(statement, "SKIP LOCKED") {
			return nil
		}
		attempts++
		return &storagetest.Refusal{Number: 1235, Message: "This version doesn't yet support 'SKIP LOCKED'"}
	})
	q := broker.Queue("plain")
	require.NoError(t, q.Enqueue(t.Context(), mq.Message{ID: "a"}, mq.Message{ID: "b"}))
	for _, id := range []string{"a", "b"} {
		b, err := q.Claim(t.Context(), 1, time.Nanosecond)
		require.NoError(t, err)
		require.Equal(t, id, b.Messages[0].ID)
	}
	reaped, err := q.Reap(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, reaped.Returned)
	require.Equal(t, 1, attempts)
	require.False(t, db.Capabilities().SkipLocked, "the capabilities report it")
}

// silent is a queue that does not respond to extensions of a lease until it is released.
type silent struct {
	mq.Queue
	released chan struct{}
}

func (s silent) Extend(context.Context, *mq.Batch, time.Duration) error {
	<-s.released
	return context.DeadlineExceeded
}

func TestHandlerIsCancelledAtLeaseEndWhileTheStoreHangs(t *testing.T) {
	const lease = 600 * time.Millisecond
	q := silent{mq.NewSQL(storagetest.SQLite(t), clock.System{}, mq.Options{}).Queue("silent"), make(chan struct{})}
	require.NoError(t, q.Enqueue(t.Context(), mq.Message{ID: "a"}))
	ctx, stop := context.WithCancel(t.Context())
	cancelled := make(chan error, 1)
	consumer := mq.NewConsumer(q, func(ctx context.Context, messages []mq.Message) []mq.Outcome {
		select {
		case <-ctx.Done():
			cancelled <- context.Cause(ctx)
		case <-time.After(20 * time.Second):
			cancelled <- nil
		}
		stop()
		return make([]mq.Outcome, len(messages))
	}, mq.ConsumerOptions{Lease: lease})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		consumer.Run(ctx)
	}()
	require.ErrorIs(t, <-cancelled, mq.ErrLeaseLost)
	close(q.released)
	<-ended
}

func TestRepeatedlyOvertakenClaimReturnsNothing(t *testing.T) {
	db, tap := storagetest.WithoutLocks(t)
	broker := mq.NewSQL(db, clock.System{}, mq.Options{})
	q, name := broker.Queue("raced"), "UPDATE mq_messages SET state"
	messages := make([]mq.Message, 2*storage.MaxRuns)
	for i := range messages {
		messages[i] = mq.Message{ID: uuid.NewString()}
	}
	require.NoError(t, q.Enqueue(t.Context(), messages...))
	first := 0
	var comeFirst func()
	comeFirst = func() {
		if b, err := q.Claim(t.Context(), 1, time.Hour); err != nil || b == nil {
			t.Errorf("claimed %v: %v", b, err)
		}
		first++
		tap.Before(name, comeFirst)
	}
	tap.Before(name, comeFirst)
	b, err := q.Claim(t.Context(), 1, time.Hour)
	require.NoError(t, err)
	require.Nil(t, b)
	require.Equal(t, storage.MaxRuns, first)
}

func keepsTheContractOn(t *testing.T, db *storage.DB) {
	mqtest.Contract(t, func(*testing.T) mqtest.Broker { return onSQL{mq.NewSQL(db, clock.System{}, mq.Options{}), db} })
}
