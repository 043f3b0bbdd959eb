package shop

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
)

func TestEntryCostsOneReadAndThreePackets(t *testing.T) {
	db, statements := storagetest.TappedMariaDB(t)
	s := Open(storagetest.Tenant(t), t, db)
	s.Fund(t, "12", 100)
	statements.Take()
	statements.Packets()

	require.Equal(t, http.StatusCreated, s.enter(t, "12", 5, "first").Status)
	require.Equal(t, []string{
		"START TRANSACTION", "SELECT wallets",
		"UPDATE wallets", "SET @one", "INSERT INTO wallet_entries",
		"INSERT INTO audit_entries", "SET @reached", "COMMIT",
	}, statements.Take())
	require.Equal(t, 3, statements.Packets(), "of which the second has the id of the entry")

	require.Equal(t, http.StatusOK, s.enter(t, "12", 5, "first").Status)
	require.Equal(t, []string{"START TRANSACTION", "SELECT wallets", "SELECT wallet_entries", "COMMIT"}, statements.Take(), "one that was made before")
}
