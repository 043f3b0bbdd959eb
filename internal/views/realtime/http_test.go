package realtime_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
	"interlock/internal/views/realtime"
)

// authenticator is a stub with a settable caller and error.
type authenticator struct {
	mu      sync.Mutex
	caller  principal.Principal
	refusal error
}

func (d *authenticator) Authenticate(*http.Request) (principal.Principal, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.caller, d.refusal
}

func (d *authenticator) set(refusal error, permissions ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.caller, d.refusal = principal.Principal{Kind: principal.Admin, TenantID: 1, UserID: 7, Name: "Ada", Permissions: permissions}, refusal
}

// site is a process that serves HTTP.
type site struct {
	process
	authenticator *authenticator
	url           string
}

func newSite(t *testing.T, bus events.Bus, permissions ...string) site {
	t.Helper()
	return serving(t, newProcess(t, bus), permissions...)
}

// serving starts an HTTP server for a process.
func serving(t *testing.T, p process, permissions ...string) site {
	t.Helper()
	s := site{process: p, authenticator: &authenticator{}}
	s.BeatEvery(10 * time.Millisecond)
	s.authenticator.set(nil, permissions...)
	server := httpapi.NewServer(httpapi.Options{Authenticator: s.authenticator})
	realtime.Routes(server.Router(), s.Service)
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	s.url = listening.URL + httpapi.Base
	return s
}

// happened is one event of a stream.
type happened struct {
	name string
	data map[string]any
}

// streamed is an open stream, and the id from which its reader would resume.
type streamed struct {
	events <-chan happened
	end    func() (last string)
}

// open opens a stream. The channel is closed when it ends.
func (s site) open(t *testing.T, query string) <-chan happened {
	t.Helper()
	return s.resume(t, query, "").events
}

// resume opens a stream after the last id of another one; "" for a first one.
func (s site) resume(t *testing.T, query, after string) streamed {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/events"+query, nil)
	require.NoError(t, err)
	if after != "" {
		request.Header.Set("Last-Event-ID", after)
	}
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.StatusCode)
	last := after
	stream := make(chan happened, 64)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(stream)
		var name string
		for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
			if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				last = text
			}
			if text, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				name = text
			}
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var data map[string]any
				if json.Unmarshal([]byte(text), &data) != nil {
					return
				}
				select {
				case stream <- happened{name, data}:
				case <-t.Context().Done():
					return
				}
			}
		}
	})
	end := func() string {
		_ = reply.Body.Close()
		reading.Wait()
		return last
	}
	t.Cleanup(func() { end() })
	return streamed{stream, end}
}

// refused sends a request that must be rejected and returns the status and the code.
func (s site) refused(t *testing.T, query string) (int, map[string]any) {
	t.Helper()
	reply, err := http.Get(s.url + "/events" + query)
	require.NoError(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	var body map[string]any
	require.NoError(t, json.Unmarshal(text, &body), "%s", text)
	return reply.StatusCode, body
}

func (s site) publish(t *testing.T, tenant int64, topic, key string) {
	t.Helper()
	event, err := events.Change{
		Version: 3, ETag: `"1-3"`, Action: "update", Status: "paid", Label: "A17",
		By: principal.Person{ID: 9, Name: "Li"}, Time: noon,
	}.Event(tenant, topic, key)
	require.NoError(t, err)
	require.NoError(t, s.bus.Publish(t.Context(), event))
}

func TestChangeEventNamesAuthorResourceAndTime(t *testing.T) {
	eachBus(t, func(t *testing.T, newBus func() events.Bus) {
		s := newSite(t, newBus(), "*")
		stream := s.open(t, "?topics=orders,configs")
		require.Equal(t, happened{"ready", map[string]any{"topics": []any{"orders", "configs"}}}, receive(t, stream, "ready"))
		s.publish(t, 2, "orders", "strangers")
		s.publish(t, 1, "coupon-campaigns", "not requested")
		s.publish(t, 1, "orders", "41")
		require.Equal(t, happened{"orders", map[string]any{
			"topic": "orders", "key": "41", "version": 3.0, "etag": `"1-3"`, "action": "update", "status": "paid", "label": "A17",
			"changedBy": map[string]any{"id": 9.0, "name": "Li"}, "changedTime": "2026-01-31T12:00:00.000000Z",
		}}, receive(t, stream, "the change"))
	})
}

// Proves G7.4.
func TestStreamResumesAtItsCursor(t *testing.T) {
	eachBus(t, func(t *testing.T, newBus func() events.Bus) {
		s := newSite(t, newBus(), "*")
		first := s.resume(t, "?topics=orders,configs", "")
		receive(t, first.events, "ready")
		before := first.end()
		s.publish(t, 1, "orders", "41")
		s.publish(t, 2, "orders", "strangers")
		second := s.resume(t, "?topics=orders,configs", before)
		receive(t, second.events, "ready")
		require.Equal(t, "41", receive(t, second.events, "changes missed before the first event").data["key"])
		behind := second.end()
		s.publish(t, 1, "configs", "a")
		s.publish(t, 1, "items", "not requested")
		s.publish(t, 1, "orders", "42")
		third := s.resume(t, "?topics=orders,configs,presence", behind)
		receive(t, third.events, "ready")
		require.Equal(t, "a", receive(t, third.events, "missed changes").data["key"])
		require.Equal(t, "42", receive(t, third.events, "missed changes").data["key"])

		elsewhere := s.resume(t, "?topics=orders", "of another life")
		receive(t, elsewhere.events, "ready")
		require.Equal(t, happened{"lagged", map[string]any{"topics": []any{"orders"}}}, receive(t, elsewhere.events, "that something may be missing"))
	})
}

// Proves G7.4.
func TestMissedEventsRequireCurrentPermission(t *testing.T) {
	bus := events.NewInProcess(64)
	defer bus.Close()
	s := newSite(t, bus, "*")
	first := s.resume(t, "?topics=orders,configs", "")
	receive(t, first.events, "ready")
	last := first.end()
	s.publish(t, 1, "orders", "41")
	s.publish(t, 1, "configs", "a")
	s.authenticator.set(nil, "configs:read")
	back := s.resume(t, "?topics=orders,configs", last)
	receive(t, back.events, "ready")
	require.Equal(t, "configs", receive(t, back.events, "permitted topics").name)
}

// Proves G7.7.
func TestStreamHasOnlyTopicsThatItsCallerMayRead(t *testing.T) {
	bus := events.NewInProcess(64)
	defer bus.Close()
	s := newSite(t, bus, "orders:read")
	for query, granted := range map[string][]any{
		"":                                {"orders", "presence"},
		"?topics=configs,orders":          {"orders"},
		"?topics=orders,orders":           {"orders"},
		"?topics=presence":                {"presence"},
		"?topics=configs&topics=presence": {"presence"},
	} {
		require.Equal(t, granted, receive(t, s.open(t, query), "ready").data["topics"], query)
	}
	for _, query := range []string{"?topics=configs", "?topics=configs,coupon-campaigns"} {
		status, body := s.refused(t, query)
		require.Equal(t, []any{http.StatusForbidden, "forbidden"}, []any{status, body["code"]}, query)
	}
	for query, name := range map[string]string{
		"?topics=colours": "colours", "?topics=orders,": `""`, "?topics=presence-heartbeats": "presence-heartbeats",
		"?topics=" + strings.Repeat("x", 200): strings.Repeat("x", 64) + "…",
	} {
		status, body := s.refused(t, query)
		require.Equal(t, []any{http.StatusBadRequest, "malformed_request"}, []any{status, body["code"]}, query)
		require.Contains(t, body["detail"], name)
		require.Equal(t, "?topics", body["fields"].([]any)[0].(map[string]any)["pointer"])
	}
	s.authenticator.set(nil)
	status, _ := s.refused(t, "")
	require.Equal(t, http.StatusForbidden, status)
}

func TestTopicWithoutPermissionIsForUsersOnly(t *testing.T) {
	bus := events.NewInProcess(64)
	defer bus.Close()
	s := serving(t, newProcess(t, bus, realtime.Topic{Name: "navigation"}))
	stream := s.open(t, "?topics=navigation,orders,presence")
	require.Equal(t, []any{"navigation"}, receive(t, stream, "ready").data["topics"], "a caller without permissions sees no presence")
	s.publish(t, 1, "orders", "41")
	s.publish(t, 1, "navigation", "")
	require.Equal(t, "navigation", receive(t, stream, "a change").name)

	s.authenticator.set(nil, "*")
	there, err := http.Post(s.url+"/presence", "application/json", strings.NewReader(`{"resource":"navigation/1"}`))
	require.NoError(t, err)
	require.NoError(t, there.Body.Close())
	require.Equal(t, http.StatusUnprocessableEntity, there.StatusCode)

	s.authenticator.mu.Lock()
	s.authenticator.caller = principal.Principal{Kind: principal.Customer, TenantID: 1, CustomerID: "7", Permissions: []string{"orders:read"}}
	s.authenticator.mu.Unlock()
	refused, err := http.Get(s.url + "/events?topics=navigation")
	require.NoError(t, err)
	require.NoError(t, refused.Body.Close())
	require.Equal(t, http.StatusForbidden, refused.StatusCode)
}

func TestRevokedPermissionStopsTopicAndStream(t *testing.T) {
	bus := events.NewInProcess(64)
	defer bus.Close()
	s := newSite(t, bus, "orders:read", "configs:read")
	stream := s.open(t, "?topics=orders,configs")
	receive(t, stream, "ready")
	s.authenticator.set(nil, "configs:read")
	require.Eventually(t, func() bool {
		s.publish(t, 1, "orders", "41")
		s.publish(t, 1, "configs", "a")
		first := receive(t, stream, "a change").name
		if first == "orders" {
			require.Equal(t, "configs", receive(t, stream, "the change behind it").name)
		}
		return first == "configs"
	}, patience, 20*time.Millisecond, "orders still come")
	s.authenticator.set(nil)
	requireEnd(t, stream)
}

func requireEnd(t *testing.T, stream <-chan happened) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case _, open := <-stream:
			if !open {
				return
			}
		case <-deadline:
			require.FailNow(t, "the stream continues")
		}
	}
}

// Proves G7.7.
func TestChangeStreamEndsWithItsCredential(t *testing.T) {
	bus := events.NewInProcess(64)
	defer bus.Close()
	s := newSite(t, bus, "*")
	stream := s.open(t, "")
	receive(t, stream, "ready")
	s.authenticator.set(apperr.New(apperr.Unauthenticated, "Your session has ended."), "*")
	requireEnd(t, stream)
}

func TestStreamReportsMissedEvents(t *testing.T) {
	bus := events.NewInProcess(64)
	defer bus.Close()
	s := newSite(t, bus, "*")
	stream := s.open(t, "?topics=orders,presence")
	receive(t, stream, "ready")
	// An event that this release cannot decode counts as missed.
	require.NoError(t, s.bus.Publish(t.Context(), events.Event{Topic: "orders", Tenant: 1, Key: "41", Payload: []byte(`"?"`)}))
	require.Equal(t, happened{"lagged", map[string]any{"topics": []any{"orders"}}}, receive(t, stream, "the news of a gap"))
}

func TestLaggingBusIsReportedForAllItsTopics(t *testing.T) {
	bus := events.NewInProcess(1)
	defer bus.Close()
	s := newSite(t, bus, "*")
	stream := s.open(t, "?topics=orders,configs,presence")
	receive(t, stream, "ready")
	for {
		for range 50 {
			s.publish(t, 1, "orders", "41")
		}
		if e := receive(t, stream, "the news of a gap"); e.name == "lagged" {
			require.Equal(t, []any{"orders", "configs"}, e.data["topics"])
			return
		}
	}
}

func TestPresenceIsResentAfterMissedEvents(t *testing.T) {
	bus := events.NewInProcess(64)
	defer bus.Close()
	s := newSite(t, bus, "configs:read")
	s.FallBehind(1)
	s.beat(t, person(t, 1, 8), realtime.Heartbeat{Resource: "configs/quiet"})
	stream := s.open(t, "?topics=orders,configs,presence")
	receive(t, stream, "ready")
	require.Equal(t, "configs/quiet", receive(t, stream, "present users").data["resource"])
	li := person(t, 1, 9)
	var e happened
	for n := 0; e.name != "lagged"; n++ {
		for move := range 50 {
			s.beat(t, li, realtime.Heartbeat{Resource: page, Field: fmt.Sprint(n, move)})
		}
		e = receive(t, stream, "the news of a gap")
	}
	require.Equal(t, []any{"presence"}, e.data["topics"])
	for last := ""; last != "configs/quiet"; {
		last = receive(t, stream, "the quiet one again").data["resource"].(string)
	}
}

func TestStreamReportsPresenceChanges(t *testing.T) {
	eachBus(t, func(t *testing.T, newBus func() events.Bus) {
		s, other := newSite(t, newBus(), "configs:read"), newProcess(t, newBus())
		untilHeard(t, other, s.process)
		li := person(t, 1, 9)
		s.beat(t, li, realtime.Heartbeat{Resource: page, Field: "/value"})
		s.beat(t, li, realtime.Heartbeat{Resource: "orders/41"})
		stream := s.open(t, "?topics=presence")
		receive(t, stream, "ready")
		shown := func(what string) any {
			e := receive(t, stream, what)
			require.Equal(t, []any{"presence", page}, []any{e.name, e.data["resource"]}, "events without permission are not delivered")
			return e.data["people"]
		}
		at := func(field string) []any {
			return []any{map[string]any{"id": 9.0, "name": "Person 9", "field": field, "since": "2026-01-31T12:00:00.000000Z"}}
		}
		require.Equal(t, at("/value"), shown("present users at the start of the stream"))
		other.beat(t, person(t, 1, 9), realtime.Heartbeat{Resource: "orders/41", Field: "/status"})
		other.beat(t, person(t, 2, 9), realtime.Heartbeat{Resource: page, Field: "/stranger"})
		other.beat(t, li, realtime.Heartbeat{Resource: page, Field: "/remark"})
		require.Equal(t, at("/remark"), shown("the move to another field"))
		other.beat(t, li, realtime.Heartbeat{Resource: page, Leaving: true})
		require.Equal(t, []any{}, shown("that the last one went"))
	})
}

func TestHeartbeatReturnsOtherUsers(t *testing.T) {
	bus := events.NewInProcess(64)
	defer bus.Close()
	s := newSite(t, bus, "*")
	s.beat(t, person(t, 1, 9), realtime.Heartbeat{Resource: page, Field: "/value"})
	for name, c := range map[string]struct {
		body   string
		status int
		answer string
	}{
		"a heartbeat":           {`{"resource":"configs/checkout.tax"}`, 200, `{"others":[{"id":9,"name":"Person 9","field":"/value","since":"2026-01-31T12:00:00.000000Z"}]}`},
		"alone":                 {`{"resource":"orders/41","field":"","tab":"a"}`, 200, `{"others":[]}`},
		"an escaped id":         {`{"resource":"configs/a%2Fb%5B0%5D:c"}`, 200, `{"others":[]}`},
		"an unescaped id":       {`{"resource":"configs/a/b"}`, 422, `"/resource"`},
		"leaving":               {`{"resource":"orders/41","tab":"a","leaving":true}`, 200, `{"others":[]}`},
		"no resource":           {`{}`, 422, `"/resource"`},
		"unknown member":        {`{"resource":"orders/41","colour":1}`, 400, `"/colour"`},
		"too long a field":      {`{"resource":"orders/41","field":"` + strings.Repeat("x", 201) + `"}`, 422, `"/field"`},
		"too long a tab":        {`{"resource":"orders/41","tab":"` + strings.Repeat("x", 65) + `"}`, 422, `"/tab"`},
		"a resource of no kind": {`{"resource":"users/1"}`, 422, `"/resource"`},
	} {
		reply, err := http.Post(s.url+"/presence", "application/json", strings.NewReader(c.body))
		require.NoError(t, err)
		text, err := io.ReadAll(reply.Body)
		_ = reply.Body.Close()
		require.NoError(t, err)
		require.Equal(t, c.status, reply.StatusCode, "%s: %s", name, text)
		require.Contains(t, string(text), c.answer, name)
	}
}
