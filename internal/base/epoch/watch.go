package epoch

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

const (
	// checkEvery is how often a Watch looks while it is asked, and so about how long a process
	// can go on with what it remembers when the database went back behind connections that it has.
	checkEvery = time.Second
	// staleAfter is when a look is too old for whoever asks first after a while.
	staleAfter = 3 * checkEvery / 2
	// idleEvery is how often it looks when nobody asks: the metric of backups lives on it.
	idleEvery = 30 * time.Second
	// patience bounds one look.
	patience = 5 * time.Second
	// What is missing is asked for so often, at this distance, before it is believed to be
	// gone: a server that follows another can be a moment late.
	askings  = 3
	askAgain = 200 * time.Millisecond
)

// Witness remembers something that was committed. It returns what of it is missing in the
// database, in words for people, "" when nothing is. It speaks of what was committed in
// the given epoch alone.
type Witness func(ctx context.Context, of Epoch) (missing string, err error)

// Watch follows the epoch of the database for one process. It looks every second while
// somebody asks, first when somebody asks after a while, and before anything is believed once
// the links to the database have changed: whatever takes
// a database back behind a process's back, a failover or a restored server, ends its
// connections. A look reads the epoch and asks the witnesses; when something is missing
// that nobody announced, it changes the epoch.
//
// What remains: in a process whose connections all stay, the database can have gone back
// for as long as staleAfter before it is noticed (somebody deletes rows by hand, a proxy
// changes servers behind the connections).
//
// It is safe for concurrent use.
type Watch struct {
	db        *storage.DB
	clock     clock.Clock
	witnesses []Witness

	// looks lets everybody who asks during a look have its result.
	looks singleflight.Group
	// current is nil before the first look.
	current atomic.Pointer[Epoch]
	// links is how often the links had changed before the last look that found all well,
	// and in doubt when something was found missing since.
	links atomic.Uint64
	// looked is when that was; nil before the first.
	looked atomic.Pointer[time.Time]
	// asked is set when somebody asked since Run last looked.
	asked atomic.Bool
	// backedUp is when the last backup was begun.
	backedUp prometheus.Gauge
}

// doubt is no number of changes of links.
const doubt = ^uint64(0)

// NewWatch returns a Watch. Run should run while it is used.
func NewWatch(db *storage.DB, clk clock.Clock) *Watch {
	w := &Watch{db: db, clock: clk, backedUp: prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "interlock_backup_timestamp_seconds", Help: "When the last backup was begun, in seconds since 1970; 0 before the first.",
	})}
	w.links.Store(doubt)
	return w
}

// Collectors returns what it measures.
func (w *Watch) Collectors() []prometheus.Collector { return []prometheus.Collector{w.backedUp} }

// Ask makes the Watch ask a witness with each look. It is called before the Watch is used.
func (w *Watch) Ask(witness Witness) { w.witnesses = append(w.witnesses, witness) }

// Now returns the epoch that things are remembered for, and whether what was remembered
// for it may be believed. It costs nothing but when the links to the database have
// changed, or nobody asked for a while: it looks then, and who asks meanwhile waits. A look that
// began after the question is answer enough, however long it took. It is false while the database
// cannot be asked, or its links go on changing.
func (w *Watch) Now(ctx context.Context) (Epoch, bool) {
	// A look may open a connection, and one that is under way may have begun too early.
	const most = 3
	called := clock.Mark()
	w.asked.Store(true)
	for range most {
		if w.links.Load() == w.db.LinkChanges() && (w.isFresh(staleAfter) || w.hasLookedSince(called)) {
			return *w.current.Load(), true
		}
		if err := w.Look(ctx); err != nil {
			return "", false
		}
	}
	return "", false
}

// isFresh reports whether the last look that found all well is not older than d.
func (w *Watch) isFresh(d time.Duration) bool {
	looked := w.looked.Load()
	return looked != nil && clock.Since(*looked) <= d
}

// hasLookedSince reports whether a look that found all well began after a moment.
func (w *Watch) hasLookedSince(moment time.Time) bool {
	looked := w.looked.Load()
	return looked != nil && looked.After(moment)
}

// Run looks every second in which somebody asked, and now and then, until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if w.asked.Swap(false) || !w.isFresh(idleEvery) {
				// A database that is away is asked again a second later.
				_ = w.Look(ctx)
			}
		}
	}
}

// Look looks now, or waits for a look that is under way.
func (w *Watch) Look(ctx context.Context) error {
	_, err, _ := w.looks.Do("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		return nil, w.look(ctx)
	})
	return err
}

func (w *Watch) look(ctx context.Context) error {
	links, begun := w.db.LinkChanges(), clock.Mark()
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
	w.looked.Store(&begun)
	return nil
}

// confirm asks the witnesses and returns the epoch that the database has after that.
func (w *Watch) confirm(ctx context.Context, now Epoch) (Epoch, error) {
	for _, witness := range w.witnesses {
		missing, err := w.ask(ctx, witness, now)
		if err != nil {
			return "", err
		}
		if missing == "" {
			continue
		}
		slog.ErrorContext(ctx, "the database went back, and nobody said so; its epoch is changed", "missing", missing)
		return Change(ctx, w.db, now, w.clock.Now(), missing)
	}
	return now, nil
}

// ask returns what is missing and stays so.
func (w *Watch) ask(ctx context.Context, witness Witness, now Epoch) (missing string, err error) {
	for asked := 1; ; asked++ {
		if missing, err = witness(ctx, now); err != nil || missing == "" || asked == askings {
			return missing, err
		}
		// Until it is known nobody believes what was remembered.
		w.links.Store(doubt)
		if !clock.Sleep(ctx, askAgain) {
			return "", context.Cause(ctx)
		}
	}
}

func (w *Watch) adopt(ctx context.Context, now Epoch) {
	was := w.current.Swap(&now)
	if was != nil && *was != now {
		slog.WarnContext(ctx, "the database is on another history; what was remembered of the one before is forgotten", "before", *was, "now", now)
	}
}
