package config_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/config"
	"interlock/internal/lock"
	"interlock/internal/module"
	"interlock/internal/views/audit"
	"interlock/internal/views/retention"
)

// BenchmarkEditsDuringSweep measures the edits of 16 writers with a config each during the removal
// of 200,000 old audit entries: with no removal, with 5 percent of a connection's time, and at full
// speed. Run it with -benchtime 1x: it alternates the rounds and reports medians.
func BenchmarkEditsDuringSweep(b *testing.B) {
	for engine, address := range map[string]string{"mariadb": storagetest.NewMariaDBURL(b), "sqlite": "sqlite://" + b.TempDir() + "/bench.db"} {
		b.Run(engine, func(b *testing.B) {
			db, err := storage.Open(b.Context(), storage.Options{URL: address})
			require.NoError(b, err)
			defer db.Close()
			_, err = db.Migrate(b.Context())
			require.NoError(b, err)
			w := newRegistry(b, principal.With(b.Context(), principal.System(1, "benchmark")), db)
			rounds := map[string][]round{}
			for n := range 5 {
				for _, share := range []float64{0, 0.05, 1} {
					if share > 0 {
						ageAudit(b, db, 200_000, n)
					}
					name := fmt.Sprintf("%g%%", 100*share)
					rounds[name] = append(rounds[name], w.editFor(b, 4*time.Second, share))
				}
			}
			for name, of := range rounds {
				b.ReportMetric(median(of, func(r round) float64 { return r.edits }), "edits/s@"+name)
				b.ReportMetric(median(of, func(r round) float64 { return r.p99.Seconds() * 1000 }), "p99ms@"+name)
				b.ReportMetric(median(of, func(r round) float64 { return r.removed }), "removed/s@"+name)
			}
		})
	}
}

type round struct {
	edits, removed float64
	p99            time.Duration
}

func median(of []round, value func(round) float64) float64 {
	values := make([]float64, len(of))
	for i, r := range of {
		values[i] = value(r)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// ageAudit inserts old audit entries up to rows, replacing those of earlier rounds.
func ageAudit(b *testing.B, db *storage.DB, rows, round int) {
	b.Helper()
	write := db.Write(storage.AcrossTenants(b.Context()))
	var left int
	require.NoError(b, write.Raw("SELECT COUNT(*) FROM audit_entries WHERE tenant_id = 2").Scan(&left).Error)
	old := time.Now().UTC().Add(-1000 * time.Hour)
	for n := left; n < rows; n += 1000 {
		values := make([]any, 0, 5000)
		for i := range 1000 {
			values = append(values, fmt.Sprintf("old-%d-%d-%d", round, n, i)+fmt.Sprint(time.Now().UnixNano())[8:], fmt.Sprint("configs/old.", i), old)
		}
		statement := "INSERT INTO audit_entries (tenant_id, unit_id, request_id, actor_kind, actor_id, actor_name, action, resource, detail, created_time) VALUES " +
			strings.TrimSuffix(strings.Repeat("(2, ?, 'request', 'admin', '1', 'Li', 'config.update', ?, '{\"from\":1,\"to\":2}', ?), ", 1000), ", ")
		require.NoError(b, write.Exec(statement, values...).Error)
	}
}

// editFor edits for a time during a sweep with a share, 0 for none.
func (w *registry) editFor(b *testing.B, length time.Duration, share float64) round {
	ctx, stop := context.WithTimeout(w.Ctx, length)
	defer stop()
	var before, after int
	count := func(into *int) {
		require.NoError(b, w.DB.Read(storage.AcrossTenants(b.Context())).Raw("SELECT COUNT(*) FROM audit_entries WHERE tenant_id = 2").Scan(into).Error)
	}
	count(&before)
	var running sync.WaitGroup
	if share > 0 {
		sweeper := retention.New(retention.Deps{
			Tables: audit.Declaration.Tables,
			DB:     w.DB, Runner: w.Runner, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}, Share: share, Every: time.Nanosecond,
			Keep: map[module.Retention]time.Duration{module.AuditRows: 500 * time.Hour},
		})
		running.Go(func() { _ = sweeper.Turn(ctx) })
	}
	var mu sync.Mutex
	var took []time.Duration
	run := time.Now().UnixNano()
	rows := make([]*config.Config, 16)
	for i := range rows {
		rows[i] = w.create(fmt.Sprintf("sweep-%d.%d", run, i), object(`{"a":1}`))
	}
	start := time.Now()
	for _, row := range rows {
		running.Go(func() {
			var mine []time.Duration
			for n := 0; ctx.Err() == nil; n++ {
				sent := time.Now()
				edited, err := w.edit(w.Ctx, row.Key, row.Ref(), fmt.Sprintf(`{"value":{"n":%d}}`, n), false)
				if err != nil {
					b.Error(err)
					return
				}
				mine, row = append(mine, time.Since(sent)), edited.Row
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
		})
	}
	running.Wait()
	elapsed := time.Since(start)
	count(&after)
	slices.Sort(took)
	return round{float64(len(took)) / elapsed.Seconds(), float64(before-after) / elapsed.Seconds(), took[len(took)*99/100]}
}
