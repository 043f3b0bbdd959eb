package edgetest

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
)

// Otherwise a crash between the two could lose the record, or store it without its effect.
// Proves G3.1.
func TestReplyIsRecordedInTheTransactionOfItsEffect(t *testing.T) {
	db, statements := storagetest.TappedMariaDB(t)
	f := newFaulty(t, storagetest.Tenant(t), db, false)
	statements.Take()
	require.Equal(t, http.StatusCreated, f.Send(t, http.MethodPost, "/things", `"tea"`, "X-Idempotency-Key", "k-1").Status)
	passed := statements.Take()
	begin := slices.Index(passed, "START TRANSACTION")
	require.Positive(t, begin, passed)
	require.Equal(t, []string{
		"START TRANSACTION", "INSERT INTO things", "INSERT INTO audit_entries", "INSERT INTO idempotency_keys", "SET @reached", "COMMIT",
	}, passed[begin:])
}
