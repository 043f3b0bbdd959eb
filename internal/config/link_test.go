package config_test

import (
	"fmt"
	"testing"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/config"
)

// BenchmarkEditsOverALink measures edits per second: 32 writers with a config each, and 16 that
// merge into one config.
func BenchmarkEditsOverALink(b *testing.B) {
	storagetest.OverALink(b, func(b *testing.B, db *storage.DB) {
		b.Run("a config each", func(b *testing.B) { editInParallel(b, db, 32, false) })
		b.Run("one config", func(b *testing.B) { editInParallel(b, db, 16, true) })
	})
}

// editInParallel runs writers that edit a config each, or all the same one.
func editInParallel(b *testing.B, db *storage.DB, writers int, one bool) {
	w := newRegistry(b, principal.With(b.Context(), principal.System(1, "benchmark")), db)
	run := time.Now().UnixNano()
	rows := make([]*config.Config, writers)
	for i := range rows {
		if one && i > 0 {
			rows[i] = rows[0]
			continue
		}
		rows[i] = w.create(fmt.Sprintf("link-%d.%d", run, i), object(`{"a":{}}`))
	}
	storagetest.InParallel(b, writers, "edits", func(i int, n int64) error {
		edited, err := w.edit(w.Ctx, rows[i].Key, rows[i].Ref(), fmt.Sprintf(`{"value":{"writer-%d":%d}}`, i, n), one)
		if err == nil {
			rows[i] = edited.Row
		}
		return err
	})
}
