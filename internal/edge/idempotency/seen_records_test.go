package idempotency

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func seenAt(id int64, created, ttl time.Duration) seenRecord {
	return seenRecord{id: id, created: noon.Add(created), until: noon.Add(created + ttl)}
}

func TestPruneRetainsNewestAndLastExpiringRecords(t *testing.T) {
	var s seenRecords
	s.add(seenAt(1, 0, 48*time.Hour))
	s.add(seenAt(2, time.Second, 48*time.Hour))
	for i := range int64(20) {
		s.add(seenAt(100+i, time.Minute+time.Duration(i)*time.Second, 24*time.Hour))
	}
	found := append(seenRecords(nil), s...)
	s.add(seenAt(200, time.Hour, 24*time.Hour))
	s.prune(found)
	ids := map[int64]bool{}
	for _, one := range s {
		ids[one.id] = true
	}
	want := map[int64]bool{2: true, 200: true}
	for id := int64(112); id < 120; id++ {
		want[id] = true
	}
	require.Equal(t, want, ids, "unchecked records are retained")
}

func TestSeenRecordsAreBounded(t *testing.T) {
	var s seenRecords
	const all = 10 * maxSeenRecords
	for i := range int64(all) {
		s.add(seenAt(i, time.Duration(i)*time.Millisecond, time.Hour))
		require.LessOrEqual(t, len(s), maxSeenRecords)
		require.EqualValues(t, i, s[len(s)-1].id, "the newest is always retained")
	}
}
