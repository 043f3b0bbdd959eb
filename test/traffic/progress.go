package traffic

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"interlock/internal/base/clock"
)

// Soon bounds how long the service may take to write again once its engine can.
const Soon = 10 * time.Second

// anyKind stands for a write of whichever kind.
const anyKind = "write"

func place(replica int, kind string) string { return fmt.Sprint(kind, " at ", replica) }

// RequireWrites checks that a write of each kind, or of any without one, succeeds at each replica
// soon, from now on.
func (f *Traffic) RequireWrites(t *testing.T, after string, kinds ...string) {
	t.Helper()
	if len(kinds) == 0 {
		kinds = []string{anyKind}
	}
	from, before := clock.Mark(), f.soFar()
	var lacking []string
	landed := func() bool {
		now := f.soFar()
		lacking = nil
		for replica := range f.callers {
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
	f.Note(after, took)
	t.Logf("%s: %v", after, took)
	if took > Soon {
		t.Errorf("%v after the engine could write again (%s), these lack: %v", took, after, lacking)
	}
}

// soFar returns how many writes have succeeded, by replica and kind.
func (f *Traffic) soFar() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.landed)
}

// Note notes how long something took to succeed after something had broken.
func (f *Traffic) Note(after string, took time.Duration) {
	f.slowest[after] = max(f.slowest[after], took.Round(10*time.Millisecond))
}

// Slowest returns how long it took at most until a write succeeded at each replica, by what had
// broken. It is for the goroutine that calls RequireWrites and Note.
func (f *Traffic) Slowest() map[string]time.Duration { return f.slowest }

// End has the writers end.
func (f *Traffic) End() {
	f.ended.Store(true)
	f.writers.Wait()
}
