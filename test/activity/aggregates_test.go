package activity

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/aggregates"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/world"
)

// books is the service of aggregates.
type books struct {
	*world.World
	service *aggregates.Service
}

func openBooks(ctx context.Context, t testing.TB, db *storage.DB) *books {
	t.Helper()
	return openBooksWith(ctx, t, db, world.Options{})
}

func openBooksWith(ctx context.Context, t testing.TB, db *storage.DB, o world.Options) *books {
	t.Helper()
	b := &books{World: world.New(ctx, t, db, o)}
	b.service = aggregates.New(aggregates.Deps{DB: db, Bus: b.Bus})
	b.Serve(func(r *httpapi.Router) { aggregates.Routes(r, b.service) })
	return b
}

const shelf = "/aggregates/shelf/A-17"

// counted returns an event with a sequence that adds one to each counter.
func counted(seq int, counters ...string) object {
	deltas := object{}
	for _, name := range counters {
		deltas[name] = 1
	}
	return object{"clientSeq": seq, "eventType": "counted", "eventTime": "2026-11-21T07:00:00Z", "deltas": deltas}
}

// called returns an event with an id.
func called(id string, counters ...string) object {
	event := counted(0, counters...)
	delete(event, "clientSeq")
	event["eventId"] = id
	return event
}

// with returns a copy of an event with one member replaced.
func with(event object, member string, value any) object {
	changed := object{member: value}
	for name, v := range event {
		if name != member {
			changed[name] = v
		}
	}
	return changed
}

// request returns a request that enforces increasing sequences.
func request(client string, events ...object) object {
	return object{"clientId": client, "enforceClientIdempotency": true, "events": events}
}

// loose returns a request that does not enforce sequences.
func loose(client string, events ...object) object {
	return object{"clientId": client, "events": events}
}

// write sends events to an aggregate.
func (b *books) write(t *testing.T, aggregate string, body object) httpapitest.Answer {
	t.Helper()
	return b.Send(t, http.MethodPost, aggregate+"/events", body)
}

// land sends events that must be written, and returns the version.
func (b *books) land(t *testing.T, aggregate string, body object) (version int64) {
	t.Helper()
	a := b.write(t, aggregate, body)
	require.Equal(t, http.StatusCreated, a.Status, a.Body)
	require.EqualValues(t, len(body["events"].([]object)), a.Body["applied"])
	return int64(a.Body["version"].(float64))
}

// refused sends events that must be rejected, and requires that nothing was written.
func (b *books) refused(t *testing.T, aggregate string, body object, status int, code string) object {
	t.Helper()
	before := b.snapshot(t)
	a := b.write(t, aggregate, body)
	require.Equal(t, status, a.Status, a.Body)
	require.Equal(t, code, a.Body["code"], a.Body)
	require.Equal(t, before, b.snapshot(t), "nothing was written")
	return a.Body
}

// snapshot returns all rows of the tenant.
func (b *books) snapshot(t *testing.T) object {
	t.Helper()
	all := object{}
	for _, table := range []string{"aggregates", "aggregate_events", "aggregate_writers", "audit_entries"} {
		var rows []map[string]any
		require.NoError(t, b.DB.Read(b.Ctx).Raw("SELECT * FROM "+table+" WHERE tenant_id = ?", b.Tenant()).Scan(&rows).Error)
		all[table] = rows
	}
	return all
}

func (b *books) state(t *testing.T, id string) aggregates.State {
	t.Helper()
	state, err := b.service.State(b.Ctx, aggregates.Name{Type: "shelf", ID: id})
	require.NoError(t, err)
	return state
}

func (b *books) events(t *testing.T, a aggregates.State) []aggregates.Event {
	t.Helper()
	var rows []aggregates.Event
	require.NoError(t, b.DB.Read(b.Ctx).Where("aggregate_id = ?", a.ID).Order("version").Find(&rows).Error)
	return rows
}

// requireBooks requires that an aggregate equals the sum of its events, that each version has one event,
// and each write one audit row.
func (b *books) requireBooks(t *testing.T, id string, counters aggregates.Counters, writers map[string]int64) {
	t.Helper()
	state := b.state(t, id)
	rows := b.events(t, state)
	require.Len(t, rows, int(state.Version))
	sums, highest, batches := aggregates.Counters{}, map[string]int64{}, map[int64]bool{}
	for i, e := range rows {
		require.EqualValues(t, i+1, e.Version)
		require.GreaterOrEqual(t, e.BatchVersion, e.Version)
		for name, delta := range e.Deltas {
			sums[name] += delta
		}
		if e.ClientSeq != nil {
			highest[e.ClientID] = max(highest[e.ClientID], *e.ClientSeq)
		}
		batches[e.BatchVersion] = true
	}
	require.Equal(t, counters, sums, "the sums of the events")
	require.Equal(t, counters, state.Counters, "the counters of the aggregate")
	require.Equal(t, writers, highest)
	require.Equal(t, writers, state.Writers)
	require.Equal(t, len(writers), state.WriterCount)
	require.EqualValues(t, len(batches), b.Count(t, &uow.AuditRow{}, "resource = ?", "aggregates/shelf/"+id), "one audit row each")
}

func clientName(i int) string { return fmt.Sprintf("client-%d", i) }
