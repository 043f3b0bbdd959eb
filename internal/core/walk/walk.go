// Package walk runs long walks over tables in the background, in steps and in one process at a time.
//
// Invariants:
//
//   - A Walker uses a fixed share of one connection's time: after a step of duration d, even a failed
//     one, it pauses until d is that share.
//   - The process with the lease walks. The state of a walk is saved under a version, so a process
//     that was paused beyond its lease overwrites nothing.
//   - The position is saved at least every saveEvery and at the end, so another process resumes a walk
//     that was interrupted.
//   - The walks of a Walker take turns, and a failing walk does not stop the others.
package walk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/lock"
)

const (
	// retryEvery is the delay after a failed step of a walk.
	retryEvery = time.Minute
	// saveEvery bounds the work that is lost when a process ends.
	saveEvery = 15 * time.Second
	// A step reads at least fewestRows rows, and more as far as its time permits.
	fewestRows = 10
	// MaxRows is the maximum number of rows of a step.
	MaxRows  = 1000
	stepTime = 20 * time.Millisecond
)

// ErrAbandoned is returned by Task.Step to end a pass that must not continue.
var ErrAbandoned = errors.New("walk: the pass is abandoned")

// Task is the work of a Walker.
type Task interface {
	// Due reports whether a new pass of a walk should start.
	Due(st *State) bool
	// Begin prepares the state of a new pass. It is saved before the first step.
	Begin(st *State)
	// Step handles the next rows after a position, at most rows, adds their numbers to st, and
	// returns the position of the last row; nil if the pass is complete.
	Step(ctx context.Context, st *State, after []any, rows int) (next []any, err error)
	// Complete is called at the end of a pass, before its state is saved.
	Complete(ctx context.Context, st *State) error
	// Finish is called when no walk is due, while the process has the lease.
	Finish(ctx context.Context) error
}

// Options describe a Walker.
type Options struct {
	DB    *storage.DB
	Locks lock.Locker
	Clock clock.Clock
	// Kind is the kind of the states, and the key of the lease. Owner describes the owner of the lease.
	Kind, Owner string
	// Names are the names of the walks, in their order.
	Names []string
	// Share is the share of one connection's time, such as 0.01.
	Share float64
}

// Walker runs the walks of one kind.
type Walker struct {
	Options

	mu sync.Mutex
	// seen contains the states that this process read or saved last, for metrics.
	seen map[string]State

	// rows contains the number of rows of each walk's next step. later contains the time of the retry
	// after a failed step.
	rows  map[string]int
	later map[string]time.Time
	// Pause waits between two steps, and returns false to end the turn. Tests replace it.
	Pause func(ctx context.Context, d time.Duration) bool
}

// New returns a Walker.
func New(o Options) *Walker {
	return &Walker{Options: o, seen: map[string]State{}, rows: map[string]int{}, later: map[string]time.Time{}, Pause: clock.Sleep}
}

// Background returns the service that runs turns; none if the share is 0.
func (w *Walker) Background(name string, every time.Duration, turn func(ctx context.Context) error) []background.Service {
	if w.Share <= 0 {
		return nil
	}
	return []background.Service{{Name: name, Every: every, Run: turn}}
}

// Turn reads the states, for the metrics of this process, and runs due walks if this process gets
// the lease. If no walk is due and there is no other work, it acquires no lease.
func (w *Walker) Turn(ctx context.Context, task Task, otherWork bool) error {
	states, err := w.States(ctx)
	if err != nil {
		return err
	}
	if !otherWork && !w.anyDue(task, states) {
		return nil
	}
	lease, err := w.Locks.Acquire(lock.WithOwner(ctx, w.Owner), 0, w.Kind)
	if errors.Is(err, lock.ErrNotAcquired) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx)) }()
	err = w.Work(lease.Context(), task)
	if errors.Is(err, ErrOvertaken) || context.Cause(lease.Context()) != nil {
		return nil
	}
	return err
}

// Work runs steps, one walk after the other, until no walk is due or ctx ends. Turn calls it while
// the process has the lease.
func (w *Walker) Work(ctx context.Context, task Task) error {
	states, err := w.States(ctx)
	if err != nil {
		return err
	}
	saved := map[string]time.Time{}
	for i := 0; ; i = (i + 1) % len(w.Names) {
		if i == 0 && (ctx.Err() != nil || !w.anyDue(task, states)) {
			break
		}
		st := states[w.Names[i]]
		if !w.due(task, st) {
			continue
		}
		started := clock.Mark()
		switch err := w.step(ctx, task, st, saved); {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrOvertaken):
			return err
		case err != nil:
			if _, failing := w.later[st.Name]; !failing {
				slog.WarnContext(ctx, "walk: step failed; will retry", "kind", w.Kind, "walk", st.Name, "error", err)
			}
			w.later[st.Name] = w.Clock.Now().Add(retryEvery)
		default:
			delete(w.later, st.Name)
		}
		if !w.Pause(ctx, time.Duration(float64(clock.Since(started))*(1/w.Share-1))) {
			return ctx.Err()
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return task.Finish(ctx)
}

// step runs the next step of a walk. If it fails, st has the state of the last saved or successful
// step.
func (w *Walker) step(ctx context.Context, task Task, st *State, saved map[string]time.Time) error {
	if !st.Running() {
		now, next := w.Clock.Now(), *st
		next.Passes, next.Position, next.Pass = next.Passes+1, "", Pass{StartedTime: &now}
		task.Begin(&next)
		if err := w.save(ctx, st, next); err != nil {
			return err
		}
		saved[st.Name] = now
	}
	after, err := storage.DecodePosition(st.Position)
	if err != nil {
		return err
	}
	rows, started, next := w.rowsOf(st.Name), clock.Mark(), *st
	position, err := task.Step(ctx, &next, after, rows)
	took, now := clock.Since(started), w.Clock.Now()
	switch {
	case errors.Is(err, ErrAbandoned):
		next.Position, next.EndedTime = "", &now
		return w.save(ctx, st, next)
	case err != nil:
		// The rows may have been too many for the time-out of a statement.
		w.rows[st.Name] = max(fewestRows, rows/2)
		return err
	}
	w.fit(st.Name, rows, took)
	next.BusyUS += took.Microseconds()
	if next.Position, err = storage.EncodePosition(position); err != nil {
		return err
	}
	if position == nil {
		if err := task.Complete(ctx, &next); err != nil {
			return err
		}
		next.EndedTime = &now
		next.Last = next.Pass
		if next.Found == 0 {
			next.CleanTime = &now
		}
	}
	if position == nil || now.Sub(saved[st.Name]) >= saveEvery {
		saved[st.Name] = now
		return w.save(ctx, st, next)
	}
	*st = next
	w.show(next)
	return nil
}

func (w *Walker) save(ctx context.Context, st *State, next State) error {
	if err := next.Save(w.DB.Write(storage.AcrossTenants(ctx))); err != nil {
		return err
	}
	next.Version++
	*st = next
	w.show(next)
	return nil
}

// due reports whether a pass of a walk is running or should start.
func (w *Walker) due(task Task, st *State) bool {
	if w.Clock.Now().Before(w.later[st.Name]) {
		return false
	}
	return st.Running() || task.Due(st)
}

func (w *Walker) anyDue(task Task, states map[string]*State) bool {
	return slices.ContainsFunc(w.Names, func(name string) bool { return w.due(task, states[name]) })
}

func (w *Walker) rowsOf(name string) int {
	if n := w.rows[name]; n > 0 {
		return n
	}
	return 10 * fewestRows
}

// fit adapts the rows of a walk's next step to stepTime.
func (w *Walker) fit(name string, rows int, took time.Duration) {
	switch {
	case took > 2*stepTime:
		rows = max(fewestRows, rows/2)
	case took < stepTime/2:
		rows = min(MaxRows, rows*2)
	}
	w.rows[name] = rows
}

func (w *Walker) show(st State) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[st.Name] = st
}

// Gauge is a metric of each walk, with the name of the walk as its label.
type Gauge struct {
	Desc *prometheus.Desc
	// Value returns false if there is no value.
	Value func(st State) (float64, bool)
}

// Seconds returns the value of a gauge for a time; none for nil.
func Seconds(t *time.Time) (float64, bool) {
	if t == nil {
		return 0, false
	}
	return float64(t.Unix()), true
}

// Collectors returns gauges of the states. A scrape queries no engine: a process that does not walk
// shows the states of its last turn.
func (w *Walker) Collectors(gauges []Gauge) []prometheus.Collector {
	return []prometheus.Collector{collector{w, gauges}}
}

type collector struct {
	walker *Walker
	gauges []Gauge
}

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, g := range c.gauges {
		ch <- g.Desc
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	c.walker.mu.Lock()
	defer c.walker.mu.Unlock()
	for _, name := range c.walker.Names {
		st, known := c.walker.seen[name]
		for _, g := range c.gauges {
			if value, ok := g.Value(st); known && ok {
				ch <- prometheus.MustNewConstMetric(g.Desc, prometheus.GaugeValue, value, name)
			}
		}
	}
}

// States reads the states of all walks; a walk that has never started has an empty one. The metrics
// of this process then show them.
func (w *Walker) States(ctx context.Context) (map[string]*State, error) {
	states, err := States(ctx, w.DB, w.Kind)
	if err != nil {
		return nil, err
	}
	for _, st := range states {
		w.show(*st)
	}
	for _, name := range w.Names {
		if states[name] == nil {
			states[name] = &State{Kind: w.Kind, Name: name}
		}
	}
	return states, nil
}

// States reads the saved states of a kind, by name.
func States(ctx context.Context, db *storage.DB, kind string) (map[string]*State, error) {
	var rows []State
	if err := db.Read(ctx).Where("kind = ?", kind).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the walks of %s: %w", kind, err)
	}
	byName := make(map[string]*State, len(rows))
	for i := range rows {
		byName[rows[i].Name] = &rows[i]
	}
	return byName, nil
}
