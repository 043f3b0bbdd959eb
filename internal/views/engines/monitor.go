package engines

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/base/clock"
)

// lookEvery is how often a running program looks at its engines: settings change rarely,
// memory and clocks slowly.
const lookEvery = time.Minute

// Monitor looks again and again, remembers the last report and logs what has changed.
type Monitor struct {
	probe  Probe
	logger *slog.Logger
	every  time.Duration
	last   atomic.Pointer[Report]

	// looking is held for a look and what is logged of it.
	looking sync.Mutex
	// logged are the findings that were logged as not OK and still are so, by what they are
	// about, with what was said.
	logged map[subject]string
}

type subject struct {
	engine     Engine
	node, name string
}

// NewMonitor returns a Monitor that has not looked yet.
func NewMonitor(p Probe, logger *slog.Logger) *Monitor {
	m := &Monitor{probe: p, logger: logger, every: lookEvery, logged: make(map[subject]string)}
	m.last.Store(&Report{Time: p.Clock.Now()})
	return m
}

// Report returns what the last look has found; before the first, nothing.
func (m *Monitor) Report() Report { return *m.last.Load() }

// Look looks once, and logs each finding that is not OK and was not logged before, at warn
// level.
func (m *Monitor) Look(ctx context.Context) {
	m.looking.Lock()
	defer m.looking.Unlock()
	report := m.probe.Look(ctx)
	if ctx.Err() != nil {
		return
	}
	m.last.Store(&report)
	for _, f := range report.Findings {
		m.log(ctx, f)
	}
}

// log compares the setting and not the sentence, which may have a number that moves.
func (m *Monitor) log(ctx context.Context, f Finding) {
	about := subject{f.Engine, f.Node, f.Name}
	before, known := m.logged[about]
	now := string(f.Level)
	if !moves(f) {
		now += " " + f.Value
	}
	attributes := []any{"engine", string(f.Engine), "about", f.Name, "level", string(f.Level)}
	if f.Value != "" {
		attributes = append(attributes, "value", f.Value)
	}
	if f.Node != "" {
		attributes = append(attributes, "node", f.Node)
	}
	if f.Err != nil {
		attributes = append(attributes, "error", f.Err)
	}
	switch {
	case f.Level == OK && known:
		delete(m.logged, about)
		m.logger.InfoContext(ctx, f.What()+" needs no attention any more: "+f.Says, attributes...)
	case f.Level != OK && before != now:
		m.logged[about] = now
		m.logger.WarnContext(ctx, f.What()+": "+f.Says, attributes...)
	}
}

// moves reports whether the value of a finding changes by itself.
func moves(f Finding) bool {
	return slices.Contains([]string{"clock", "memory", "replicas", "writers", "servers"}, f.Name)
}

// Run looks every minute until ctx ends, and not at the moments at which the jobs of a process that
// has just started do: each of them would need a connection of its own.
func (m *Monitor) Run(ctx context.Context) {
	if !clock.Sleep(ctx, m.every/8) {
		return
	}
	ticker := time.NewTicker(m.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			m.Look(ctx)
		}
	}
}
