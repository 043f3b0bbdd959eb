// Package traffic runs shops and watchers at the replicas of one service while its engines
// break or its processes are replaced: writers with and without keys, readers of rows that
// another replica wrote, and watchers of configs. Afterwards it compares all their
// responses with the store.
package traffic

import (
	"context"
	"fmt"
	"net/http"
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

// fate is the outcome of a write that the writer knows.
type fate string

const (
	made    fate = "made"
	refused fate = "refused" // nothing was changed
	unknown fate = "unknown"
)

// claim is the known outcome of the write with that name.
type claim struct {
	kind, name string
	fate       fate
}

// Traffic is the activity of writers and watchers at the replicas of one service, with
// their results.
type Traffic struct {
	// callers are one user at each replica.
	callers []*apptest.Caller
	ended   atomic.Bool
	// slowest is the longest time until a write succeeded at each replica, by the failure.
	slowest map[string]time.Duration
	// looked counts the reads at another replica directly after a write.
	looked atomic.Int64

	mu       sync.Mutex
	claims   []claim
	answers  map[string]int
	internal []string
	// landed counts the successful writes, by replica and kind.
	landed map[string]int

	writers, watchers sync.WaitGroup
	watched           []*watcher
	stopWatching      context.CancelFunc
}

const (
	sku     = "TRAFFIC"
	configs = 4
	wallets = 3
)

// patience bounds each wait for something that must happen.
const patience = 30 * time.Second

// Begin prepares the records to write to and starts the writers and watchers. The callers
// are one user of one tenant with all permissions, one per replica.
func Begin(t *testing.T, callers ...*apptest.Caller) *Traffic {
	t.Helper()
	f := &Traffic{callers: callers, landed: map[string]int{}, answers: map[string]int{}, slowest: map[string]time.Duration{}}
	watching, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	f.stopWatching = stop
	t.Cleanup(stop)
	for _, c := range callers {
		w := &watcher{t: t, at: c, stands: make(chan struct{}), times: map[change]int{}}
		f.watched = append(f.watched, w)
		f.watchers.Go(func() { w.follow(watching) })
		<-w.stands
	}
	must := func(path string, body any) {
		answer := callers[0].Do(t, http.MethodPost, httpapi.Base+path, body)
		require.Equal(t, http.StatusCreated, answer.Status, "%s", answer.Body)
	}
	must("/items", map[string]any{"sku": sku, "name": "Traffic", "price": 900})
	must("/inventory/"+sku+"/adjustments", map[string]any{"delta": 1_000_000, "reason": "opening stock", "reference": "opening"})
	for i := range configs {
		must("/configs", map[string]any{"key": fmt.Sprintf("c%d", i), "value": "opening", "valueType": "string"})
	}
	t.Cleanup(f.End)
	for i := range callers {
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

// deed is one write: its kind, its unique name, and the function that sends it.
type deed struct {
	kind, method, path string
	body               any
	etag               string
	// elsewhere reads the created record at another replica.
	elsewhere func(other *apptest.Caller, made apptest.Answer)
}

// write sends one write after the other to a replica until the traffic ends. It repeats a
// write with a key until the response is definite.
func (f *Traffic) write(t *testing.T, replica int, who string, keyed bool, next func(t *testing.T, here *apptest.Caller, name string, n int) (deed, bool)) {
	here, other := f.callers[replica], f.callers[(replica+1)%len(f.callers)]
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

// ask sends a request, which always gets a response, and counts the response.
func (f *Traffic) ask(t *testing.T, c *apptest.Caller, method, path string, body any, headers ...string) apptest.Answer {
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

func (f *Traffic) order(t *testing.T, _ *apptest.Caller, name string, _ int) (deed, bool) {
	return deed{
		kind: "order", method: http.MethodPost, path: "/orders",
		body: map[string]any{"userId": name, "items": []any{map[string]any{"sku": sku, "quantity": 1}}},
		elsewhere: func(other *apptest.Caller, made apptest.Answer) {
			path := fmt.Sprintf("/orders/%d", int64(made.JSON(t)["id"].(float64)))
			if f.sees(t, other, path).Status == http.StatusNotFound {
				t.Errorf("the order %s is not found at the other replica", name)
			}
		},
	}, true
}

func (f *Traffic) enter(t *testing.T, _ *apptest.Caller, name string, n int) (deed, bool) {
	path := fmt.Sprintf("/wallets/w%d", n%wallets)
	return deed{
		kind: "entry", method: http.MethodPost, path: path + "/entries",
		body:      map[string]any{"amount": 1, "kind": "topup", "reference": name},
		elsewhere: func(*apptest.Caller, apptest.Answer) {},
	}, true
}

func (f *Traffic) edit(t *testing.T, here *apptest.Caller, name string, n int) (deed, bool) {
	path := fmt.Sprintf("/configs/c%d", n%configs)
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

// sees reads at a replica, and repeats the read until it succeeds.
func (f *Traffic) sees(t *testing.T, c *apptest.Caller, path string) apptest.Answer {
	for {
		answer := f.ask(t, c, http.MethodGet, path, nil)
		if answer.Status < 500 || t.Context().Err() != nil {
			f.looked.Add(1)
			return answer
		}
		clock.Sleep(t.Context(), 50*time.Millisecond)
	}
}
