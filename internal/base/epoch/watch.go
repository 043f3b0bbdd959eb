package epoch

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

const (
	// checkEvery is the interval of checks while the Watch is in use. If the database returns to an
	// earlier state without breaking its connections, a process can use outdated caches for about
	// this time.
	checkEvery = time.Second
	// staleAfter is the age at which a check is too old for the first caller after an idle
	// time.
	staleAfter = 3 * checkEvery / 2
	// idleEvery is the interval of checks while no caller uses the Watch: the backup metric depends
	// on it.
	idleEvery = 30 * time.Second
	// patience bounds one check.
	patience = 5 * time.Second
	// maxQueries is the number of queries for a missing commit before it counts as lost, and
	// queryInterval the time between two queries: a replica can lag for a moment.
	maxQueries    = 3
	queryInterval = 200 * time.Millisecond
)

// Witness checks for rows that it knows were committed in the given epoch. It returns a
// description of the missing ones, or "".
type Witness func(ctx context.Context, of Epoch) (missing string, err error)

// Watch follows the epoch of the database for one process. It checks every second while callers use
// it, and on the first use after an idle time. If the connections to the database have changed, it
// also checks before it confirms any cached state, because a failover or a restored server breaks
// the connections. A check reads the epoch and queries the witnesses; if a commit is missing
// without an announced restore, the Watch changes the epoch.
//
// Remaining gap: if all connections of a process survive (rows deleted by hand, a proxy that
// switches servers behind its connections), the database can have been in an earlier state for up
// to staleAfter before the Watch detects this.
//
// It is safe for concurrent use.
type Watch struct {
	db        *storage.DB
	clock     clock.Clock
	witnesses []Witness

	// checks shares the result of a running check with all concurrent callers.
	checks singleflight.Group
	// current is nil before the first check.
	current atomic.Pointer[Epoch]
	// links is the number of connection changes before the last successful check. It is doubt
	// before the first check, and while a commit seems to be missing.
	links atomic.Uint64
	// checked is the time of the last successful check; nil before the first.
	checked atomic.Pointer[time.Time]
	// used is set if a caller used the Watch since the last check of Background.
	used atomic.Bool
	// backedUp is when the last backup started.
	backedUp prometheus.Gauge
}

// doubt equals no number of connection changes.
const doubt = ^uint64(0)

// NewWatch returns a Watch. Background must run while it is in use.
func NewWatch(db *storage.DB, clk clock.Clock) *Watch {
	w := &Watch{db: db, clock: clk, backedUp: prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "interlock_backup_timestamp_seconds", Help: "Start time of the last backup, in seconds since 1970; 0 before the first.",
	})}
	w.links.Store(doubt)
	return w
}

// Collectors returns the metrics of the Watch.
func (w *Watch) Collectors() []prometheus.Collector { return []prometheus.Collector{w.backedUp} }

// AddWitness adds a witness. It must be called before the Watch is used.
func (w *Watch) AddWitness(witness Witness) { w.witnesses = append(w.witnesses, witness) }

// Now returns the epoch for which caches are valid, and whether cached state of that epoch
// is confirmed. It costs nothing unless the connections to the database have changed or the
// Watch was idle: then it runs a check, which concurrent callers share. Any check that
// started after the call is sufficient, however long it took. Now returns false while the
// database cannot be reached or its connections keep changing.
func (w *Watch) Now(ctx context.Context) (Epoch, bool) {
	// A check may itself open a connection, and a running check may have started too early.
	const most = 3
	called := clock.Mark()
	w.used.Store(true)
	for range most {
		if w.links.Load() == w.db.LinkChanges() && (w.isFresh(staleAfter) || w.hasCheckedSince(called)) {
			return *w.current.Load(), true
		}
		if err := w.Check(ctx); err != nil {
			return "", false
		}
	}
	return "", false
}

// isFresh reports whether the last successful check is at most d old.
func (w *Watch) isFresh(d time.Duration) bool {
	checked := w.checked.Load()
	return checked != nil && clock.Since(*checked) <= d
}

// hasCheckedSince reports whether a successful check started after moment.
func (w *Watch) hasCheckedSince(moment time.Time) bool {
	checked := w.checked.Load()
	return checked != nil && checked.After(moment)
}

// Background returns the service that checks every second in which a caller used the Watch, and
// at longer intervals otherwise.
func (w *Watch) Background() background.Service {
	return background.Service{
		Name: "check the epoch", Every: checkEvery, Delay: checkEvery,
		Run: func(ctx context.Context) error {
			if w.used.Swap(false) || !w.isFresh(idleEvery) {
				return w.Check(ctx)
			}
			return nil
		},
	}
}

// Check runs a check, or waits for a running one.
func (w *Watch) Check(ctx context.Context) error {
	_, err, _ := w.checks.Do("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		return nil, w.look(ctx)
	})
	return err
}

func (w *Watch) look(ctx context.Context) error {
	links, started := w.db.LinkChanges(), clock.Mark()
	found, err := readRow(ctx, w.db)
	if err != nil {
		return err
	}
	if found.BackupTime != nil {
		w.backedUp.Set(float64(found.BackupTime.Unix()))
	}
	now := found.Epoch
	if was := w.current.Load(); was != nil && *was == now {
		if now, err = w.confirm(ctx, now); err != nil {
			return err
		}
	}
	w.adopt(ctx, now)
	w.links.Store(links)
	w.checked.Store(&started)
	return nil
}

// confirm queries the witnesses and returns the resulting epoch of the database.
func (w *Watch) confirm(ctx context.Context, now Epoch) (Epoch, error) {
	for _, witness := range w.witnesses {
		missing, err := w.ask(ctx, witness, now)
		if err != nil {
			return "", err
		}
		if missing == "" {
			continue
		}
		slog.ErrorContext(ctx, "epoch: database was restored without notice; starting a new epoch", "missing", missing)
		return Change(ctx, w.db, now, w.clock.Now(), missing)
	}
	return now, nil
}

// ask returns the description of a commit that is permanently missing.
func (w *Watch) ask(ctx context.Context, witness Witness, now Epoch) (missing string, err error) {
	for queries := 1; ; queries++ {
		if missing, err = witness(ctx, now); err != nil || missing == "" || queries == maxQueries {
			return missing, err
		}
		// Until the check is complete, no cached state is confirmed.
		w.links.Store(doubt)
		if !clock.Sleep(ctx, queryInterval) {
			return "", context.Cause(ctx)
		}
	}
}

func (w *Watch) adopt(ctx context.Context, now Epoch) {
	was := w.current.Swap(&now)
	if was != nil && *was != now {
		slog.WarnContext(ctx, "epoch: database has a new epoch; dropping caches of the previous one", "before", *was, "now", now)
	}
}
