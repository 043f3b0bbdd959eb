package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/access/users"
	"interlock/internal/app"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
	"interlock/test/contract/validate"
	"interlock/test/racing"
	"interlock/test/tier"
)

func TestMain(m *testing.M) {
	code := apptest.Main(m)
	// The programs have ended, and none of their goroutines may still run.
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

// object is a JSON object of a request.
type object = map[string]any

// patience is the deadline of each wait. Only a hang reaches it.
const patience = 2 * time.Minute

// engines are the engines of a test that does not depend on the engine: SQLite,
// and in the nightly tier also MariaDB.
func engines() []string {
	if tier.IsNightly() {
		return bothEngines
	}
	return bothEngines[:1]
}

var bothEngines = []string{"sqlite", "mariadb"}

// underContract returns the caller with its exchanges checked against the contract.
func underContract(t *testing.T, c *apptest.Caller) *apptest.Caller {
	c.HTTP = &http.Client{Timeout: 60 * time.Second, Transport: validate.NewTransport(t, apptest.Client.Transport)}
	return c
}

// colleague returns a caller for another admin of the same tenant.
func colleague(t *testing.T, c *apptest.Caller, username, displayName string) *apptest.Caller {
	t.Helper()
	services := c.Program.Services()
	_, err := services.Access.Users.CreateUser(t.Context(), users.UserSpec{
		Tenant: c.Tenant, Username: username, DisplayName: displayName, Password: "correct horse", Roles: []string{"admin"},
	})
	require.NoError(t, err)
	return &apptest.Caller{Program: c.Program, Tenant: c.Tenant, Token: newToken(t, services, c.Tenant, username), HTTP: c.HTTP}
}

func newToken(t *testing.T, services *app.Services, tenant, username string) string {
	t.Helper()
	token, _, err := services.Access.Users.CreateToken(t.Context(), users.TokenSpec{Tenant: tenant, Username: username, Name: "test"})
	require.NoError(t, err)
	return token
}

// race makes n concurrent calls and returns the responses by their index.
func race(t *testing.T, n int, call func(ctx context.Context, i int) (apptest.Answer, error)) []apptest.Answer {
	t.Helper()
	answers := make([]apptest.Answer, n)
	for _, err := range racing.Errors(n, func(i int) (err error) {
		answers[i], err = call(t.Context(), i)
		return err
	}) {
		require.NoError(t, err)
	}
	return answers
}

// retried repeats a request, as a client does, while another request has the lock.
func retried(send func() (apptest.Answer, error)) (answer apptest.Answer, err error) {
	for started := time.Now(); time.Since(started) < patience; {
		if answer, err = send(); err != nil || answer.Status != http.StatusLocked {
			break
		}
	}
	return answer, err
}

// split separates the answers with a status from the others.
func split(answers []apptest.Answer, status int) (with, others []apptest.Answer) {
	for _, a := range answers {
		if a.Status == status {
			with = append(with, a)
		} else {
			others = append(others, a)
		}
	}
	return with, others
}

// create posts a resource and returns its representation.
func create(t *testing.T, c *apptest.Caller, path string, body any) object {
	t.Helper()
	answer := c.Do(t, http.MethodPost, path, body)
	require.Equalf(t, http.StatusCreated, answer.Status, "POST %s: %s", path, answer.Body)
	return answer.JSON(t)
}

// read gets a resource.
func read(t *testing.T, c *apptest.Caller, path string) object {
	t.Helper()
	answer := c.Do(t, http.MethodGet, path, nil)
	require.Equalf(t, http.StatusOK, answer.Status, "GET %s: %s", path, answer.Body)
	return answer.JSON(t)
}

func etag(resource object) string { return resource["etag"].(string) }

func version(resource object) int64 { return int64(resource["version"].(float64)) }

// name returns the name of the user in a member such as updatedBy.
func name(resource object, member string) string {
	return resource[member].(object)["name"].(string)
}

// requireProblem checks an error response and returns its body.
func requireProblem(t *testing.T, a apptest.Answer, status int, code string) object {
	t.Helper()
	require.Equalf(t, status, a.Status, "%s", a.Body)
	require.Equal(t, "application/problem+json", a.Header.Get("Content-Type"))
	body := a.JSON(t)
	require.Equalf(t, code, body["code"], "%s", a.Body)
	require.Equal(t, "/problems/"+code, body["type"])
	require.NotEmpty(t, body["detail"])
	require.Equal(t, a.Header.Get("X-Request-Id"), body["requestId"])
	return body
}

// rows counts rows of the caller's tenant directly in the database.
func rows(t *testing.T, c *apptest.Caller, table, condition string, arguments ...any) int64 {
	t.Helper()
	query := "SELECT COUNT(*) FROM " + table + " WHERE tenant_id = (SELECT id FROM tenants WHERE name = ?) AND (" + condition + ")"
	return number(t, c.Program.Services().DB, query, append([]any{c.Tenant}, arguments...)...)
}

// audited counts the audit rows of a resource.
func audited(t *testing.T, c *apptest.Caller, resource string) int64 {
	t.Helper()
	return rows(t, c, "audit_entries", "resource = ?", resource)
}

func number(t *testing.T, db *storage.DB, query string, arguments ...any) int64 {
	t.Helper()
	var n int64
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw(query, arguments...).Scan(&n).Error)
	return n
}

// alone boots a separate program. stop asks it to end, and ended receives the
// result of Run.
func alone(t *testing.T, engine string) (p *apptest.Program, stop context.CancelFunc, ended <-chan error) {
	t.Helper()
	s := apptest.Settings(t.TempDir())
	s.ShutdownTimeout = time.Hour
	if engine == "mariadb" {
		s.DatabaseURL, s.EncryptionKeys = newDatabase(t), []string{apptest.EncryptionKey}
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	require.NoError(t, storagetest.Migrate(s.URL()))
	program := app.New(s, "test")
	program.HashCost = apptest.HashCost
	require.NoError(t, program.Start(ctx))
	done := make(chan error, 1)
	go func() { done <- program.Run(ctx) }()
	return &apptest.Program{Program: program, URL: "http://" + program.Addr()}, cancel, done
}

// receive returns the next value of a channel, or fails if none arrives.
func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		require.FailNow(t, fmt.Sprintf("%s did not come within %s", what, patience))
		panic("unreachable")
	}
}
