package storage_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

func TestRowsAreFoundByPrefix(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		for _, name := range []string{"tea", "tea-1", "tea-2", "te", "TEA", "TEA-1", "Tea", "teb", "t%", "茶", "茶碗"} {
			add(t, ctx, db, name, 0)
		}
		add(t, storagetest.Tenant(t), db, "tea-stranger", 0)

		for name, c := range map[string]struct {
			spellings []string
			limit     int
			found     []string
		}{
			"as typed, the text itself first": {[]string{"tea"}, 9, []string{"tea", "tea-1", "tea-2"}},
			"the first spelling first":        {[]string{"TEA", "tea"}, 9, []string{"TEA", "TEA-1", "tea", "tea-1", "tea-2"}},
			"at most the limit":               {[]string{"tea", "TEA"}, 4, []string{"tea", "tea-1", "tea-2", "TEA"}},
			"wildcards are characters":        {[]string{"t%"}, 9, []string{"t%"}},
			"any script":                      {[]string{"茶"}, 9, []string{"茶", "茶碗"}},
			"nothing":                         {[]string{"tea-3"}, 9, nil},
		} {
			rows, err := storage.ByPrefix[storagetest.Thing](db.Read(ctx), "name", c.spellings, c.limit)
			require.NoError(t, err, name)
			var found []string
			for _, row := range rows {
				found = append(found, row.Name)
			}
			require.Equal(t, c.found, found, name)
		}
	})
}

func TestSpellingsAreTheLikelyCases(t *testing.T) {
	for text, spellings := range map[string][]string{
		"tea":    {"tea", "TEA", "Tea"},
		"Tea":    {"Tea", "tea", "TEA"},
		"tEa":    {"tEa", "tea", "TEA", "Tea"},
		"7":      {"7"},
		"茶":      {"茶"},
		"éclair": {"éclair", "ÉCLAIR", "Éclair"},
		"":       {""},
	} {
		require.Equal(t, spellings, storage.Spellings(text), text)
	}
}
