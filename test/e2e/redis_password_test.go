package e2e_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
)

func TestChangedRedisPasswordIsUnavailableUntilFileHasIt(t *testing.T) {
	server := redistest.NewServer(t)
	admin := redistest.Connect(t, server.URL())
	file := filepath.Join(t.TempDir(), "password")
	write := func(password string) { require.NoError(t, os.WriteFile(file, []byte(password), 0o600)) }
	require.NoError(t, admin.ConfigSet(t.Context(), "requirepass", "first").Err())
	write("first")

	s := apptest.Settings(t.TempDir())
	s.DatabaseURL, s.EncryptionKeys, s.RedisURL = newDatabase(t), []string{apptest.EncryptionKey}, server.URL()+"?password_file="+file
	require.NoError(t, storagetest.Migrate(s.URL()))
	program := app.New(s, "test")
	program.HashCost = apptest.HashCost
	ctx, stop := context.WithCancel(context.Background())
	require.NoError(t, program.Start(ctx))
	ended := make(chan error, 1)
	go func() { ended <- program.Run(ctx) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
	c := (&apptest.Program{Program: program, URL: "http://" + program.Addr()}).Admin(t)
	give := func(reference string) apptest.Answer {
		return c.Do(t, http.MethodPost, "/api/v1/wallets/kim/entries", object{"amount": 10, "kind": "gift", "reference": reference})
	}
	require.Equal(t, http.StatusCreated, give("before").Status)
	require.Equal(t, http.StatusOK, c.Do(t, http.MethodGet, "/readyz", nil).Status)

	require.NoError(t, admin.Do(t.Context(), "AUTH", "default", "first").Err())
	require.NoError(t, admin.ConfigSet(t.Context(), "requirepass", "second").Err())
	for _, kind := range []string{"normal", "pubsub"} {
		require.NoError(t, admin.ClientKillByFilter(t.Context(), "TYPE", kind, "SKIPME", "yes").Err())
	}
	require.Eventually(t, func() bool {
		ready := c.Do(t, http.MethodGet, "/readyz", nil)
		return ready.Status == http.StatusServiceUnavailable && strings.Contains(string(ready.Body), "rejects the password")
	}, patience, 20*time.Millisecond)
	requireProblem(t, give("during"), http.StatusServiceUnavailable, "unavailable")

	write("second")
	require.Eventually(t, func() bool { return give("after").Status < 300 }, patience, 20*time.Millisecond)
	require.Equal(t, http.StatusOK, c.Do(t, http.MethodGet, "/readyz", nil).Status)
	require.Equal(t, 20.0, read(t, c, "/api/v1/wallets/kim")["balance"], "the rejected entry was not made")
}
