package customers

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// A read uses the primary key, and finds the owners of rows by an index: its time does not
// grow with the tables.
// Proves E7.
func TestNoLookSortsATableOrReadsAnotherOne(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	s, e := New(Deps{DB: db}), newErasure("kim@example.org", "erased-x", []byte("secret"))
	for _, table := range slices.Concat(tables, shops, []table{aggregates, writers, approvals, wallets, entries}) {
		for _, place := range [][]any{nil, slices.Repeat([]any{17}, len(table.key))} {
			statement, values := s.looks(ctx, table, e, place)
			var plan []struct{ Detail string }
			require.NoError(t, db.Read(ctx).Raw("EXPLAIN QUERY PLAN "+statement, values...).Scan(&plan).Error)
			require.NotEmpty(t, plan)
			for _, step := range plan {
				if whole, scans := strings.CutPrefix(step.Detail, "SCAN "); scans {
					// The rows after a position, or those of the read.
					require.Equal(t, "x", strings.Fields(whole)[0], "%s: %s", table.name, step.Detail)
				}
				require.NotContains(t, step.Detail, "TEMP B-TREE", table.name)
				require.NotContains(t, step.Detail, "AUTOMATIC", table.name)
			}
		}
	}
}

// Proves E7.
func TestAWalkGoesByTheRowsOfOthers(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, kim := New(Deps{DB: db}), principal.CustomerID("kim@example.org")
		theirs, _ := principal.From(storagetest.Tenant(t))
		ours, _ := principal.From(ctx)
		transfers(t, db.Write(storage.AcrossTenants(ctx)), theirs.TenantID, kim, rowsALook)
		known, err := s.Known(ctx, kim)
		require.NoError(t, err)
		require.Zero(t, known)
		transfers(t, db.Write(ctx), ours.TenantID, kim, 1)
		known, err = s.Known(ctx, kim)
		require.NoError(t, err)
		require.Equal(t, 3, known, "the wallet, its entry and the counterpart")
	})
}
