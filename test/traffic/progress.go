package traffic

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"interlock/internal/base/clock"
)

// Soon is the maximum time until the service writes again after its engine has recovered.
const Soon = 10 * time.Second

// anyKind is a write of any kind.
const anyKind = "write"

func place(replica int, kind string) string { return fmt.Sprint(kind, " at ", replica) }

// RequireWrites checks that a write of each kind, or of any kind if none is given, succeeds
// at each replica within Soon from now on.
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

// soFar returns the number of successful writes, by replica and kind.
func (f *Traffic) soFar() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.landed)
}

// Note records the time from a failure to the next success.
func (f *Traffic) Note(after string, took time.Duration) {
	f.slowest[after] = max(f.slowest[after], took.Round(10*time.Millisecond))
}

// Slowest returns the longest time until a write succeeded at each replica, by the failure.
// Only the goroutine that calls RequireWrites and Note may call it.
func (f *Traffic) Slowest() map[string]time.Duration { return f.slowest }

// End stops the writers.
func (f *Traffic) End() {
	f.ended.Store(true)
	f.writers.Wait()
}
