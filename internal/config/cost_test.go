package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
)

func TestEditNeedsThreeWritesAndAtMostOneRead(t *testing.T) {
	db, statements := storagetest.TappedMariaDB(t)
	w := newRegistry(t, storagetest.Tenant(t), db)
	transaction := []string{"START TRANSACTION", "UPDATE configs", "SET @one", "INSERT INTO config_histories", "INSERT INTO audit_entries", "SET @reached", "COMMIT"}
	row := w.create("a", object(`{"n":1}`))
	statements.Take()
	statements.Packets()

	row = w.mustEdit("a", row.Ref(), `{"value":{"n":2},"remark":"r"}`)
	require.Equal(t, transaction, statements.Take(), "of the version that this process wrote")
	require.Equal(t, 1, statements.Packets(), "in one packet")

	elsewhere := newRegistry(t, w.Ctx, w.DB)
	statements.Take()
	row = elsewhere.mustEdit("a", row.Ref(), `{"value":{"n":3}}`)
	require.Equal(t, append([]string{"SELECT configs"}, transaction...), statements.Take(), "of a version that this process does not know")

	elsewhere.mustEdit("a", row.Ref(), `{"value":{"n":3}}`)
	require.Equal(t, []string{"SELECT configs"}, statements.Take(), "an edit that changes nothing")

	_, err := elsewhere.edit(w.Ctx, "a", guard.Ref{ID: row.ID, Version: 1}, `{"value":{"n":9}}`, false)
	require.Error(t, err)
	require.Equal(t, []string{"SELECT configs", "SELECT configs", "SELECT config_histories"}, statements.Take(), "a stale edit begins no transaction")

	require.NoError(t, w.delete("a", row.Ref()))
	require.Equal(t, []string{
		"SELECT configs", "START TRANSACTION", "DELETE FROM configs", "SET @one", "INSERT INTO config_histories", "INSERT INTO audit_entries", "SET @reached", "COMMIT",
	}, statements.Take())
}

func BenchmarkEdit(b *testing.B) {
	benchmarkEdit(b, `{"timeoutMs":0,"retries":3}`, func(i int) string { return fmt.Sprintf(`{"value":{"timeoutMs":%d}}`, i) })
}

func BenchmarkEditOfAHundredMembers(b *testing.B) {
	members := make([]string, 100)
	for i := range members {
		members[i] = fmt.Sprintf(`"setting-%02d":{"enabled":true,"limit":%d,"names":["a","b"]}`, i, i)
	}
	benchmarkEdit(b, "{"+strings.Join(members, ",")+"}", func(i int) string {
		return fmt.Sprintf(`{"value":{"setting-%02d":{"limit":%d}}}`, i%100, 1000+i)
	})
}

// benchmarkEdit measures edits of a value, each read as its route reads it.
func benchmarkEdit(b *testing.B, value string, patch func(i int) string) {
	db, err := storage.Open(b.Context(), storage.Options{URL: "sqlite://" + b.TempDir() + "/interlock.db"})
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Migrate(b.Context())
	require.NoError(b, err)
	w := newRegistry(b, principal.With(b.Context(), principal.System(1, "benchmark")), db)
	row := w.create("a", object(value))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		row = w.mustEdit("a", row.Ref(), patch(i+1))
	}
}
