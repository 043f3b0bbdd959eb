package client_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/client"
	"interlock/test/apptest"
)

// patience is the deadline of each wait. Only a hang reaches it.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	if text := os.Getenv(drainVariable); text != "" {
		os.Exit(drainAsTold(text))
	}
	os.Exit(apptest.Main(m))
}

// newClient returns a client with all permissions in a fresh tenant. Each exchange is
// held against the contract.
func newClient(t *testing.T, p *apptest.Program) *client.Client {
	t.Helper()
	return clientOf(t, p.Admin(t))
}

func clientOf(t *testing.T, caller *apptest.Caller) *client.Client {
	t.Helper()
	c, err := client.New(caller.Program.URL, caller.Token, client.WithHTTPClient(caller.HTTP))
	require.NoError(t, err)
	return c
}

// all reads a list to its end, in pages of two.
func all[T any](t *testing.T, list client.List[T]) (rows []T) {
	t.Helper()
	for row, err := range list.All(t.Context()) {
		require.NoError(t, err)
		rows = append(rows, row)
	}
	return rows
}

// ok returns a value that was to come without an error.
func ok[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		require.NoError(t, err)
		return value
	}
}
