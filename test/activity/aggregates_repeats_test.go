package activity

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/aggregates"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/world"
)

const (
	landed     = "idempotency_violation"
	mismatch   = "payload_mismatch"
	superseded = "sequence_superseded"
	inFlight   = "inflight_duplicate"
)

// Proves G3.28.
func TestRepeatedSequenceIsDistinguishedByItsOutcome(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		require.EqualValues(t, 1, b.land(t, shelf, request("a", counted(5, "in"))))
		require.EqualValues(t, 2, b.land(t, shelf, request("a", counted(7, "in"))))

		never := b.refused(t, shelf, request("a", counted(6, "in")), http.StatusConflict, superseded)
		require.NotContains(t, never, "number")
		require.Equal(t, []any{0.0, "a", 6.0, nil, 7.0, 2.0}, world.Members(never, "index", "clientId", "clientSeq", "eventId", "highestSeq", "currentVersion"))

		b.land(t, shelf, request("b", counted(7, "in")))
		again := b.refused(t, shelf, request("a", counted(7, "in")), http.StatusConflict, landed)
		require.Equal(t, []any{2002.0, 0.0, "a", 7.0, nil, 2.0, 2.0, 1.0, 7.0, 3.0},
			world.Members(again, "number", "index", "clientId", "clientSeq", "eventId", "version", "eventVersion", "landed", "highestSeq", "currentVersion"))
		first := b.refused(t, shelf, request("a", counted(5, "in")), http.StatusConflict, landed)
		require.EqualValues(t, 1, first["version"], "one that is far below the highest has landed all the same")

		other := b.refused(t, shelf, request("a", counted(7, "out")), http.StatusConflict, mismatch)
		require.NotContains(t, other, "number")
		require.Equal(t, []any{0.0, 2.0, []any{"deltas"}}, world.Members(other, "index", "version", "differs"))
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 3}, map[string]int64{"a": 7, "b": 7})
	})
}

// Proves G3.30.
func TestBatchWithARecordedEventIsRejected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		b.land(t, shelf, request("a", counted(7, "in")))
		both := b.refused(t, shelf, request("a", counted(7, "in"), counted(8, "in")), http.StatusConflict, landed)
		require.Equal(t, []any{0.0, 1.0, 1.0}, world.Members(both, "index", "version", "landed"))
		second := b.refused(t, shelf, request("a", counted(6, "in"), counted(7, "in")), http.StatusConflict, superseded)
		require.EqualValues(t, 0, second["index"])
		second = b.refused(t, shelf, loose("a", called("x", "in"), counted(7, "in")), http.StatusConflict, landed)
		require.EqualValues(t, 1, second["index"])

		require.EqualValues(t, 4, b.land(t, shelf, request("a", counted(8, "in"), counted(9, "out"), counted(12, "in", "out"))))
		whole := b.refused(t, shelf, request("a", counted(8, "in"), counted(9, "out"), counted(12, "in", "out")), http.StatusConflict, landed)
		require.Equal(t, []any{4.0, 2.0, 3.0, 12.0}, world.Members(whole, "version", "eventVersion", "landed", "highestSeq"), "the reply of the first attempt")
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 3, "out": 2}, map[string]int64{"a": 12})
	})
}

// Proves G3.30.
func TestRepeatedConditionalWriteIsNoConflict(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		conditional := func(seq, expected int) object {
			return with(request("a", counted(seq, "in")), "expectedVersion", expected)
		}
		missing := b.refused(t, shelf, conditional(1, 3), http.StatusPreconditionFailed, "version_conflict")
		require.Equal(t, []any{3.0, 0.0, nil, nil}, world.Members(missing, "expectedVersion", "currentVersion", "currentEtag", "current"))
		require.EqualValues(t, 1, b.land(t, shelf, conditional(1, 0)))
		b.land(t, shelf, request("b", counted(1, "in")))

		again := b.refused(t, shelf, conditional(1, 0), http.StatusConflict, landed)
		require.EqualValues(t, 1, again["version"])
		stale := b.refused(t, shelf, conditional(2, 1), http.StatusPreconditionFailed, "version_conflict")
		require.Equal(t, []any{1.0, 2.0, b.Send(t, http.MethodGet, shelf, nil).Body}, world.Members(stale, "expectedVersion", "currentVersion", "current"))
		require.EqualValues(t, 3, b.land(t, shelf, conditional(2, 2)))
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 3}, map[string]int64{"a": 2, "b": 1})
	})
}

// Proves G3.28.
func TestEventIDIsUniqueAcrossWriters(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		b.land(t, shelf, loose("a", called("e-1", "in")))
		for name, body := range map[string]object{
			"the same":                      loose("a", called("e-1", "in")),
			"by another client":             loose("b", called("e-1", "in")),
			"with a number":                 request("a", with(called("e-1", "in"), "clientSeq", 4)),
			"its time in another zone":      loose("a", with(called("e-1", "in"), "eventTime", "2026-11-21T15:00:00+08:00")),
			"its payload with another null": loose("a", with(called("e-1", "in"), "payload", nil)),
		} {
			again := b.refused(t, shelf, body, http.StatusConflict, landed)
			require.Equal(t, []any{2002.0, 1.0, "e-1"}, world.Members(again, "number", "version", "eventId"), name)
		}
		for member, value := range map[string]any{
			"eventType": "other", "eventTime": "2026-11-21T07:00:00.000001Z", "deltas": object{"in": 2}, "payload": object{"a": 1},
		} {
			other := b.refused(t, shelf, loose("a", with(called("e-1", "in"), member, value)), http.StatusConflict, mismatch)
			require.Equal(t, []any{member}, other["differs"])
		}
		require.EqualValues(t, 1, b.land(t, "/aggregates/shelf/other", loose("a", called("e-1", "in"))), "a name is unique within its aggregate")
		require.EqualValues(t, 1, b.land(t, "/aggregates/other/A-17", loose("a", called("e-1", "in"))))
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 1}, map[string]int64{})
	})
}

// Two events with equal content and different ids are two events. If the second were treated as a repeat
// of the first, it would be lost.
// Proves G3.28.
func TestReusedSequenceOfAnotherEventIsNoRepeat(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		b.land(t, shelf, request("a", with(counted(1, "in"), "eventId", "e-1")))
		other := b.refused(t, shelf, request("a", with(counted(1, "in"), "eventId", "e-2")), http.StatusConflict, mismatch)
		require.Equal(t, []any{"eventId"}, other["differs"])
		again := b.refused(t, shelf, request("a", counted(1, "in")), http.StatusConflict, landed)
		require.EqualValues(t, 1, again["version"])
		renumbered := b.refused(t, shelf, request("a", with(counted(2, "in"), "eventId", "e-1")), http.StatusConflict, landed)
		require.EqualValues(t, 1, renumbered["highestSeq"])
		b.land(t, shelf, request("a", with(counted(2, "in"), "eventId", "e-2")))
	})
}

func TestPayloadIsComparedByValueAndStoredUnchanged(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		body := func(payload string) string {
			return `{"clientId":"a","events":[{"eventId":"e","eventType":"t","eventTime":"2026-11-21T07:00:00Z","payload":` + payload + `}]}`
		}
		send := func(payload string) (int, any) {
			a := b.Send(t, http.MethodPost, shelf+"/events", body(payload))
			return a.Status, a.Body["code"]
		}
		status, _ := send(`{"b": 9007199254740993, "a": "\u00e9"}`)
		require.Equal(t, http.StatusCreated, status)
		_, code := send(`{"a":"é","b":9007199254740993}`)
		require.Equal(t, landed, code)
		_, code = send(`{"a":"é","b":9007199254740992}`)
		require.Equal(t, mismatch, code, "no digit is lost in the comparison")
		require.Contains(t, b.events(t, b.state(t, "A-17"))[0].Payload, `9007199254740993`)
	})
}

func TestUnenforcedSequencesAreUniqueInAnyOrder(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		b.land(t, shelf, loose("a", counted(7, "in")))
		b.land(t, shelf, loose("a", counted(6, "in")))
		b.refused(t, shelf, loose("a", counted(6, "in")), http.StatusConflict, landed)
		b.refused(t, shelf, request("a", counted(5, "in")), http.StatusConflict, superseded)
		event := called("", "in")
		delete(event, "eventId")
		b.land(t, shelf, loose("a", event))
		b.land(t, shelf, loose("a", event, event))
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 5}, map[string]int64{"a": 7})
	})
}

// Proves G3.28.
func TestConcurrentAttemptIsAnInFlightDuplicate(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		event := with(counted(1, "in"), "eventId", "e-1")
		name := aggregates.Name{Type: "shelf", ID: "A-17"}
		seq, id := int64(1), "e-1"
		first := aggregates.Write{Name: name, ClientID: "a", Enforce: true, Events: []aggregates.NewEvent{{
			ClientSeq: &seq, EventID: &id, Type: "counted", Time: time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC), Deltas: aggregates.Counters{"in": 1},
		}}}
		// The first attempt is paused before its COMMIT. On SQLite it uses the only write connection, so a
		// second attempt must get its response without one.
		require.NoError(t, b.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			written, err := b.service.Append(ctx, u, first, time.Second)
			require.NoError(t, err)
			require.EqualValues(t, 1, written.Version)
			for _, body := range []object{request("a", event), request("a", counted(1, "in")), loose("z", called("e-1", "in"))} {
				a := b.write(t, shelf, body)
				require.Equal(t, http.StatusConflict, a.Status, a.Body)
				require.Equal(t, []any{inFlight, 2013.0, 0.0}, world.Members(a.Body, "code", "number", "index"))
				require.Equal(t, "1", a.Header.Get("Retry-After"))
			}
			locked := b.Send(t, http.MethodPost, shelf+"/events?wait=0", request("b", counted(1, "in")))
			require.Equal(t, http.StatusLocked, locked.Status, "another writer waits for the aggregate for the requested time")
			return nil
		}))
		b.refused(t, shelf, request("a", event), http.StatusConflict, landed)
		// A repeat concurrent with another repeat gets the same response.
		require.NoError(t, b.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := b.service.Append(ctx, u, first, time.Second)
			require.ErrorContains(t, err, landed)
			b.refused(t, shelf, request("a", event), http.StatusConflict, landed)
			b.refused(t, shelf, request("a", with(event, "eventType", "other")), http.StatusConflict, mismatch)
			return nil
		}))
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 1}, map[string]int64{"a": 1})
	})
}

func TestInvalidEventIsRejectedByField(t *testing.T) {
	many := func(n int, event object) []object {
		events := make([]object, n)
		for i := range events {
			events[i] = with(event, "clientSeq", i+1)
		}
		return events
	}
	tooManyDeltas := object{}
	for i := range 51 {
		tooManyDeltas[clientName(i)] = 1
	}
	event := counted(1, "in")
	cases := map[string]struct {
		body    object
		pointer string
	}{
		"no client":                      {request("", event), "/clientId"},
		"a client with spaces":           {request(" a", event), "/clientId"},
		"a client that is too long":      {request(strings.Repeat("a", 129), event), "/clientId"},
		"no events":                      {request("a"), "/events"},
		"too many events":                {request("a", many(501, event)...), "/events"},
		"an expected version below 0":    {with(request("a", event), "expectedVersion", -1), "/expectedVersion"},
		"no sequence where it must be":   {request("a", event, called("e")), "/events/1/clientSeq"},
		"a sequence below 0":             {request("a", counted(-1)), "/events/0/clientSeq"},
		"a sequence twice":               {request("a", counted(1), counted(2), counted(1)), "/events/2/clientSeq"},
		"a sequence twice, unenforced":   {loose("a", counted(1), counted(1)), "/events/1/clientSeq"},
		"sequences that go down":         {request("a", counted(2), counted(1)), "/events/1/clientSeq"},
		"an id twice":                    {loose("a", called("e"), called("f"), called("e")), "/events/2/eventId"},
		"an empty id":                    {loose("a", called("")), "/events/0/eventId"},
		"an id with a control character": {loose("a", called("a\tb")), "/events/0/eventId"},
		"no type":                        {request("a", with(event, "eventType", "")), "/events/0/eventType"},
		"a type with a space":            {request("a", with(event, "eventType", "a b")), "/events/0/eventType"},
		"no time":                        {request("a", with(event, "eventTime", nil)), "/events/0/eventTime"},
		"a time that is not stored":      {request("a", with(event, "eventTime", "0999-12-31T23:59:59Z")), "/events/0/eventTime"},
		"a counter with a slash":         {request("a", with(event, "deltas", object{"a/b": 1})), "/events/0/deltas"},
		"too many deltas":                {request("a", with(event, "deltas", tooManyDeltas)), "/events/0/deltas"},
		"a payload that is too large":    {request("a", with(event, "payload", strings.Repeat("x", 64<<10))), "/events/0/payload"},
	}
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				a := b.write(t, shelf, c.body)
				require.Contains(t, []int{http.StatusUnprocessableEntity, http.StatusBadRequest}, a.Status, a.Body)
				require.Equal(t, c.pointer, a.Pointer(), a.Body)
			})
		}
		require.Empty(t, b.snapshot(t)["aggregates"])
		for _, path := range []string{"/aggregates/shelf/a%20b", "/aggregates/sh%20elf/a", "/aggregates/-/a", "/aggregates/" + strings.Repeat("a", 51) + "/a", "/aggregates/shelf/" + strings.Repeat("a", 129)} {
			a := b.write(t, path, request("a", event))
			require.Equal(t, http.StatusNotFound, a.Status, path)
		}
	})
}

// The reply under a key is stored for a while; the events are recognised for ever.
// Proves G3.32.
func TestKeyedEventsWithoutNamesCountOnce(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		nameless := called("", "in")
		delete(nameless, "eventId")
		body := loose("a", nameless, with(nameless, "deltas", object{"out": 1}), called("x", "in"))
		keyed := func(c *httpapitest.Caller, key string, body object) httpapitest.Answer {
			return c.Send(t, http.MethodPost, shelf+"/events", body, "X-Idempotency-Key", key)
		}
		first := keyed(b.Caller, "k-1", body)
		require.Equal(t, http.StatusCreated, first.Status, first.Body)
		require.Equal(t, first.Body, keyed(b.Caller, "k-1", body).Body)

		b.Clock.Advance(72 * time.Hour)
		require.NoError(t, b.Replies.Sweep(ctx, 100))
		again := keyed(b.Caller, "k-1", body)
		require.Equal(t, []any{409.0, landed, 2002.0, 3.0, 3.0}, world.Members(again.Body, "status", "code", "number", "version", "landed"))
		require.Equal(t, http.StatusCreated, keyed(b.Caller, "k-2", loose("a", nameless)).Status, "another key")
		require.Equal(t, http.StatusCreated, keyed(b.As(8, "Ana", "ledger:*"), "k-1", loose("a", nameless)).Status, "the same key of another caller")
		require.EqualValues(t, 6, b.land(t, shelf, loose("a", nameless)), "without a key")
		require.Equal(t, "/events/0/eventId", b.write(t, shelf, loose("a", called("@key/x", "in"))).Pointer())
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 5, "out": 1}, map[string]int64{})
	})
}
