package faults_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/test/apptest"
	"interlock/test/e2e/sse"
)

// follower watches configs like a browser: when its stream ends for any reason, it
// reconnects with its last event id.
type follower struct {
	mu sync.Mutex
	// start is the revision at which it started, or 0 before.
	start int64
	last  string
	seen  []int64
	gone  bool
}

// follow starts to watch and returns once the stream is open.
func follow(t *testing.T, c *apptest.Caller) *follower {
	t.Helper()
	f := &follower{}
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	running.Go(func() {
		for ctx.Err() == nil {
			f.watch(ctx, c)
			pause(ctx, 10*time.Millisecond)
		}
	})
	require.Eventually(t, func() bool { return f.revision() > 0 }, patience, 5*time.Millisecond)
	return f
}

func (f *follower) watch(ctx context.Context, c *apptest.Caller) {
	f.mu.Lock()
	last := f.last
	f.mu.Unlock()
	body, err := sse.Open(ctx, c, "/api/v1/configs/watch", "Last-Event-ID", last)
	if err != nil {
		return
	}
	defer body.Close()
	// The final check finds missing changes, so the error is ignored.
	_ = sse.Read(body, f.take)
}

func (f *follower) take(e sse.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	revision, err := strconv.ParseInt(e.ID[strings.LastIndex(e.ID, "-")+1:], 10, 64)
	if err != nil {
		return err
	}
	switch {
	case e.Name == "gone":
		f.gone = true
	case e.Name == "change":
		f.seen = append(f.seen, revision)
	case f.start == 0:
		f.start = revision
	}
	f.last = e.ID
	return nil
}

// revision returns the newest revision that the follower has.
func (f *follower) revision() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.seen); n > 0 {
		return f.seen[n-1]
	}
	return f.start
}

// settle checks that the follower received each committed change once, in order.
func (f *follower) settle(t *testing.T, databaseURL string) {
	t.Helper()
	db, err := storage.Open(t.Context(), storage.Options{URL: databaseURL, MaxConnections: 2})
	require.NoError(t, err)
	defer db.Close()
	var committed []int64
	query := db.Read(storage.AcrossTenants(t.Context()))
	require.NoError(t, query.Raw("SELECT "+placeColumn(db)+" FROM config_histories WHERE "+placeColumn(db)+" > ? ORDER BY 1", f.start).Scan(&committed).Error)
	newest := committed[len(committed)-1]
	require.Eventually(t, func() bool { return f.revision() >= newest }, patience, 10*time.Millisecond, "the last change never came")
	f.mu.Lock()
	defer f.mu.Unlock()
	require.False(t, f.gone)
	require.Equal(t, committed, f.seen)
}

// placeColumn is the column with the position of a config's version in the log.
func placeColumn(db *storage.DB) string {
	if db.Dialect == storage.MySQL {
		return "place"
	}
	return "id"
}
