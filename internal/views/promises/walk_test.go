package promises

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/actions"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

func TestWalkVisitsEachRowOnce(t *testing.T) {
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
		p := actions.Declaration.Promises[0]
		for _, limit := range []int{1, 4, 27, want, 1000} {
			seen, place := 0, []any(nil)
			for more := true; more; more = place != nil {
				looked, next, found, err := c.step(ctx, p, place, limit)
				require.NoError(t, err)
				require.Empty(t, found)
				seen += looked
				text, err := storage.EncodePosition(next)
				require.NoError(t, err)
				place, err = storage.DecodePosition(text)
				require.NoError(t, err)
			}
			require.Equal(t, want, seen, "by %d", limit)
		}
	})
}
