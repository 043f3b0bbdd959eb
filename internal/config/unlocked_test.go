package config_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
)

// A row lock does not block other servers of a cluster: a merge or an overwrite may find a newer
// version when it writes.
// Proves G1.4.
func TestMergeAndOverwriteRetryWithoutLocks(t *testing.T) {
	db, tap := storagetest.WithoutLocks(t)
	a := newAPI(t, storagetest.Tenant(t), db)
	for key, c := range map[string]struct{ query, overwrote string }{
		"merged":      {"?merge=disjoint", ""},
		"overwritten": {"?overwrite=why", "remark"},
	} {
		seen := a.send("POST", "/configs", `{"key":"`+key+`","value":{"n":1},"remark":"r1"}`).header.Get("ETag")
		second := a.send("PATCH", "/configs/"+key, `{"remark":"r2"}`, "If-Match", seen).header.Get("ETag")
		tap.Before("UPDATE configs", func() {
			if third := a.send("PATCH", "/configs/"+key, `{"remark":"r3"}`, "If-Match", second); third.status != http.StatusOK {
				t.Error(third.text)
			}
		})
		mine := a.send("PATCH", "/configs/"+key+c.query, `{"value":{"n":2}}`, "If-Match", seen)
		require.Equal(t, http.StatusOK, mine.status, mine.text)
		require.EqualValues(t, 4, mine.body["version"])
		if c.overwrote == "" {
			require.Equal(t, "r3", mine.body["remark"])
		} else {
			require.Equal(t, "r1", mine.body["remark"])
			require.Equal(t, []any{c.overwrote}, mine.body["overwrote"])
		}
	}
}
