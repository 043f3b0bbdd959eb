package idempotency

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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

func TestCachedRecordDecodesUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Record{
			ID: rapid.Int64().Draw(t, "id"), Fingerprint: rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "fingerprint"),
			Method: http.MethodPost, Path: rapid.String().Draw(t, "path"), Location: rapid.String().Draw(t, "location"),
			CipherKey: rapid.String().Draw(t, "key"), CreatedTime: noon.Add(time.Duration(rapid.Int32().Draw(t, "made")) * time.Microsecond), ExpiresTime: noon.Add(time.Duration(rapid.Int32().Draw(t, "expiry")) * time.Microsecond),
		}
		if rapid.Bool().Draw(t, "kept") {
			want.Reply = rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, "reply")
		}
		if rapid.Bool().Draw(t, "sealed") {
			want.SealedFingerprint = rapid.SliceOfN(rapid.Byte(), 1, 80).Draw(t, "sealed fingerprint")
		}
		var got Record
		require.True(t, got.decode(want.encode()))
		require.Equal(t, want, got)
		whole := want.encode()
		cut := whole[:rapid.IntRange(0, len(whole)-len(want.Reply)-1).Draw(t, "cut")]
		require.False(t, new(Record).decode(cut), "a truncated record is rejected")
	})
	require.False(t, new(Record).decode([]byte(`{"i":1}`)), "another encoding is rejected")
}

// FuzzCachedRecordDecoding verifies that decode rejects damaged bytes or returns a record that encodes to
// an equal one.
func FuzzCachedRecordDecoding(f *testing.F) {
	f.Add(Record{ID: 1, Fingerprint: make([]byte, 32), Method: "POST", Path: "/p", Reply: []byte("r"), ExpiresTime: noon}.encode())
	f.Add([]byte{encoding})
	f.Fuzz(func(t *testing.T, data []byte) {
		var record Record
		if !record.decode(data) {
			return
		}
		var again Record
		require.True(t, again.decode(record.encode()))
		require.Equal(t, record, again)
	})
}
