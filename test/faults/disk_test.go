package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
	"interlock/test/racing"
)

// answered is the maximum time until a caller has a response, whatever the disk does: 8 s for
// COMMIT and 8 s for the query of its outcome, or five times the 5 s wait for a row that such a
// COMMIT has locked. The request itself would end after 40 s.
const answered = 30 * time.Second

// long makes edits fill a small disk quickly.
var long = strings.Repeat("x", 4<<10)

// strain makes four writers send edits with values between a name and a text, until enough returns
// true. It calls enough with each response, and returns the longest response time and the number of
// edits.
func (l *ledger) strain(t *testing.T, c *apptest.Caller, name, text string, enough func(apptest.Answer, error) bool) (longest time.Duration, sent int) {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), 5*time.Minute)
	defer done()
	var running sync.WaitGroup
	var mu sync.Mutex
	var n atomic.Int64
	for range 4 {
		running.Go(func() {
			for ctx.Err() == nil {
				key := l.keys[rand.IntN(len(l.keys))]
				etag := l.newest(ctx, c, key)
				if etag == "" {
					return
				}
				mark := fmt.Sprintf("%s:%d:%s", name, n.Add(1), text)
				start := time.Now()
				// The request outlives ctx, so that every response that arrives is
				// recorded.
				answer, err := c.Try(context.WithoutCancel(ctx), http.MethodPatch, "/api/v1/configs/"+key, map[string]any{"value": mark}, "If-Match", etag)
				took := time.Since(start)
				l.book(mark, answer, err)
				mu.Lock()
				longest = max(longest, took)
				if enough(answer, err) {
					done()
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	return longest, int(n.Load())
}

// after returns an enough for strain that returns true after n responses that match is.
func after(n int, is func(apptest.Answer, error) bool) func(apptest.Answer, error) bool {
	return func(answer apptest.Answer, err error) bool {
		if is(answer, err) {
			n--
		}
		return n <= 0
	}
}

func done(answer apptest.Answer, err error) bool { return err == nil && answer.Status == http.StatusOK }

// hasNoRoom reports whether a response means that the disk is full.
func hasNoRoom(answer apptest.Answer, err error) bool {
	return err == nil && answer.Code() == "unavailable" && strings.Contains(string(answer.Body), "no room left to write")
}

func unknown(answer apptest.Answer, err error) bool {
	return err == nil && answer.Code() == "outcome_unknown"
}

// requireReads checks that the service still serves reads.
func requireReads(t *testing.T, c *apptest.Caller, key string) {
	t.Helper()
	start := time.Now()
	require.Equal(t, http.StatusOK, status(t.Context(), c, "/api/v1/configs/"+key))
	require.Less(t, time.Since(start), answered)
}

// failingDisk runs one edit after the other while the disk fails for a time, and compares
// the responses with the state that a crash would leave.
func failingDisk(t *testing.T, rounds int) {
	t.Parallel()
	random := racing.Seeded(t)
	disk := storagetest.NewDisk(t)
	s := apptest.Settings(filepath.Dir(disk.Path))
	_, c := serveHere(t, s)
	l := newLedger(t, c, 2)
	codes := map[storagetest.Op][]int32{
		storagetest.Sync:  {storagetest.SyncFailed, storagetest.DiskBusy},
		storagetest.Write: {storagetest.WriteFailed, storagetest.DiskFull},
	}
	for round := range rounds {
		op := []storagetest.Op{storagetest.Sync, storagetest.Write}[random.IntN(2)]
		code := codes[op][random.IntN(2)]
		// The first operations succeed, the next ones fail, the others succeed again.
		var passed atomic.Int64
		first, failing := int64(random.IntN(8)), int64(1+random.IntN(12))
		disk.Fail(func(performed storagetest.Op, file string) int32 {
			if performed != op || !strings.HasSuffix(file, "-wal") {
				return 0
			}
			if n := passed.Add(1); n > first && n <= first+failing {
				return code
			}
			return 0
		})
		l.edit(t.Context(), c, l.keys[round%2], fmt.Sprintf("round %d", round))
		disk.Fail(nil)
		l.settle(t, disk.CrashImage(t))
	}
	l.edit(t.Context(), c, l.keys[0], "afterwards")
	l.settle(t, s.URL())
	acknowledged, refused, unknown := l.totals()
	t.Logf("%d edits acknowledged, %d rejected, %d unknown", acknowledged, refused, unknown)
	require.Positive(t, acknowledged)
}

// refuseCommits makes the server return errors for COMMITs during edits, after it has
// executed some of them.
func refuseCommits(t *testing.T, edits int) {
	t.Parallel()
	random := racing.Seeded(t)
	s := fresh(t, "mariadb")
	direct := s.DatabaseURL
	var tap *storagetest.Tap
	tap, s.DatabaseURL = storagetest.NewTap(t, direct)
	_, c := serveHere(t, s)
	l := newLedger(t, c, 5)
	roll := dice(random.Uint64())
	tap.Refuse(func(statement string) *storagetest.Refusal {
		if statement != "COMMIT" && statement != "ROLLBACK" || roll(6) > 0 {
			return nil
		}
		number := []uint16{1047, 1180, 1205, 1105, 8501, 1213}[roll(6)]
		// A transaction that the engine reports as rolled back is not executed.
		return &storagetest.Refusal{Number: number, Message: "refused", Executed: number != 1213 && roll(2) == 0}
	})
	l.write(t.Context(), c, random, 8, edits)
	tap.Refuse(nil)
	l.settle(t, direct)
	acknowledged, refused, unknown := l.totals()
	t.Logf("%d edits acknowledged, %d rejected, %d unknown", acknowledged, refused, unknown)
	require.Zero(t, unknown, "each outcome could be determined")
	require.Greater(t, acknowledged, edits/10)
}
