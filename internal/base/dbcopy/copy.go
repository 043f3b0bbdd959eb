// Package dbcopy copies an embedded database to a database on MySQL or MariaDB.
//
// Invariants:
//
//   - A complete copy equals its source: Copy reads each table on both sides after the last
//     row was written, and compares the numbers and the digests of the rows.
//   - No process serves or migrates an incomplete copy: storage rejects a database that has
//     storage.ProgressTable, which exists until the copy is verified.
//   - No process writes to the source or the target during the copy: Copy claims both
//     (package claim), and owns SQLite's write lock.
//   - Nothing existing is overwritten: the target has no rows, or is an incomplete copy of the
//     unchanged source.
//   - The copy has a new epoch (package epoch), so that clients and Redis do not continue with
//     state of the source.
//
// The rows of messages are not copied, because the servers on the target may have their queue in
// Redis; see Options.DiscardMessages.
//
// Crash points: a transaction inserts the rows of a batch and its position in the progress table.
// The next Copy continues after the last committed batch. After the verification all steps can be
// repeated; the last one drops the progress table.
package dbcopy

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

// Options describe a copy.
type Options struct {
	// From is sqlite://path; To is mysql://user:password@host:port/database.
	From, To string
	// DiscardMessages leaves out the messages in queues, instead of rejecting a source with
	// messages. A server on the target reports their flash-sale tickets as lost.
	DiscardMessages bool
	// Progress is called for each table with rows, at its start and end and every few seconds.
	Progress func(Progress)
}

// Progress describes the work on one table.
type Progress struct {
	// Verifying is set after all rows were copied.
	Verifying bool
	Table     string
	// Rows is the number of processed rows of Total, and Rate the rows per second of this run.
	Rows, Total int64
	Rate        float64
}

// Result describes a complete copy.
type Result struct {
	Tables int
	Rows   int64
	// Resumed is set if an earlier Copy was interrupted.
	Resumed bool
	// Discarded is the number of messages that were left out.
	Discarded int64
	// Keys are the ids of the encryption keys of values in the database.
	Keys []string
}

// Copy copies the database. After an error, the same call continues the copy.
//
// Errors: another process uses the source or the target; their schema is not that of this
// program; the source has messages in queues; the target is not empty; a value cannot be
// represented in the target; the copy differs from the source.
func Copy(ctx context.Context, o Options) (Result, error) {
	if storage.DialectOf(o.From) != storage.SQLite || storage.DialectOf(o.To) != storage.MySQL {
		return Result{}, fmt.Errorf("a copy from %s:// to %s:// is not supported: want --from sqlite://PATH and --to mysql://USER:PASSWORD@HOST:PORT/DATABASE",
			storage.DialectOf(o.From), storage.DialectOf(o.To))
	}
	ctx = storage.AcrossTenants(ctx)
	from, err := openSource(ctx, o)
	if err != nil {
		return Result{}, err
	}
	defer from.close()
	to, err := openTarget(ctx, o.To, from)
	if err != nil {
		return Result{}, err
	}
	defer to.close()
	ctx, stop := to.whileClaimed(ctx)
	defer stop()
	run := &run{from: from, to: to, report: o.Progress}
	result, err := run.all(ctx)
	result.Discarded = from.messages
	if err != nil && ctx.Err() != nil {
		return result, fmt.Errorf("the copy was interrupted, run it again to continue: %w", context.Cause(ctx))
	}
	return result, err
}

// run is one call of Copy.
type run struct {
	from   *source
	to     *target
	report func(Progress)
}

// all executes the steps of a copy that were not completed before.
func (r *run) all(ctx context.Context) (Result, error) {
	result := Result{Resumed: r.to.resumed}
	verified, err := r.to.begin(ctx, r.from.identity())
	if err != nil {
		return result, err
	}
	tables, err := r.to.tables(ctx, r.from)
	if err != nil {
		return result, err
	}
	result.Tables = len(tables)
	for _, t := range tables {
		if t.rows, err = r.from.count(t); err != nil {
			return result, err
		}
		result.Rows += t.rows
		if verified {
			continue
		}
		if err := r.copyTable(ctx, t); err != nil {
			return result, err
		}
	}
	if !verified {
		if err := r.verify(ctx, tables); err != nil {
			return result, err
		}
	}
	if result.Keys, err = r.to.keys(ctx); err != nil {
		return result, err
	}
	return result, r.to.finish(ctx, r.from.epoch)
}

// copyTable copies the rows after the last committed batch of a table.
func (r *run) copyTable(ctx context.Context, t *table) error {
	at, err := r.to.positionOf(ctx, t)
	if err != nil {
		return err
	}
	meter := r.meter(Progress{Table: t.name, Rows: at.copied, Total: t.rows})
	for !at.complete {
		page, err := t.read(r.from.tx, storage.SQLite, at.key)
		if err != nil {
			return fmt.Errorf("read %s%s: %w", t.name, t.after(at.key), err)
		}
		next := position{key: at.key, copied: at.copied + int64(len(page.rows)), complete: page.last}
		if len(page.rows) > 0 {
			next.key = page.key
		}
		if err := r.to.write(ctx, t, page.rows, at, next); err != nil {
			return fmt.Errorf("write %s%s: %w", t.name, t.after(at.key), err)
		}
		at = next
		meter.add(len(page.rows))
	}
	meter.end()
	return r.to.continueIDs(ctx, t, r.from.sequences[t.name])
}

// reportEvery is the interval of progress reports.
const reportEvery = 5 * time.Second

// meter reports the progress of one table.
type meter struct {
	at       Progress
	done     int64
	started  time.Time
	reported time.Time
	report   func(Progress)
}

func (r *run) meter(at Progress) *meter {
	now := clock.Mark()
	return &meter{at: at, started: now, reported: now, report: r.report}
}

func (m *meter) add(rows int) {
	m.at.Rows += int64(rows)
	m.done += int64(rows)
	if clock.Since(m.reported) >= reportEvery {
		m.send()
	}
}

func (m *meter) end() {
	if m.at.Total > 0 {
		m.send()
	}
}

func (m *meter) send() {
	m.reported = clock.Mark()
	m.at.Rate = float64(m.done) / max(clock.Since(m.started).Seconds(), 0.001)
	if m.report != nil {
		m.report(m.at)
	}
}
