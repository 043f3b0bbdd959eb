package faults_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/users"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/freeport"
)

// patience is the deadline of each wait. Only a hang reaches it.
const patience = 2 * time.Minute

// programPath is the path of the program as operators run it, built once.
var programPath string

func TestMain(m *testing.M) {
	if text := os.Getenv(followVariable); text != "" {
		os.Exit(followAsProgram(text))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "interlock-faults-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	programPath = filepath.Join(dir, "admin")
	// The flags of `make build`, to share its build cache.
	build := exec.Command("go", "build", "-trimpath", "-o", programPath, "interlock/cmd/admin")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "faults: build the program: %v\n%s", err, output)
		return 1
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // faults are the subject of these tests
	return m.Run()
}

// dice returns a source of randomness that is safe for concurrent use.
func dice(seed uint64) func(n int) int {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 1))
	return func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(n)
	}
}

// onEachEngine runs a test on both engines concurrently.
func onEachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "mariadb"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

// fresh returns settings for a program with separate data.
func fresh(t *testing.T, engine string) settings.Settings {
	t.Helper()
	s := apptest.Settings(t.TempDir())
	if engine == "mariadb" {
		s.DatabaseURL = storagetest.NewMariaDBURL(t)
	}
	return s
}

// serveHere boots the program in this process and returns a caller of the admin. prepare is
// called before the program serves.
func serveHere(t *testing.T, s settings.Settings, prepare ...func(p *apptest.Program)) (*apptest.Program, *apptest.Caller) {
	t.Helper()
	p := apptest.Start(t, s, prepare...)
	token, _, err := p.Services().Access.Users.CreateToken(t.Context(), users.TokenSpec{Tenant: "default", Username: "admin", Name: "faults"})
	require.NoError(t, err)
	return p, &apptest.Caller{Program: p, Token: token, HTTP: newClient(t)}
}

// newUser creates a user with a role, signs the user in, and returns a caller with a token that the
// user created.
func newUser(t *testing.T, c *apptest.Caller, name string, role any) *apptest.Caller {
	t.Helper()
	const password = "correct horse battery"
	must(t, c, "/users", object{"username": name, "password": password, "roles": []any{role}})
	user := *c
	user.Token = ""
	signedIn := user.Do(t, http.MethodPost, "/api/v1/session", object{"username": name, "password": password})
	require.Equalf(t, http.StatusCreated, signedIn.Status, "%s", signedIn.Body)
	cookie, _, _ := strings.Cut(signedIn.Header.Get("Set-Cookie"), ";")
	user.Session = apptest.Session{Cookie: cookie, CSRF: signedIn.JSON(t)["csrfToken"].(string)}
	user.Token = must(t, &user, "/tokens", object{"name": name})["token"].(string)
	user.Session = apptest.Session{}
	return &user
}

// newClient returns a client with separate connections.
func newClient(t *testing.T) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Timeout: time.Minute, Transport: transport}
}

// freeAddress returns a loopback address on which no process listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := freeport.Take()
	require.NoError(t, err)
	return freeport.Address(port)
}

// pause waits for d or for the end of the test.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
