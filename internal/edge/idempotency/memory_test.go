package idempotency

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/epoch"
	"interlock/internal/edge/httpapi"
)

// now is the default epoch of the tests.
const now epoch.Epoch = "now"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestMemoryReturnsUnexpiredRecordsOfTheSameKey(t *testing.T) {
	var m memory
	here := scopedKey{1, "user:7", "k"}
	require.Nil(t, m.get(now, here, noon))
	m.put(now, here, &answer{seenRecord: seenRecord{id: 5, until: noon.Add(time.Second)}})
	require.EqualValues(t, 5, m.get(now, here, noon).id)
	for _, elsewhere := range []scopedKey{{2, "user:7", "k"}, {1, "user:8", "k"}, {1, "user:7", "K"}} {
		require.Nil(t, m.get(now, elsewhere, noon), elsewhere)
	}
	require.Nil(t, m.get(now, here, noon.Add(time.Second)))
	m.put(now, here, &answer{seenRecord: seenRecord{id: 6, until: noon.Add(time.Hour)}})
	require.EqualValues(t, 6, m.get(now, here, noon.Add(time.Second)).id, "a new record replaces an expired one")
}

func TestMemoryIsBoundedAndRetainsReadEntries(t *testing.T) {
	var m memory
	require.Nil(t, m.get(now, scopedKey{}, noon))
	at := func(i int) scopedKey { return scopedKey{1, "user:7", fmt.Sprint("k-", i)} }
	body := []byte(strings.Repeat("x", 100<<10))
	for i := range 400 {
		m.put(now, at(i), &answer{seenRecord: seenRecord{id: int64(i), until: noon.Add(time.Hour)}, reply: httpapi.StoredReply{Status: 200, Body: body}})
		require.NotNil(t, m.get(now, at(0), noon), "read after each write")
	}
	held := 0
	for i := range 400 {
		if stored := m.young[at(i)]; stored != nil {
			held += stored.size()
		}
		if stored := m.old[at(i)]; stored != nil {
			held += stored.size()
		}
	}
	require.LessOrEqual(t, held, memorySize)
	require.Greater(t, held, memorySize/4, "uses the available room")
	require.Nil(t, m.get(now, at(1), noon), "the oldest entry without a read is evicted")
	require.NotNil(t, m.get(now, at(399), noon))
}
