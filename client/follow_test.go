package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// problems collects the errors that a follower reports.
type problems struct {
	mu  sync.Mutex
	all []error
}

func (p *problems) add(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, err)
}

// options returns options that report to p and store the state in path.
func (p *problems) options(path string) FollowOptions {
	return FollowOptions{WatchOptions: WatchOptions{OnError: p.add}, File: path}
}

// unreachable makes every request fail.
func (f *fakeConfigs) unreachable() {
	f.fail(func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") })
	f.disconnect()
}

// followA follows the config a, as a number with the fallback -1.
func followA(t *testing.T, f *fakeConfigs, o FollowOptions) *Followed[int] {
	t.Helper()
	return Follow(t.Context(), f.client(t).Configs, "a", -1, o)
}

func TestFollowedValueChangesWithItsConfig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		a := followA(t, f, FollowOptions{})
		defer a.Close()
		require.Equal(t, -1, a.Get())
		require.NoError(t, a.Ready(t.Context()))
		require.Equal(t, -1, a.Get(), "a missing config")
		for _, step := range []struct {
			value string
			get   int
			err   string
		}{{"1", 1, ""}, {"2", 2, ""}, {`"two"`, 2, "decode the value of a"}, {"3", 3, ""}} {
			f.set("a", step.value)
			f.set("ab", step.value)
			synctest.Wait()
			now := a.Load()
			require.Equal(t, step.get, now.Value)
			if step.err == "" {
				require.NoError(t, now.Err)
			} else {
				require.ErrorContains(t, now.Err, step.err)
			}
			require.Len(t, now.Configs, 1)
		}
		f.delete("a")
		synctest.Wait()
		require.Equal(t, -1, a.Get())
		require.Empty(t, a.Load().Configs)
	})
}

func TestInvalidValueIsReportedAgainAfterAReconnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "1")
		a := followA(t, f, FollowOptions{})
		defer a.Close()
		synctest.Wait()
		f.set("a", `"x"`)
		f.disconnect()
		elapse(time.Minute)
		require.ErrorContains(t, a.Load().Err, "decode the value of a")
	})
}

func TestStatusFollowsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "1")
		a := followA(t, f, FollowOptions{})
		defer a.Close()
		synctest.Wait()
		var updates []string
		for now := range a.Updates(t.Context()) {
			updates = append(updates, fmt.Sprint(now.Value, " ", now.Source, " ", now.Err))
			if len(updates) == 1 {
				f.disconnect()
			}
			if len(updates) == 3 {
				break
			}
		}
		require.Equal(t, []string{"1 service <nil>", "1 service GET /configs/watch: read the stream: EOF", "1 service <nil>"}, updates)
	})
}

func TestStatusWaitsForMissedChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "1")
		a := followA(t, f, FollowOptions{})
		defer a.Close()
		synctest.Wait()
		require.NoError(t, a.Load().Err)
		f.fail(func(r *http.Request) (*http.Response, error) {
			if isWatch(r) {
				return nil, nil
			}
			return unresponsive(r, "application/json"), nil
		})
		f.disconnect()
		f.set("a", "2")
		elapse(2 * time.Second)
		_, watches := f.requests()
		require.Equal(t, 2, watches, "it is connected")
		require.Error(t, a.Load().Err)
		f.fail(nil)
		elapse(time.Minute)
		require.Equal(t, 2, a.Get())
		require.NoError(t, a.Load().Err)
	})
}

func TestPermissionsAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.commit(fakeVersion{key: "a", value: json.RawMessage("7"), secret: true})
		f.withhold(true)
		a := followA(t, f, FollowOptions{})
		defer a.Close()
		for _, withheld := range []bool{true, false, true} {
			f.withhold(withheld)
			elapse(time.Minute)
			if withheld {
				require.ErrorContains(t, a.Load().Err, "the credential lacks configs:secrets")
			} else {
				require.NoError(t, a.Load().Err)
				require.Equal(t, 7, a.Get())
			}
		}
	})
}

func TestOtherConfigsCauseNoRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		a := followA(t, f, FollowOptions{})
		defer a.Close()
		synctest.Wait()
		for range 5 {
			f.set("ab", "1")
			synctest.Wait()
		}
		f.set("a", "2")
		synctest.Wait()
		require.Equal(t, 2, a.Get())
		snapshots, _ := f.requests()
		require.Equal(t, 2, snapshots)
	})
}

func TestUpdatesEndWithTheLastValue(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeConfigs()
			f.set("a", "1")
			a := followA(t, f, FollowOptions{})
			require.NoError(t, a.Ready(t.Context()))
			var last Current[int]
			for last = range a.Updates(t.Context()) {
				if last.Value == 1 {
					f.set("a", "2")
					synctest.Wait()
					a.Close()
				}
			}
			require.Equal(t, 2, last.Value)
			require.ErrorIs(t, last.Err, context.Canceled)
		})
	}
}

func TestRejectedCredentialIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "1")
		a := followA(t, f, FollowOptions{})
		defer a.Close()
		synctest.Wait()
		f.fail(func(*http.Request) (*http.Response, error) { return forbids.reply() })
		f.disconnect()
		elapse(time.Minute)
		require.True(t, HasCode(a.Load().Err, CodeForbidden))
		f.set("a", "2")
		f.fail(nil)
		elapse(time.Minute)
		require.Equal(t, 2, a.Get())
		require.NoError(t, a.Load().Err)
	})
}

func TestUpdatesReportASkippedRollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		for i := range 5 {
			f.set("a", fmt.Sprint(i))
		}
		a := followA(t, f, FollowOptions{})
		defer a.Close()
		synctest.Wait()
		var updates []string
		for now := range a.Updates(t.Context()) {
			updates = append(updates, fmt.Sprint(now.Value, " ", now.Rollback))
			if len(updates) == 3 {
				break
			}
			if len(updates) == 1 {
				f.restore(2, "e2")
				elapse(time.Minute)
			}
			f.set("a", fmt.Sprint(10+len(updates)))
			synctest.Wait()
		}
		require.Equal(t, []string{"4 false", "11 true", "12 false"}, updates)
	})
}

func TestPrefixIsOneValueOfOneMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("app.low", "1")
		f.set("app.high", "2")
		decode := func(configs []Config) (map[string]int, error) {
			limits := map[string]int{}
			for _, c := range configs {
				var n int
				if err := c.Decode(&n); err != nil {
					return nil, err
				}
				limits[strings.TrimPrefix(c.Key, "app.")] = n
			}
			if limits["low"] > limits["high"] {
				return nil, errors.New("low is above high")
			}
			return limits, nil
		}
		limits := FollowPrefix(t.Context(), f.client(t).Configs, "app.", nil, decode, FollowOptions{})
		defer limits.Close()
		synctest.Wait()
		f.commit(fakeVersion{key: "app.low", value: json.RawMessage("5")}, fakeVersion{key: "app.high", value: json.RawMessage("6")})
		synctest.Wait()
		require.Equal(t, map[string]int{"low": 5, "high": 6}, limits.Get())
		f.set("app.low", "7")
		synctest.Wait()
		require.Equal(t, map[string]int{"low": 5, "high": 6}, limits.Get())
		require.EqualError(t, limits.Load().Err, "low is above high")
	})
}

func TestFileStartsAFollowerWithoutService(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "1")
		f.set("a", "2")
		first := followA(t, f, FollowOptions{File: path})
		synctest.Wait()
		first.Close()
		require.Error(t, first.Load().Err, "it does not follow any more")

		f.unreachable()
		var reported problems
		again := followA(t, f, reported.options(path))
		defer again.Close()
		now := again.Load()
		require.Equal(t, []any{2, SourceFile, int64(2), "e1-2"}, []any{now.Value, now.Source, now.Configs[0].Version, now.Revision})
		require.Error(t, now.Err)
		f.set("a", "3")
		f.fail(nil)
		elapse(time.Minute)
		now = again.Load()
		require.Equal(t, []any{3, SourceService, false}, []any{now.Value, now.Source, now.Rollback})
		require.NoError(t, now.Err)
	})
}

func TestRollbackBetweenTwoRunsIsReported(t *testing.T) {
	for _, epoch := range []string{"e1", "e2"} {
		path := filepath.Join(t.TempDir(), "a")
		synctest.Test(t, func(t *testing.T) {
			f := newFakeConfigs()
			f.set("a", "1")
			f.set("a", "2")
			first := followA(t, f, FollowOptions{File: path})
			synctest.Wait()
			first.Close()
			f.restore(1, epoch)
			again := followA(t, f, FollowOptions{File: path})
			synctest.Wait()
			again.Close()
			require.Equal(t, []any{1, true}, []any{again.Load().Value, again.Load().Rollback})
			third := followA(t, f, FollowOptions{File: path})
			synctest.Wait()
			third.Close()
			require.False(t, third.Load().Rollback, "it was reported before")
		})
	}
}

// startOffline follows a without a service.
func startOffline(t *testing.T, path string, o FollowOptions, options ...func(*Client)) (now Current[int], reported []error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.fail(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		c := f.client(t)
		for _, option := range options {
			option(c)
		}
		var errs problems
		o.File, o.OnError = path, errs.add
		a := Follow(t.Context(), c.Configs, "a", -1, o)
		now = a.Load()
		a.Close()
		reported = errs.all
	})
	return now, reported
}

// storeA stores the config a with the value 7.
func storeA(t *testing.T, secret bool, o FollowOptions) (path string) {
	t.Helper()
	o.File = filepath.Join(t.TempDir(), "a")
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.commit(fakeVersion{key: "a", value: json.RawMessage("7"), secret: secret})
		a := followA(t, f, o)
		synctest.Wait()
		a.Close()
		require.Equal(t, 7, a.Get())
	})
	return o.File
}

func TestForeignFileIsIgnored(t *testing.T) {
	path := storeA(t, false, FollowOptions{})
	now, reported := startOffline(t, path, FollowOptions{})
	require.Equal(t, 7, now.Value)
	require.Empty(t, reported)
	for name, change := range map[string]func(*Client){
		"token":  func(c *Client) { c.token = "another" },
		"server": func(c *Client) { c.base = "http://another/api/v1" },
	} {
		now, reported := startOffline(t, path, FollowOptions{}, change)
		require.Equal(t, []any{-1, SourceFallback}, []any{now.Value, now.Source}, name)
		require.ErrorContains(t, reported[0], "are of another server, token, key or prefix", name)
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), `"token"`)
}

func TestDamagedFileIsIgnored(t *testing.T) {
	path := storeA(t, false, FollowOptions{})
	complete, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := range complete {
		flipped := bytes.Clone(complete)
		flipped[i] ^= 1
		for _, damaged := range [][]byte{complete[:i], flipped} {
			require.NoError(t, os.WriteFile(path, damaged, 0o600))
			_, err := (&stateFile{path: path}).load()
			require.ErrorContains(t, err, "do not match their checksum")
		}
	}
	now, reported := startOffline(t, path, FollowOptions{})
	require.Equal(t, -1, now.Value)
	require.Len(t, reported, 1)
}

func TestSecretIsStoredOnlyOnRequest(t *testing.T) {
	for _, store := range []bool{false, true} {
		o := FollowOptions{StoreSecrets: store}
		path := storeA(t, true, o)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, store, strings.Contains(string(text), `"value":7`))
		now, reported := startOffline(t, path, o)
		require.Equal(t, map[bool]int{false: -1, true: 7}[store], now.Value)
		require.Equal(t, map[bool]Source{false: SourceFallback, true: SourceFile}[store], now.Source)
		if store {
			require.Empty(t, reported)
		} else {
			require.ErrorContains(t, reported[0], "lacks its secret configs (1)")
		}
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm())
	}
}

func TestUndecodableStateIsNotStored(t *testing.T) {
	path := storeA(t, false, FollowOptions{})
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "7")
		f.set("a", `"eight"`)
		a := followA(t, f, FollowOptions{File: path})
		synctest.Wait()
		require.Equal(t, []any{7, SourceFile}, []any{a.Load().Value, a.Load().Source})
		a.Close()
	})
	now, _ := startOffline(t, path, FollowOptions{})
	require.Equal(t, 7, now.Value)
}

func TestValueIsStoredBeforeItIsVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		f.set("a", "1")
		a := followA(t, f, FollowOptions{File: filepath.Join(t.TempDir(), "a")})
		synctest.Wait()
		disk := &stepDisk{before: func(string) { require.Equal(t, 1, a.Get()) }}
		a.file.disk = disk
		f.set("a", "2")
		synctest.Wait()
		require.Equal(t, 2, a.Get())
		require.NotEmpty(t, disk.steps)
		a.Close()
	})
}

func TestFullDiskDoesNotStopAFollower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		var reported problems
		a := followA(t, f, reported.options(filepath.Join(t.TempDir(), "a")))
		synctest.Wait()
		a.file.disk = &stepDisk{failAt: "sync"}
		f.set("a", "2")
		synctest.Wait()
		require.Equal(t, 2, a.Get())
		a.Close()
		require.ErrorIs(t, reported.all[0], syscall.ENOSPC)
	})
}

func TestUnsavedValueIsSavedAfterAReconnection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	synctest.Test(t, func(t *testing.T) {
		f := newFakeConfigs()
		a := followA(t, f, FollowOptions{File: path})
		synctest.Wait()
		a.file.disk = &stepDisk{failAt: "sync"}
		f.set("a", "2")
		synctest.Wait()
		a.file.disk = systemDisk{}
		f.disconnect()
		elapse(time.Minute)
		a.Close()
	})
	now, _ := startOffline(t, path, FollowOptions{})
	require.Equal(t, 2, now.Value)
}

func TestFileIsReplacedDurably(t *testing.T) {
	steps := []string{"open", "truncate", "write", "sync", "close", "rename", "sync directory"}
	disk := &stepDisk{}
	require.NoError(t, replaceFile(disk, "dir/file", []byte("new")))
	require.Equal(t, steps, disk.steps)
	for i, step := range steps {
		disk := &stepDisk{failAt: step}
		require.ErrorIs(t, replaceFile(disk, "dir/file", []byte("new")), syscall.ENOSPC, step)
		if i < 5 {
			require.NotContains(t, disk.steps, "rename", step)
		}
	}
}

// A crash leaves the effects of the steps before it.
func TestCrashLeavesACompleteFile(t *testing.T) {
	for _, step := range []string{"open", "truncate", "write", "sync", "close", "rename", "sync directory", ""} {
		path := storeA(t, false, FollowOptions{})
		file := newStateFile(newFakeConfigs().client(t), subject{prefix: "a", one: true}, FollowOptions{File: path})
		file.disk = &stepDisk{below: systemDisk{}, failAt: step}
		next := ConfigSnapshot{Revision: "e1-2", Items: []Config{{Key: "a", Value: json.RawMessage("8")}}}
		require.Equal(t, step == "", file.save(next) == nil)
		state, err := file.load()
		require.NoError(t, err, step)
		isNew := step == "" || step == "sync directory"
		require.Equal(t, map[bool]string{false: "7", true: "8"}[isNew], string(state.Items[0].Value), step)
		file.disk = systemDisk{}
		require.NoError(t, file.save(next), "a later run replaces the temporary file")
	}
}

// A crash of the machine can lose unsynced content, and undo a rename or not.
func TestCrashOfTheMachineLeavesACompleteFile(t *testing.T) {
	for _, step := range []string{"open", "truncate", "write", "sync", "close", "rename", "sync directory", ""} {
		for _, of := range []left{nothing, everything} {
			disk := &testDisk{}
			err := replaceFile(&stepDisk{below: disk, failAt: step}, "dir/file", []byte("new"))
			require.Equal(t, step == "", err == nil)
			disk.crash(of)
			if disk.renamed {
				require.Equal(t, "new", string(disk.written), "the rename survived a failed %s", step)
			}
			require.Equal(t, step == "", disk.renamed && disk.named, "the rename survives only a complete replacement for sure")
		}
	}
}

// stepDisk records the steps of a replacement and fails at one of them. The other steps have their
// effects on the disk below, if there is one.
type stepDisk struct {
	below  disk
	failAt string
	before func(step string)
	steps  []string
}

func (d *stepDisk) step(name string, effect func() error) error {
	if d.before != nil {
		d.before(name)
	}
	if name == d.failAt {
		return syscall.ENOSPC
	}
	d.steps = append(d.steps, name)
	if d.below == nil {
		return nil
	}
	return effect()
}

func (d *stepDisk) open(path string) (diskFile, error) {
	f := &stepFile{disk: d}
	return f, d.step("open", func() (err error) {
		f.file, err = d.below.open(path)
		return err
	})
}

func (d *stepDisk) rename(from, to string) error {
	return d.step("rename", func() error { return d.below.rename(from, to) })
}

func (d *stepDisk) syncDirectory(path string) error {
	return d.step("sync directory", func() error { return d.below.syncDirectory(path) })
}

type stepFile struct {
	disk *stepDisk
	file diskFile
}

func (f *stepFile) Read(p []byte) (int, error) { return f.file.Read(p) }

func (f *stepFile) Truncate(size int64) error {
	return f.disk.step("truncate", func() error { return f.file.Truncate(size) })
}

func (f *stepFile) WriteAt(p []byte, offset int64) (n int, err error) {
	return len(p), f.disk.step("write", func() error {
		_, err := f.file.WriteAt(p, offset)
		return err
	})
}

func (f *stepFile) Sync() error { return f.disk.step("sync", func() error { return f.file.Sync() }) }

func (f *stepFile) Close() error { return f.disk.step("close", func() error { return f.file.Close() }) }

func TestAwaitReturnsTheEndOfATicket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queued, confirmed := says(http.StatusOK, `{"ticket":"t","status":"queued"}`), says(http.StatusOK, `{"ticket":"t","status":"confirmed","orderId":7}`)
		s := &script{replies: replies{queued, lost, gateway, queued, confirmed}}
		ticket, err := s.client(t).FlashSales.Await(t.Context(), 1, "t")
		require.NoError(t, err)
		require.EqualValues(t, 7, *ticket.OrderID)

		s = &script{replies: replies{queued, refuses(http.StatusNotFound, CodeNotFound)}}
		_, err = s.client(t).FlashSales.Await(t.Context(), 1, "t")
		require.True(t, HasCode(err, CodeNotFound))

		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		s = &script{}
		for range 1000 {
			s.replies = append(s.replies, queued)
		}
		_, err = s.client(t).FlashSales.Await(ctx, 1, "t")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, len(s.at), 200, "the pauses grow")

		limited := refuses(http.StatusTooManyRequests, CodeRateLimited, "Retry-After", "50")
		s = &script{replies: replies{limited, limited, limited, limited, confirmed}}
		_, err = s.client(t).FlashSales.Await(t.Context(), 1, "t")
		require.NoError(t, err)
		require.GreaterOrEqual(t, s.at[4], 4*50*time.Second, "Await also waits for the requested time")
	})
}
