package flashsale_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/test/world"
)

// Proves G5.18.
func TestSaleWithReplicaRuleRejectsWithoutReplica(t *testing.T) {
	now := clock.NewFake(world.Opening)
	client := redistest.Connect(t, redistest.SharedURL(t)) // which has no replica
	queues := mq.NewRedis(client, fmt.Sprintf("alone:%d:", rand.Uint64()), mq.Options{Clock: now})
	s := newMarket(storagetest.Tenant(t), t, storagetest.SQLite(t), now, queues, gate.NewRedis(client, queues, now))
	sale := s.open(t, object{"quantity": 10, "replicas": 1})
	require.EqualValues(t, 1, s.must(t, 200, "GET", sale, nil).Body["replicas"])

	unsafe := s.buy(t, sale, 1, 1)
	require.Equal(t, []any{503, "outcome_unknown"}, []any{unsafe.Status, unsafe.Body["code"]})
	require.Contains(t, unsafe.Body["detail"], "is not stored yet as safely")
	ticket := s.ticket(t, sale, 1, unsafe.Body["ticket"])
	require.Equal(t, "queued", ticket["status"], "its customer can follow it")
	refused := s.buy(t, sale, 2, 1)
	require.Equal(t, []any{503, "unavailable"}, []any{refused.Status, refused.Body["code"]})
	require.Contains(t, refused.Body["detail"], "Nothing was bought.")
	require.EqualValues(t, 9, s.numbers(t, sale).Remaining)

	etag := s.must(t, 200, "GET", sale, nil).Header.Get("ETag")
	s.must(t, 200, "PATCH", sale, object{"replicas": nil}, "If-Match", etag)
	require.Equal(t, 202, s.buy(t, sale, 2, 1).Status, "an open sale can be changed to need none")
}

func TestNumberOfSaleReplicasIsBounded(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		for _, wrong := range []any{0, -1, 11, 1.5, "1"} {
			answer := s.send(t, "POST", "/flash-sales", termsWith(object{"replicas": wrong}))
			require.Contains(t, []int{400, 422}, answer.Status, wrong)
		}
		sale := s.open(t, object{"replicas": 2})
		require.Equal(t, 202, s.buy(t, sale, 1, 1).Status, "a gate in SQL is as safe as SQL")
	})
}
