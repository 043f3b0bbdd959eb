package engines

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/base/background"
)

// checkInterval is the interval of inspections: settings change rarely, memory and clocks
// slowly.
const checkInterval = time.Minute

// Monitor inspects the engines regularly, stores the last report and logs changes.
type Monitor struct {
	probe  Probe
	logger *slog.Logger
	last   atomic.Pointer[Report]

	// looking is locked during an inspection and its logging.
	looking sync.Mutex
	// logged contains the logged findings that are still not OK, by subject, with their
	// logged state.
	logged map[subject]string
}

type subject struct {
	engine     Engine
	node, name string
}

// NewMonitor returns a Monitor without a report.
func NewMonitor(p Probe, logger *slog.Logger) *Monitor {
	m := &Monitor{probe: p, logger: logger, logged: make(map[subject]string)}
	m.last.Store(&Report{Time: p.Clock.Now()})
	return m
}

// WatchCertificate adds the certificate of the listener, or of a peer that is not an engine, to the
// report. end returns its expiry, the zero time while it is not known.
func (m *Monitor) WatchCertificate(of string, end func() time.Time) {
	m.looking.Lock()
	defer m.looking.Unlock()
	m.probe.Others = append(m.probe.Others, Watched{of, end})
}

// Report returns the last report; an empty one before the first inspection.
func (m *Monitor) Report() Report { return *m.last.Load() }

// Inspect inspects once, and logs each finding that is not OK and was not logged before, at
// warn level.
func (m *Monitor) Inspect(ctx context.Context) {
	m.looking.Lock()
	defer m.looking.Unlock()
	report := m.probe.Inspect(ctx)
	if ctx.Err() != nil {
		return
	}
	m.last.Store(&report)
	for _, f := range report.Findings {
		m.log(ctx, f)
	}
}

// log compares the setting and not the sentence, which may contain a changing number.
func (m *Monitor) log(ctx context.Context, f Finding) {
	about := subject{f.Engine, f.Node, f.Name}
	before, known := m.logged[about]
	now := string(f.Level)
	if !moves(f) {
		now += " " + f.Value
	}
	attributes := []any{"engine", string(f.Engine), "about", f.Name, "severity", string(f.Level), "detail", f.Says}
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
		m.logger.InfoContext(ctx, "engines: finding resolved", attributes...)
	case f.Level != OK && before != now:
		m.logged[about] = now
		m.logger.WarnContext(ctx, "engines: finding", attributes...)
	}
}

// moves reports whether the value of a finding changes over time.
func moves(f Finding) bool {
	return slices.Contains([]string{"clock", "memory", "replicas", "writers", "servers"}, f.Name)
}

// Background returns the service that inspects every minute. It starts after a delay, because
// the start-up jobs of the process need connections at the same time.
func (m *Monitor) Background() background.Service {
	return background.Service{
		Name: "inspect engines", Every: checkInterval, Delay: 9 * checkInterval / 8,
		Run: func(ctx context.Context) error {
			m.Inspect(ctx)
			return nil
		},
	}
}
