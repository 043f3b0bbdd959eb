package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// elapse advances the clock of the bubble.
func elapse(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // the clock is fake

// watching collects the states of a watch.
type watching struct {
	mu     sync.Mutex
	states []ConfigState
	errors []error
	err    error
	stop   context.CancelFunc
	ended  chan struct{}
}

func startWatch(t *testing.T, f *fakeConfigs, prefix string, o WatchOptions) *watching {
	t.Helper()
	w := &watching{ended: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	w.stop = stop
	o.OnError = func(err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.errors = append(w.errors, err)
	}
	configs := f.client(t).Configs
	go func() {
		defer close(w.ended)
		for state, err := range configs.Watch(ctx, prefix, o) {
			w.mu.Lock()
			if w.err = err; err == nil {
				w.states = append(w.states, state)
			}
			w.mu.Unlock()
		}
	}()
	return w
}

// end stops the watch and returns its states.
func (w *watching) end() []ConfigState {
	w.stop()
	<-w.ended
	return w.states
}

// seen waits until the watch waits, and returns the states so far.
func (w *watching) seen() []ConfigState {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.states)
}

// versions returns the versions of a state by key.
func versions(state ConfigState) map[string]int64 {
	all := map[string]int64{}
	for _, c := range state.Items {
		all[c.Key] = c.Version
	}
	return all
}

func TestWatchReturnsEachState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("app.a", "1")
		f.set("other", "1")
		w := startWatch(t, f, "app.", WatchOptions{})
		require.Len(t, w.seen(), 1)
		f.set("app.a", "2")
		require.Len(t, w.seen(), 2)
		f.set("other", "2")
		require.Len(t, w.seen(), 2)
		f.commit(fakeVersion{key: "app.a", value: json.RawMessage("3")}, fakeVersion{key: "app.b", value: json.RawMessage("1")})
		require.Len(t, w.seen(), 3)
		f.delete("app.a")
		states := w.seen()
		require.Len(t, states, 4)
		require.Equal(t, []map[string]int64{{"app.a": 1}, {"app.a": 2}, {"app.a": 3, "app.b": 1}, {"app.b": 1}},
			[]map[string]int64{versions(states[0]), versions(states[1]), versions(states[2]), versions(states[3])})
		require.Equal(t, [][]string{{"app.a"}, {"app.a"}, {"app.a", "app.b"}, {"app.a"}},
			[][]string{states[0].Changed, states[1].Changed, states[2].Changed, states[3].Changed})
		snapshots, watches := f.requests()
		require.Equal(t, []int{4, 1}, []int{snapshots, watches}, "one read for each state, none for another config")
		w.end()
		require.ErrorIs(t, w.err, context.Canceled)
	})
}

func TestStreamCutAtAnyByteResumes(t *testing.T) {
	f := newFakeConfigs()
	f.set("a", "1")
	f.set("a", "2")
	length := len(f.change(0)) + len(f.ready("e1-1"))
	for cut := 1; cut <= length; cut++ {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeConfigs()
			f.set("a", "1")
			f.cutAfter = cut
			w := startWatch(t, f, "", WatchOptions{})
			require.Len(t, w.seen(), 1)
			f.set("a", "2")
			elapse(time.Minute)
			states := w.seen()
			require.Len(t, states, 2, "cut after %d bytes", cut)
			require.Equal(t, map[string]int64{"a": 2}, versions(states[1]))
			snapshots, _ := f.requests()
			require.Equal(t, 2, snapshots, "the watch resumed")
			w.end()
		})
	}
}

func TestReconnectionsSpreadOverDoublingPauses(t *testing.T) {
	longest := map[int]time.Duration{}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeConfigs()
			f.fail(func(r *http.Request) (*http.Response, error) {
				if isWatch(r) {
					return nil, errors.New("connection refused")
				}
				return nil, nil
			})
			w := startWatch(t, f, "", WatchOptions{})
			elapse(10 * time.Minute)
			w.end()
			for i := 1; i < len(f.watches); i++ {
				pause := f.watches[i].Sub(f.watches[i-1])
				require.Less(t, pause, min(30*time.Second, time.Second<<min(i-1, 10)))
				longest[min(i, 6)] = max(longest[min(i, 6)], pause)
			}
		})
	}
	require.Greater(t, longest[6], 20*time.Second)
	require.Greater(t, longest[1], 100*time.Millisecond)
}

func TestShortConnectionsLengthenPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.fail(func(*http.Request) (*http.Response, error) {
			f.cutAfter = len(f.ready("e1-0"))
			return nil, nil
		})
		w := startWatch(t, f, "", WatchOptions{})
		elapse(10 * time.Minute)
		_, watches := f.requests()
		require.Less(t, watches, 120)

		f.fail(nil)
		elapse(30 * time.Second)
		f.send(": ping\n\n")
		synctest.Wait()
		f.disconnect()
		before := time.Now()
		elapse(time.Second)
		w.end()
		require.Less(t, f.watches[len(f.watches)-1].Sub(before), time.Second)
		require.GreaterOrEqual(t, f.watches[len(f.watches)-1].Sub(before), time.Duration(0))
	})
}

func TestRequestedPauseIsRespected(t *testing.T) {
	for name, header := range map[string]string{"503": "Retry-After", "stream": ""} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeConfigs()
				if header != "" {
					f.fail(func(r *http.Request) (*http.Response, error) {
						if !isWatch(r) || len(f.watches) != 1 {
							return nil, nil
						}
						return refuses(http.StatusServiceUnavailable, CodeUnavailable, header, "7").reply()
					})
				}
				w := startWatch(t, f, "", WatchOptions{})
				synctest.Wait()
				if header == "" {
					f.send("retry: 7000\n\n")
					f.disconnect()
				}
				elapse(9 * time.Second)
				w.end()
				require.Len(t, f.watches, 2)
				require.GreaterOrEqual(t, f.watches[1].Sub(f.watches[0]), 7*time.Second)
			})
		})
	}
}

func TestSilentStreamIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.mute = true
		w := startWatch(t, f, "", WatchOptions{})
		for range 12 {
			elapse(10 * time.Second)
			f.send(": ping\n\n")
		}
		_, watches := f.requests()
		require.Equal(t, 1, watches, "heartbeats retain the stream")
		elapse(26 * time.Second)
		_, watches = f.requests()
		require.Equal(t, 2, watches)
		w.end()
		require.ErrorIs(t, w.errors[0], errSilent)
	})
}

func TestUnresponsiveServiceIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		w := startWatch(t, f, "", WatchOptions{})
		synctest.Wait()
		f.stall("text/event-stream")
		f.disconnect()
		elapse(30 * time.Second)
		f.set("a", "1")
		require.Len(t, w.seen(), 2)
		w.end()
	})
}

// The HTTP client of the fake has no timeout.
func TestUnresponsiveReadIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.stall("application/json")
		w := startWatch(t, f, "", WatchOptions{})
		elapse(30 * time.Second)
		require.Len(t, w.seen(), 1)
		w.end()
		require.ErrorIs(t, w.errors[0], errSilent)
	})
}

func TestFailingReadsLengthenPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		w := startWatch(t, f, "", WatchOptions{})
		require.Len(t, w.seen(), 1)
		f.fail(func(r *http.Request) (*http.Response, error) {
			if isWatch(r) {
				return nil, nil
			}
			return refuses(http.StatusInternalServerError, CodeInternal).reply()
		})
		f.set("a", "1")
		elapse(10 * time.Minute)
		_, watches := f.requests()
		require.Less(t, watches, 120)
		f.fail(nil)
		elapse(time.Minute)
		require.Len(t, w.seen(), 2)
		w.end()
	})
}

func TestWatchPollsWithoutStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.fail(func(r *http.Request) (*http.Response, error) {
			if isWatch(r) {
				return refuses(http.StatusTooManyRequests, CodeRateLimited).reply()
			}
			return nil, nil
		})
		w := startWatch(t, f, "", WatchOptions{})
		for i := range 3 {
			f.set("a", fmt.Sprint(i))
			elapse(10 * time.Minute)
		}
		states := w.seen()
		w.end()
		require.Len(t, states, 3)
		require.Equal(t, map[string]int64{"a": 3}, versions(states[2]))
	})
}

func TestRequestedPauseOfAReadIsRespected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.fail(func(*http.Request) (*http.Response, error) {
			return refuses(http.StatusServiceUnavailable, CodeUnavailable, "Retry-After", "60").reply()
		})
		w := startWatch(t, f, "", WatchOptions{})
		elapse(65 * time.Second)
		w.end()
		require.Len(t, f.snapshots, 2)
		require.GreaterOrEqual(t, f.snapshots[1].Sub(f.snapshots[0]), time.Minute)
	})
}

func TestWatchLastsUntilItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.fail(func(*http.Request) (*http.Response, error) {
			return refuses(http.StatusServiceUnavailable, CodeUnavailable, "Retry-After", "3600").reply()
		})
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		start := time.Now()
		for _, err := range f.client(t).Configs.Watch(ctx, "", WatchOptions{}) {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		require.Equal(t, time.Minute, time.Since(start))
	})
}

func TestRestoredDatabaseIsARollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "1")
		f.set("a", "2")
		f.set("a", "3")
		w := startWatch(t, f, "", WatchOptions{})
		synctest.Wait()
		f.restore(2, "e2")
		elapse(time.Minute)
		f.set("a", "4")
		states := w.seen()
		w.end()
		require.Len(t, states, 3)
		require.Equal(t, []bool{false, true, false}, []bool{states[0].Rollback, states[1].Rollback, states[2].Rollback})
		require.Equal(t, []any{int64(3), int64(2), int64(3)}, []any{states[0].Items[0].Version, states[1].Items[0].Version, states[2].Items[0].Version})
	})
}

// A stream can still contain changes of the time before the restore.
func TestRestoreIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "1")
		f.set("a", "2")
		w := startWatch(t, f, "a", WatchOptions{})
		synctest.Wait()
		f.mu.Lock()
		stream := f.streams[0]
		f.restoreTo(1, "e2")
		f.mu.Unlock()
		stream.send("id: e1-3\nevent: change\ndata: {\"key\":\"a\"}\n\n")
		stream.send("id: e1-4\nevent: change\ndata: {\"key\":\"other\"}\n\n")
		elapse(time.Minute)
		f.set("a", "3")
		states := w.seen()
		w.end()
		require.Len(t, states, 3)
		require.Equal(t, []bool{false, true, false}, []bool{states[0].Rollback, states[1].Rollback, states[2].Rollback})
		require.ErrorContains(t, w.errors[0], "the database was restored")
	})
}

func TestTruncatedLogIsNoRollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.retained = 2
		f.set("a", "1")
		w := startWatch(t, f, "", WatchOptions{})
		synctest.Wait()
		f.disconnect()
		for i := range 5 {
			f.set("a", fmt.Sprint(i))
		}
		elapse(time.Minute)
		states := w.seen()
		w.end()
		require.Len(t, states, 2)
		require.False(t, states[1].Rollback)
		require.Equal(t, f.watches[1], f.snapshots[1], "the state is read without a pause")
		require.Equal(t, []string{"a"}, states[1].Changed)
		require.EqualValues(t, 6, states[1].Items[0].Version)
	})
}

// A replica can send a change before another replica reads it.
func TestStateBeforeItsChangeIsNotApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "1")
		w := startWatch(t, f, "", WatchOptions{})
		synctest.Wait()
		f.lag = 1
		f.set("a", "2")
		elapse(time.Minute)
		require.Len(t, w.seen(), 1)
		f.mu.Lock()
		f.lag = 0
		f.mu.Unlock()
		elapse(time.Minute)
		states := w.seen()
		w.end()
		require.Len(t, states, 2)
		require.False(t, states[1].Rollback)
		require.EqualValues(t, 2, states[1].Items[0].Version)
	})
}

func TestRejectionByTheServiceEndsTheWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		body := `<html>`
		f.fail(func(*http.Request) (*http.Response, error) { return says(http.StatusForbidden, body).reply() })
		w := startWatch(t, f, "", WatchOptions{})
		elapse(time.Minute)
		require.Empty(t, w.seen())
		require.NoError(t, w.err, "a proxy rejects requests while it has no backend")
		f.mu.Lock()
		body = `{"code":"forbidden"}`
		f.mu.Unlock()
		<-w.ended
		require.True(t, HasCode(w.err, CodeForbidden))
	})
}

func TestCallerStopsTheWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "1")
		for state, err := range f.client(t).Configs.Watch(t.Context(), "", WatchOptions{}) {
			require.NoError(t, err)
			if state.Items[0].Version == 2 {
				break
			}
			f.set("a", "2")
		}
	})
}
