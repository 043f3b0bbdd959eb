package e2e_test

import (
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
)

func newDatabase(t *testing.T) string { return storagetest.NewMariaDBURL(t) }

func TestShutdownFinishesRequestsAndEndsStreams(t *testing.T) {
	for _, engine := range bothEngines {
		t.Run(engine, func(t *testing.T) {
			p, stop, ended := alone(t, engine)
			c := p.Admin(t)
			before := newConfig(t, c, "slow", 1, "number")
			watching := open(t, c, watchPath)
			watching.next(t, "ready")
			release := holdRows(t, p)
			idle := writers(p)

			slow := make(chan apptest.Answer, 1)
			go func() {
				answer, err := c.Try(t.Context(), http.MethodPatch, "/api/v1/configs/slow", object{"value": 2}, "If-Match", etag(before))
				if err != nil {
					answer.Body = []byte(err.Error())
				}
				slow <- answer
			}()
			require.Eventually(t, func() bool { return writers(p) > idle }, patience, 5*time.Millisecond, "the edit never reached the lock")
			stop()
			require.Eventually(t, func() bool { return refusesConnections(p) }, patience, 5*time.Millisecond, "it still accepts connections")
			require.NoError(t, receive(t, watching.ended, "the end of the stream"))
			select {
			case err := <-ended:
				require.FailNow(t, "the program ended before its request", "%v", err)
			case <-slow:
				require.FailNow(t, "the edit did not wait")
			default:
			}
			release()

			answer := receive(t, slow, "the reply of the request in flight")
			require.Equalf(t, http.StatusOK, answer.Status, "%s", answer.Body)
			require.NoError(t, receive(t, ended, "the end of the program"))
			require.EqualValues(t, 2, storedVersion(t, p, "slow"))
		})
	}
}

// Proves G7.3.
func TestDrainingProcessIsNotReadyAndStillServes(t *testing.T) {
	p, stop, ended := alone(t, "sqlite")
	p.Settings.ShutdownDelay = 4 * time.Second
	c := p.Admin(t)
	require.Equal(t, http.StatusOK, c.Do(t, http.MethodGet, "/readyz", nil).Status)
	start := time.Now()
	stop()
	var answer apptest.Answer
	require.Eventually(t, func() bool {
		answer = c.Do(t, http.MethodGet, "/readyz", nil)
		return answer.Status != http.StatusOK
	}, patience, 5*time.Millisecond, "it reports that it is ready")
	require.Equal(t, http.StatusServiceUnavailable, answer.Status)
	require.Contains(t, answer.JSON(t)["checks"], object{"name": "process", "ok": false, "detail": "is about to end"})
	newConfig(t, c, "late", 1, "number")
	require.NoError(t, receive(t, ended, "the end of the program"))
	require.GreaterOrEqual(t, time.Since(start), p.Settings.ShutdownDelay)
}

// holdRows locks the rows that an edit of a config needs: on MariaDB from another
// connection, and on SQLite as the program's only writer.
func holdRows(t *testing.T, p *apptest.Program) (release func()) {
	t.Helper()
	if _, embedded := p.Settings.SQLitePath(); embedded {
		tx, err := p.Services().DB.Begin(t.Context(), t.Context())
		require.NoError(t, err)
		return func() { require.NoError(t, tx.Rollback().Error) }
	}
	tx, err := connect(t, p).BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), "SELECT id FROM configs FOR UPDATE")
	require.NoError(t, err)
	return func() { require.NoError(t, tx.Rollback()) }
}

// connect opens the program's database with a pool that belongs to the test.
func connect(t *testing.T, p *apptest.Program) *sql.DB {
	t.Helper()
	return storagetest.Open(t, p.Settings.URL()).Pools()["write"]
}

// writers returns how many units have started their transaction or wait for the writer.
func writers(p *apptest.Program) int { return p.Services().DB.Pools()["write"].Stats().InUse }

func refusesConnections(p *apptest.Program) bool {
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		return true
	}
	_ = conn.Close()
	return false
}

func storedVersion(t *testing.T, p *apptest.Program, key string) int64 {
	t.Helper()
	var version int64
	require.NoError(t, connect(t, p).QueryRow("SELECT version FROM configs WHERE `key` = ?", key).Scan(&version))
	return version
}

func TestSecondServerOnTheSameDataIsRejected(t *testing.T) {
	p, stop, ended := alone(t, "sqlite")
	second := app.New(p.Settings, "test")
	err := second.Start(t.Context())
	require.ErrorContains(t, err, "another `admin serve` is running on "+p.Settings.DataDir)
	require.ErrorContains(t, err, "INTERLOCK_DATA_DIR")
	require.Equal(t, http.StatusOK, p.Admin(t).Do(t, http.MethodGet, "/api/v1/configs", nil).Status, "the first one continues")

	stop()
	require.NoError(t, receive(t, ended, "the end of the first program"))
	third := apptest.Start(t, p.Settings)
	require.Equal(t, http.StatusOK, third.Admin(t).Do(t, http.MethodGet, "/api/v1/configs", nil).Status)
}

// Proves G4.36.
func TestSecondServerWithoutRedisIsRejectedInAnyRole(t *testing.T) {
	p, stop, ended := alone(t, "mariadb")
	for _, role := range []string{"all", "api", "worker"} {
		s := p.Settings
		s.Role = role
		second := app.New(s, "test")
		err := second.Start(t.Context())
		require.ErrorContains(t, err, fmt.Sprintf("process %d on ", os.Getpid()), role)
		require.ErrorContains(t, err, "INTERLOCK_REDIS_URL", role)
	}
	require.Equal(t, http.StatusOK, p.Admin(t).Do(t, http.MethodGet, "/api/v1/configs", nil).Status, "the first one continues")

	stop()
	require.NoError(t, receive(t, ended, "the end of the first program"))
	third := apptest.Start(t, p.Settings)
	require.Equal(t, http.StatusOK, third.Admin(t).Do(t, http.MethodGet, "/api/v1/configs", nil).Status, "after a clean end the next one starts immediately")
}

func TestOvertakenServerEndsAndNamesTheNewHolder(t *testing.T) {
	p, _, ended := alone(t, "mariadb")
	watching := open(t, p.Admin(t), watchPath)
	watching.next(t, "ready")
	overtake(t, p)
	err := receive(t, ended, "the end of the program")
	require.ErrorContains(t, err, "this server has lost its claim on the database and ends")
	require.ErrorContains(t, err, "process 4711 on shop-2")
	require.True(t, refusesConnections(p))
}

func TestOvertakenServerAbortsRequestsInFlight(t *testing.T) {
	p, stop, ended := alone(t, "mariadb")
	c := p.Admin(t)
	before := newConfig(t, c, "slow", 1, "number")
	release := holdRows(t, p)
	defer release()
	idle := writers(p)
	answered := make(chan error, 1)
	go func() {
		_, err := c.Try(t.Context(), http.MethodPatch, "/api/v1/configs/slow", object{"value": 2}, "If-Match", etag(before))
		answered <- err
	}()
	require.Eventually(t, func() bool { return writers(p) > idle }, patience, 5*time.Millisecond, "the edit never reached the lock")
	stop()
	require.Eventually(t, func() bool { return refusesConnections(p) }, patience, 5*time.Millisecond, "it still accepts connections")
	overtake(t, p)
	require.Error(t, receive(t, answered, "the end of the request"), "its connection is cut")
	require.ErrorContains(t, receive(t, ended, "the end of the program"), "process 4711 on shop-2")
	require.EqualValues(t, 1, storedVersion(t, p, "slow"))
}

// overtake changes the claim on the program's database as another server does that acquires
// it, without the wait for a lease.
func overtake(t *testing.T, p *apptest.Program) {
	t.Helper()
	_, err := connect(t, p).Exec("UPDATE server_claims SET group_name = 'other', run_id = 'other', host = 'shop-2', pid = 4711")
	require.NoError(t, err)
}

func TestTokenCreatedByCommandWorksImmediately(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		tenant := p.NewTenant(t)
		services, err := app.Open(t.Context(), p.Settings.Storage, app.Options{})
		require.NoError(t, err)
		t.Cleanup(services.Close)
		token := newToken(t, services, tenant, "admin")
		c := underContract(t, &apptest.Caller{Program: p, Tenant: tenant, Token: token})
		require.Equal(t, http.StatusOK, c.Do(t, http.MethodGet, "/api/v1/configs", nil).Status)
	})
}
