package promises

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// A step reads a range of the scanned table, and finds the related rows of each row by an
// index.
func TestNoStepReadsAWholeTable(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	for _, p := range List {
		if p.Name == Gates {
			continue
		}
		place := make([]any, len(p.key))
		for i := range place {
			place[i] = 1
		}
		next, again := p.statements(db.Dialect)
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

func TestAWalkComesByEachRowOnce(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		want := 0
		for _, tenant := range []int{1, 2, 9} {
			for _, kind := range []string{"coupon", "item"} {
				for _, thing := range []int{3, 4, 700} {
					for shard := range 3 {
						require.NoError(t, db.Write(ctx).Exec(`INSERT INTO action_counts (tenant_id, entity_type, entity_id, shard, likes, dislikes, bookmarks)
							VALUES (?, ?, ?, ?, 0, 0, 0)`, tenant, kind, thing, shard).Error)
						want++
					}
				}
			}
		}
		c := checks{db: db}
		p := List[slices.IndexFunc(List, func(p Promise) bool { return p.Name == "action-counts" })]
		for _, limit := range []int{1, 4, 27, want, 1000} {
			seen, place := 0, []any(nil)
			for more := true; more; more = place != nil {
				looked, next, found, err := c.step(ctx, p, place, limit)
				require.NoError(t, err)
				require.Empty(t, found)
				seen += looked
				text, err := storage.EncodePosition(next)
				require.NoError(t, err)
				place, err = storage.DecodePlace(text)
				require.NoError(t, err)
			}
			require.Equal(t, want, seen, "by %d", limit)
		}
	})
}
