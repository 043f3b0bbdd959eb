package config_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/config"
)

// BenchmarkEditsOverALink measures edits a second with the database so far away, their
// statements in packets and one by one: 32 writers with a config each, and 16 who merge
// their edits into one.
func BenchmarkEditsOverALink(b *testing.B) {
	address := storagetest.NewMariaDBURL(b)
	for _, roundTrip := range []time.Duration{0, 250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond} {
		far := storagetest.Far(b, address, roundTrip)
		for _, writers := range []struct {
			name   string
			number int
			merge  bool
		}{{"a config each", 32, false}, {"one config", 16, true}} {
			for _, packets := range []string{"false", "true"} {
				b.Run(fmt.Sprintf("%s/%s/packets=%s", roundTrip, writers.name, packets), func(b *testing.B) {
					editInParallel(b, far+"?packets="+packets, writers.number, writers.merge)
				})
			}
		}
	}
}

// editInParallel has so many writers edit a member of a config each, or of one and the same.
func editInParallel(b *testing.B, address string, writers int, one bool) {
	db, err := storage.Open(b.Context(), storage.Options{URL: address})
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Migrate(b.Context())
	require.NoError(b, err)
	w := newWorld(b, principal.With(b.Context(), principal.System(1, "benchmark")), db)
	run := time.Now().UnixNano()
	rows := make([]*config.Config, writers)
	for i := range rows {
		if one && i > 0 {
			rows[i] = rows[0]
			continue
		}
		rows[i] = w.create(fmt.Sprintf("link-%d.%d", run, i), object(`{"a":{}}`))
	}
	var made atomic.Int64
	var writing sync.WaitGroup
	b.ResetTimer()
	for i, row := range rows {
		writing.Go(func() {
			for n := made.Add(1); n <= int64(b.N); n = made.Add(1) {
				edited, err := w.edit(w.ctx, row.Key, row.Ref(), fmt.Sprintf(`{"value":{"writer-%d":%d}}`, i, n), one)
				if err != nil {
					b.Error(err)
					return
				}
				row = edited.Row
			}
		})
	}
	writing.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "edits/s")
}
