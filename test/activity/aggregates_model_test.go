package activity

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/aggregates"
	"interlock/internal/base/storage/storagetest"
)

// modelEvent is an event of a generated request.
type modelEvent struct {
	seq  int    // 0: none
	id   string // "": none
	kind string
}

// model is an aggregate in memory that follows the contract.
type model struct {
	version int
	kinds   aggregates.Counters
	writers map[string]int64
	bySeq   map[string]modelEvent
	byID    map[string]modelEvent
}

// verdict returns the response that the contract requires: "" for 201 or the error code, and the index
// of the first invalid event, -1 for none.
func (m *model) verdict(client string, enforce bool, expected int, events []modelEvent) (code string, index int) {
	seqs, ids, last := map[int]bool{}, map[string]bool{}, 0
	for _, e := range events {
		if enforce && e.seq == 0 || e.seq != 0 && seqs[e.seq] || e.id != "" && ids[e.id] || enforce && e.seq < last {
			return "validation_failed", -1
		}
		seqs[e.seq], ids[e.id], last = true, true, e.seq
	}
	for i, e := range events {
		numbered, hasSeq := m.bySeq[key(client, e)]
		named, hasID := m.byID[e.id]
		otherID := hasSeq && numbered.id != "" && e.id != "" && numbered.id != e.id
		switch {
		case hasSeq && numbered.kind != e.kind, otherID, hasID && named.kind != e.kind:
			return mismatch, i
		case hasSeq, hasID:
			return landed, i
		case enforce && int64(e.seq) <= m.writers[client]:
			return superseded, i
		}
	}
	if expected >= 0 && expected != m.version {
		return "version_conflict", -1
	}
	return "", -1
}

func (m *model) apply(client string, events []modelEvent) {
	for _, e := range events {
		m.version++
		m.kinds[e.kind]++
		if e.seq != 0 {
			m.bySeq[key(client, e)] = e
			m.writers[client] = max(m.writers[client], int64(e.seq))
		}
		if e.id != "" {
			m.byID[e.id] = e
		}
	}
}

func key(client string, e modelEvent) string {
	if e.seq == 0 {
		return ""
	}
	return fmt.Sprint(client, "/", e.seq)
}

// body returns the request of generated events.
func body(client string, enforce bool, expected int, events []modelEvent) object {
	var sent []object
	for _, e := range events {
		event := object{"eventType": e.kind, "eventTime": "2026-11-21T07:00:00Z", "deltas": object{e.kind: 1}}
		if e.seq != 0 {
			event["clientSeq"] = e.seq
		}
		if e.id != "" {
			event["eventId"] = e.id
		}
		sent = append(sent, event)
	}
	request := object{"clientId": client, "enforceClientIdempotency": enforce, "events": sent}
	if expected >= 0 {
		request["expectedVersion"] = expected
	}
	return request
}

var anyModelEvent = rapid.Custom(func(t *rapid.T) modelEvent {
	return modelEvent{
		seq: rapid.IntRange(0, 6).Draw(t, "seq"), id: rapid.SampledFrom([]string{"", "", "e", "f", "g"}).Draw(t, "id"),
		kind: rapid.SampledFrom([]string{"in", "in", "in", "out"}).Draw(t, "kind"),
	}
})

// Proves G3.29.
func TestRandomEventsFollowTheContractAndCountOnce(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	b := openBooks(ctx, t, db)
	var written int
	rapid.Check(t, func(r *rapid.T) {
		written++
		id := fmt.Sprint("m", written)
		m := model{kinds: aggregates.Counters{}, writers: map[string]int64{}, bySeq: map[string]modelEvent{}, byID: map[string]modelEvent{}}
		for range rapid.IntRange(1, 12).Draw(r, "requests") {
			client := rapid.SampledFrom([]string{"a", "b"}).Draw(r, "client")
			enforce := rapid.Bool().Draw(r, "enforce")
			expected := rapid.SampledFrom([]int{-1, -1, m.version, m.version - 1}).Draw(r, "expected")
			events := rapid.SliceOfN(anyModelEvent, 1, 3).Draw(r, "events")
			code, index := m.verdict(client, enforce, expected, events)

			a := b.write(t, "/aggregates/shelf/"+id, body(client, enforce, expected, events))
			if code == "" {
				m.apply(client, events)
				require.Equal(r, http.StatusCreated, a.Status, a.Body)
				require.EqualValues(r, m.version, a.Body["version"])
				continue
			}
			require.Equal(r, code, a.Body["code"], a.Body)
			if index >= 0 {
				require.EqualValues(r, index, a.Body["index"], a.Body)
			}
		}
		if m.version > 0 {
			b.requireBooks(t, id, m.kinds, m.writers)
		}
	})
}
