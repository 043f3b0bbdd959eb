//go:build engines

package engines_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// fate is what a writer was told of a write.
type fate string

const (
	made    fate = "made"
	refused fate = "refused" // nothing was changed
	unknown fate = "unknown"
)

// claim is what a writer was told of the write of that name.
type claim struct {
	kind, name string
	fate       fate
}

// traffic is what writers and watchers do at the replicas of one service, and what they were
// told.
type traffic struct {
	owner    *apptest.Caller
	programs []*apptest.Program
	ended    atomic.Bool
	// lost counts the tickets that failovers have lost.
	lost int
	// slowest is how long it took until a write succeeded at each replica, by what had broken.
	slowest map[string]time.Duration
	// looked counts the reads of what had just been written at another replica.
	looked atomic.Int64

	mu       sync.Mutex
	claims   []claim
	answers  map[string]int
	internal []string
	// landed counts the writes that succeeded, by replica and kind.
	landed map[string]int

	writers, watchers sync.WaitGroup
	watched           []*watched
	stopWatching      context.CancelFunc
}

const (
	trafficSKU     = "STORM"
	trafficConfigs = 4
	trafficWallets = 3
)

// begin prepares what is written to and has the writers and watchers begin.
func begin(t *testing.T, programs []*apptest.Program) *traffic {
	t.Helper()
	f := &traffic{owner: programs[0].Admin(t), programs: programs, landed: map[string]int{}, answers: map[string]int{}, slowest: map[string]time.Duration{}}
	watching, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	f.stopWatching = stop
	t.Cleanup(stop)
	for _, p := range programs {
		w := &watched{t: t, at: at(f.owner, p), stands: make(chan struct{}), times: map[change]int{}}
		f.watched = append(f.watched, w)
		f.watchers.Go(func() { w.follow(watching) })
		<-w.stands
	}
	must := func(path string, body any) {
		answer := f.owner.Do(t, http.MethodPost, httpapi.Base+path, body)
		require.Equal(t, http.StatusCreated, answer.Status, "%s", answer.Body)
	}
	must("/items", map[string]any{"sku": trafficSKU, "name": "Storm", "price": 900})
	must("/inventory/"+trafficSKU+"/adjustments", map[string]any{"delta": 1_000_000, "reason": "opening stock", "reference": "opening"})
	for i := range trafficConfigs {
		must("/configs", map[string]any{"key": fmt.Sprintf("c%d", i), "value": "opening", "valueType": "string"})
	}
	t.Cleanup(f.end)
	for i := range programs {
		for _, keyed := range []bool{false, true} {
			for n := range 2 {
				who := fmt.Sprintf("%d.%v.%d", i, keyed, n)
				f.writers.Go(func() { f.write(t, i, who, keyed, f.order) })
				f.writers.Go(func() { f.write(t, i, who, keyed, f.enter) })
				f.writers.Go(func() { f.write(t, i, who, keyed, f.edit) })
			}
		}
	}
	return f
}

// deed is one write: its kind, its name, and how it is sent. name is of no other write.
type deed struct {
	kind, method, path string
	body               any
	etag               string
	// elsewhere looks for what was made, at another replica.
	elsewhere func(other *apptest.Caller, made apptest.Answer)
}

// write makes one write after the other at a replica until the traffic ends. One with a key is
// repeated until its answer is definite.
func (f *traffic) write(t *testing.T, replica int, who string, keyed bool, next func(t *testing.T, here *apptest.Caller, name string, n int) (deed, bool)) {
	here, other := at(f.owner, f.programs[replica]), at(f.owner, f.programs[(replica+1)%len(f.programs)])
	for n := 0; !f.ended.Load() && t.Context().Err() == nil; n++ {
		clock.Sleep(t.Context(), 20*time.Millisecond)
		name := fmt.Sprintf("%s.%d", who, n)
		d, ok := next(t, here, name, n)
		if !ok {
			continue
		}
		headers := []string{}
		if d.etag != "" {
			headers = append(headers, "If-Match", d.etag)
		}
		if keyed {
			headers = append(headers, "X-Idempotency-Key", d.kind+"-"+name)
		}
		answer := f.ask(t, here, d.method, d.path, d.body, headers...)
		for keyed && isToBeRepeated(answer) && t.Context().Err() == nil {
			clock.Sleep(t.Context(), 50*time.Millisecond)
			answer = f.ask(t, here, d.method, d.path, d.body, headers...)
		}
		became := fateOf(answer)
		f.mu.Lock()
		f.claims = append(f.claims, claim{d.kind, name, became})
		if became == made {
			f.landed[place(replica, d.kind)]++
			f.landed[place(replica, anyKind)]++
		}
		f.mu.Unlock()
		if became == made {
			d.elsewhere(other, answer)
		}
	}
}

func isToBeRepeated(a apptest.Answer) bool {
	return a.Status >= 500 || a.Status == http.StatusLocked || a.Code() == "request_in_progress"
}

func fateOf(a apptest.Answer) fate {
	switch {
	case a.Status < 300:
		return made
	case a.Code() == "outcome_unknown":
		return unknown
	default:
		return refused
	}
}

// ask sends a request, which is always answered, and counts the answer.
func (f *traffic) ask(t *testing.T, c *apptest.Caller, method, path string, body any, headers ...string) apptest.Answer {
	answer, err := c.Try(t.Context(), method, httpapi.Base+path, body, headers...)
	if err != nil {
		if t.Context().Err() == nil {
			t.Errorf("%s %s was not answered: %v", method, path, err)
		}
		return apptest.Answer{Status: http.StatusServiceUnavailable}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[strings.TrimSpace(fmt.Sprint(answer.Status, " ", answer.Code()))]++
	if answer.Code() == "internal" || answer.Status == http.StatusInternalServerError {
		f.internal = append(f.internal, fmt.Sprintf("%s %s: %s", method, path, answer.Body))
	}
	return answer
}

func (f *traffic) order(t *testing.T, _ *apptest.Caller, name string, _ int) (deed, bool) {
	return deed{
		kind: "order", method: http.MethodPost, path: "/orders",
		body: map[string]any{"userId": name, "items": []any{map[string]any{"sku": trafficSKU, "quantity": 1}}},
		elsewhere: func(other *apptest.Caller, made apptest.Answer) {
			path := fmt.Sprintf("/orders/%d", int64(made.JSON(t)["id"].(float64)))
			if f.sees(t, other, path).Status == http.StatusNotFound {
				t.Errorf("the order %s is not found at the other replica", name)
			}
		},
	}, true
}

func (f *traffic) enter(t *testing.T, _ *apptest.Caller, name string, n int) (deed, bool) {
	path := fmt.Sprintf("/wallets/w%d", n%trafficWallets)
	return deed{
		kind: "entry", method: http.MethodPost, path: path + "/entries",
		body:      map[string]any{"amount": 1, "kind": "topup", "reference": name},
		elsewhere: func(*apptest.Caller, apptest.Answer) {},
	}, true
}

func (f *traffic) edit(t *testing.T, here *apptest.Caller, name string, n int) (deed, bool) {
	path := fmt.Sprintf("/configs/c%d", n%trafficConfigs)
	read := f.ask(t, here, http.MethodGet, path, nil)
	if read.Status != http.StatusOK {
		return deed{}, false
	}
	return deed{
		kind: "edit", method: http.MethodPatch, path: path, body: map[string]any{"value": name}, etag: read.Header.Get("ETag"),
		elsewhere: func(other *apptest.Caller, made apptest.Answer) {
			seen := f.sees(t, other, path)
			if wrote := made.JSON(t)["version"].(float64); t.Context().Err() == nil && (seen.Status != http.StatusOK || seen.JSON(t)["version"].(float64) < wrote) {
				t.Errorf("version %v of %s is not seen at the other replica: %d %s", wrote, path, seen.Status, seen.Body)
			}
		},
	}, true
}

// sees reads at a replica, again until it can.
func (f *traffic) sees(t *testing.T, c *apptest.Caller, path string) apptest.Answer {
	for {
		answer := f.ask(t, c, http.MethodGet, path, nil)
		if answer.Status < 500 || t.Context().Err() != nil {
			f.looked.Add(1)
			return answer
		}
		clock.Sleep(t.Context(), 50*time.Millisecond)
	}
}

// soon bounds how long the service may take to write again once its engine can.
const soon = 10 * time.Second

// anyKind stands for a write of whichever kind.
const anyKind = "write"

func place(replica int, kind string) string { return fmt.Sprint(kind, " at ", replica) }

// requireWrites checks that a write of each kind, or of any without one, succeeds at each replica
// soon, from now on.
func (f *traffic) requireWrites(t *testing.T, after string, kinds ...string) {
	t.Helper()
	if len(kinds) == 0 {
		kinds = []string{anyKind}
	}
	from, before := clock.Mark(), f.soFar()
	var lacking []string
	landed := func() bool {
		now := f.soFar()
		lacking = nil
		for replica := range f.programs {
			for _, kind := range kinds {
				if here := place(replica, kind); now[here] == before[here] {
					lacking = append(lacking, here)
				}
			}
		}
		return len(lacking) == 0
	}
	for !landed() && clock.Since(from) < time.Minute && clock.Sleep(t.Context(), 10*time.Millisecond) {
	}
	took := clock.Since(from)
	f.slowest[after] = max(f.slowest[after], took.Round(10*time.Millisecond))
	t.Logf("%s: %v", after, took)
	if took > soon {
		t.Errorf("%v after the engine could write again (%s), these lack: %v", took, after, lacking)
	}
}

// soFar returns how many writes have succeeded, by replica and kind.
func (f *traffic) soFar() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.landed)
}

// end has the writers end.
func (f *traffic) end() {
	f.ended.Store(true)
	f.writers.Wait()
}

// change is a version of a config that somebody made.
type change struct {
	Key     string
	Version int64
}

// watched is a watcher of configs, who comes again where it was cut off.
type watched struct {
	t      *testing.T
	at     *apptest.Caller
	stands chan struct{}

	mu      sync.Mutex
	last    string
	times   map[change]int
	order   []change
	streams int
}

// follow watches until ctx ends.
func (w *watched) follow(ctx context.Context) {
	for ctx.Err() == nil {
		w.stream(ctx)
		clock.Sleep(ctx, 50*time.Millisecond)
	}
}

// stream reads one stream to its end.
func (w *watched) stream(ctx context.Context) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.at.Program.URL+httpapi.Base+"/configs/watch", nil)
	if err != nil {
		w.t.Error(err)
		return
	}
	w.at.Authenticate(request)
	if w.last != "" {
		request.Header.Set("Last-Event-ID", w.last)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		if reply.StatusCode != http.StatusServiceUnavailable {
			w.t.Errorf("a watcher was answered %d", reply.StatusCode)
		}
		return
	}
	s := newStream(reply)
	for {
		name, e := s.next()
		if name == "" {
			return
		}
		w.take(name, e)
	}
}

func (w *watched) take(name string, e event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := w.last == ""
	w.last = e.ID
	switch name {
	case "ready":
		if w.streams++; first {
			close(w.stands)
		}
	case "change":
		seen := change{e.Key, e.Version}
		w.times[seen]++
		w.order = append(w.order, seen)
	default:
		w.t.Errorf("a watcher was told %q", name)
	}
}

func (w *watched) seen() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.times)
}

// verify holds what everybody was told against the store, read past the service.
func (f *traffic) verify(t *testing.T, pool *sql.DB) {
	t.Helper()
	found := map[string]map[string]int{}
	for kind, query := range map[string]string{
		"order": "SELECT o.user_id, COUNT(*) FROM orders o JOIN tenants t ON t.id = o.tenant_id WHERE t.name = ? GROUP BY o.user_id",
		"entry": "SELECT e.reference, COUNT(*) FROM wallet_entries e JOIN tenants t ON t.id = e.tenant_id WHERE t.name = ? GROUP BY e.reference",
		"edit":  "SELECT JSON_UNQUOTE(h.value), COUNT(*) FROM config_histories h JOIN tenants t ON t.id = h.tenant_id WHERE t.name = ? AND h.action = 'update' GROUP BY h.value",
	} {
		found[kind] = f.timesByName(t, pool, query)
	}
	fates := map[string]int{}
	for _, c := range f.claims {
		fates[c.kind+" "+string(c.fate)]++
		times := found[c.kind][c.name]
		switch {
		case c.fate == made && times != 1:
			t.Errorf("the %s %s was answered as made and is there %d times", c.kind, c.name, times)
		case c.fate == refused && times != 0:
			t.Errorf("the %s %s was answered as not made and is there %d times", c.kind, c.name, times)
		case times > 1:
			t.Errorf("the %s %s is there %d times", c.kind, c.name, times)
		}
		delete(found[c.kind], c.name)
	}
	for kind, left := range found {
		require.Empty(t, left, "each %s is one that somebody sent", kind)
	}
	t.Logf("writes: %v; %d reads elsewhere; answers: %v", fates, f.looked.Load(), f.answers)
	require.Empty(t, f.internal, "no answer says that it is a fault of the service")
	for _, kind := range []string{"order", "entry", "edit"} {
		require.Positive(t, fates[kind+" made"])
	}
	for what, query := range map[string]string{
		"configs whose version is not the number of their history": "SELECT COUNT(*) FROM configs c WHERE version <> (SELECT COUNT(*) FROM config_histories h WHERE h.config_id = c.id)",
		"wallets that are not the sum of their entries":            "SELECT COUNT(*) FROM wallets w WHERE balance <> (SELECT COALESCE(SUM(amount), 0) FROM wallet_entries e WHERE e.tenant_id = w.tenant_id AND e.user_id = w.user_id)",
		"orders that do not have their one line":                   "SELECT COUNT(*) FROM orders o WHERE (SELECT COUNT(*) FROM order_lines l WHERE l.order_id = o.id) <> 1",
		"pieces that are promised to nobody":                       "SELECT COUNT(*) FROM inventories i WHERE reserved <> (SELECT COALESCE(SUM(quantity), 0) FROM inventory_holds h WHERE h.sku = i.sku AND h.tenant_id = i.tenant_id)",
	} {
		var broken int
		require.NoError(t, pool.QueryRowContext(t.Context(), query).Scan(&broken), what)
		require.Zero(t, broken, what)
	}
	f.verifyWatchers(t, pool)
	for _, p := range f.programs {
		totals, err := p.Services().CheckPromises(t.Context())
		require.NoError(t, err)
		for _, total := range totals {
			require.Empty(t, total.Found, total.Promise.Name)
		}
	}
}

// timesByName returns how often each name is there, by a query for the tenant.
func (f *traffic) timesByName(t *testing.T, pool *sql.DB, query string) map[string]int {
	t.Helper()
	rows, err := pool.QueryContext(t.Context(), query, f.owner.Tenant)
	require.NoError(t, err)
	defer rows.Close()
	found := map[string]int{}
	for rows.Next() {
		var name string
		var times int
		require.NoError(t, rows.Scan(&name, &times))
		found[name] = times
	}
	require.NoError(t, rows.Err())
	return found
}

// storeAt reads a database past the service.
func storeAt(t *testing.T, databaseURL string) *sql.DB {
	t.Helper()
	at, err := url.Parse(databaseURL)
	require.NoError(t, err)
	pool, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)%s", at.User.Username(), at.Host, at.Path))
	require.NoError(t, err)
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

// verifyWatchers checks that each watcher has seen each change once, and all in one order.
func (f *traffic) verifyWatchers(t *testing.T, pool *sql.DB) {
	t.Helper()
	rows, err := pool.QueryContext(t.Context(),
		"SELECT h.`key`, h.version FROM config_histories h JOIN tenants t ON t.id = h.tenant_id WHERE t.name = ?", f.owner.Tenant)
	require.NoError(t, err)
	defer rows.Close()
	changes := map[change]int{}
	for rows.Next() {
		var c change
		require.NoError(t, rows.Scan(&c.Key, &c.Version))
		changes[c] = 1
	}
	require.NoError(t, rows.Err())
	for _, w := range f.watched {
		require.Eventually(t, func() bool { return w.seen() >= len(changes) }, patience, 50*time.Millisecond, "a watcher missed changes: %d of %d", w.seen(), len(changes))
	}
	f.stopWatching()
	f.watchers.Wait()
	for i, w := range f.watched {
		for seen, times := range w.times {
			if times != 1 || changes[seen] == 0 {
				t.Errorf("watcher %d saw %v %d times, which is committed %d times", i, seen, times, changes[seen])
			}
		}
		require.Equal(t, f.watched[0].order, w.order, "all watchers see one order")
		t.Logf("watcher %d: %d changes over %d streams", i, len(w.order), w.streams)
	}
}
