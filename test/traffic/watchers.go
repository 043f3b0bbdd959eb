package traffic

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
	"interlock/test/e2e/sse"
)

// change is a version of a config that a writer made.
type change struct {
	key     string
	version int64
}

// watcher watches configs and resumes after an interruption.
type watcher struct {
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
func (w *watcher) follow(ctx context.Context) {
	for ctx.Err() == nil {
		stream, err := sse.Open(ctx, w.at, httpapi.Base+"/configs/watch", "Last-Event-ID", w.last)
		switch {
		case err == nil:
			// The final check finds missing changes, so the error is ignored.
			_ = sse.Read(stream, w.take)
			stream.Close()
		case strings.Contains(err.Error(), " answered ") && !strings.Contains(err.Error(), " answered 503 "):
			w.t.Errorf("a watcher was refused: %v", err)
		}
		clock.Sleep(ctx, 50*time.Millisecond)
	}
}

func (w *watcher) take(e sse.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := w.last == ""
	w.last = e.ID
	switch e.Name {
	case "ready":
		if w.streams++; first {
			close(w.stands)
		}
	case "change":
		key, _ := e.Data["key"].(string)
		version, _ := e.Data["version"].(float64)
		seen := change{key, int64(version)}
		w.times[seen]++
		w.order = append(w.order, seen)
	default:
		w.t.Errorf("a watcher was told %q", e.Name)
	}
	return nil
}

func (w *watcher) seen() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.times)
}

// verifyWatchers checks that each watcher has received each change once, and all in one
// order.
func (f *Traffic) verifyWatchers(t *testing.T, pool *sql.DB) {
	t.Helper()
	rows, err := pool.QueryContext(t.Context(),
		"SELECT h.`key`, h.version FROM config_histories h JOIN tenants t ON t.id = h.tenant_id WHERE t.name = ?", tenantOf(f.callers[0]))
	require.NoError(t, err)
	defer rows.Close()
	changes := map[change]int{}
	for rows.Next() {
		var c change
		require.NoError(t, rows.Scan(&c.key, &c.version))
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
