package promises_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/views/promises"
)

func TestEachPromiseHasANameAndAProof(t *testing.T) {
	names := map[string]bool{}
	for _, p := range app.Promises() {
		require.False(t, names[p.Name], p.Name)
		names[p.Name] = true
		require.NotEmpty(t, p.Tests, p.Name)
		require.Regexp(t, `^[A-Z].*\.$`, p.Sentence)
		require.Regexp(t, `^G[1-7]$`, p.Guarantee)
	}
}

// A step reads a range of the scanned table, and finds the related rows of each row by an
// index.
func TestNoStepReadsAWholeTable(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	for _, p := range app.Promises() {
		if p.Table == "" {
			continue
		}
		place := make([]any, len(p.PrimaryKey()))
		for i := range place {
			place[i] = 1
		}
		next, again := promises.Statements(p, db.Dialect)
		statement, values := next(place, 10)
		sure, sameValues := again(place)
		for statement, values := range map[string][]any{statement: values, sure: sameValues} {
			rows, err := db.Read(storage.AcrossTenants(ctx)).Raw("EXPLAIN QUERY PLAN "+statement, values...).Rows()
			require.NoError(t, err, p.Name)
			for rows.Next() {
				var id, parent, unused int
				var detail string
				require.NoError(t, rows.Scan(&id, &parent, &unused, &detail))
				require.False(t, strings.HasPrefix(detail, "SCAN "), "%s: %s", p.Name, detail)
				require.NotContains(t, detail, "AUTOMATIC", "%s: %s", p.Name, detail)
				if strings.HasPrefix(detail, "USE TEMP B-TREE FOR ORDER BY") {
					require.Failf(t, "a step sorts", "%s: %s", p.Name, detail)
				}
			}
			require.NoError(t, rows.Err())
			require.NoError(t, rows.Close())
		}
	}
}
