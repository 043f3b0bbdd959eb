package faults_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"interlock/test/apptest"
	"interlock/test/tier"
)

// TestComposeServicesStartAndServe starts all services of deploy/compose.yaml except
// Grafana, uses them like users and stops them.
func TestComposeServicesStartAndServe(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	s := readStack(t)
	s.up(t)
	c := &apptest.Caller{Program: &apptest.Program{URL: "http://" + s.front}, HTTP: newClient(t)}
	require.Eventually(t, func() bool { return status(t.Context(), c, "/readyz") == http.StatusOK }, patience, 50*time.Millisecond, "HAProxy found no replica")
	s.useAsPeopleDo(t, c)
	s.requireWatched(t)
	s.requireWell(t)
	s.requireBackup(t)
	s.down(t)
}

// requireBackup runs the backup service until it has written a file.
func (s *stack) requireBackup(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	s.place("/backups", folder)
	command := exec.Command(programPath, s.arguments(t, "backup")...)
	command.Env = append(s.environment(t, "backup"), "PATH="+os.Getenv("PATH"))
	backup := start(t, command)
	require.Eventually(t, func() bool {
		written, err := filepath.Glob(folder + "/interlock-*.backup")
		return err == nil && len(written) == 1
	}, patience, 50*time.Millisecond, "%s", backup.output)
	backup.signal(syscall.SIGTERM)
	require.Zero(t, backup.exitCode(t, s.grace(t, "backup")))
}

// useAsPeopleDo signs in through the proxy, edits, orders and repeats.
func (s *stack) useAsPeopleDo(t *testing.T, c *apptest.Caller) {
	t.Helper()
	page := c.Do(t, http.MethodGet, "/", nil)
	require.Equal(t, http.StatusOK, page.Status)
	require.Contains(t, string(page.Body), "<html")
	require.NotContains(t, string(c.Do(t, http.MethodGet, "/metrics", nil).Body), "interlock_units_total", "metrics are for operators")

	signedIn := c.Do(t, http.MethodPost, "/api/v1/session", map[string]any{"tenant": "default", "username": "admin", "password": s.settings["INTERLOCK_ADMIN_PASSWORD"]})
	require.Equal(t, http.StatusCreated, signedIn.Status, "%s", signedIn.Body)
	cookie, _, _ := strings.Cut(signedIn.Header.Get("Set-Cookie"), ";")
	c.Session = apptest.Session{Cookie: cookie, CSRF: signedIn.JSON(t)["csrfToken"].(string)}

	made := func(path string, body any, headers ...string) apptest.Answer {
		answer := c.Do(t, http.MethodPost, "/api/v1"+path, body, headers...)
		require.Equal(t, http.StatusCreated, answer.Status, "POST %s: %s", path, answer.Body)
		return answer
	}
	config := made("/configs", map[string]any{"key": "smoke", "value": 1, "valueType": "number"})
	edit := func() apptest.Answer {
		return c.Do(t, http.MethodPatch, "/api/v1/configs/smoke", map[string]any{"value": 2}, "If-Match", config.Header.Get("ETag"))
	}
	require.Equal(t, http.StatusOK, edit().Status)
	require.Equal(t, http.StatusPreconditionFailed, edit().Status, "the page is stale now")

	made("/items", map[string]any{"sku": "SMOKE", "name": "Smoke", "price": 100})
	made("/inventory/SMOKE/adjustments", map[string]any{"delta": 10, "reason": "opening stock", "reference": "opening"})
	ordered := func() apptest.Answer {
		return made("/orders", map[string]any{"userId": "kim", "items": []any{map[string]any{"sku": "SMOKE", "quantity": 3}}}, "Idempotency-Key", "smoke-order")
	}
	first := ordered()
	// Until both replicas have handled a request.
	require.Eventually(t, func() bool {
		again := ordered()
		require.Equal(t, "true", again.Header.Get("X-Idempotency-Replay"))
		require.Equal(t, string(first.Body), string(again.Body))
		return !slices.ContainsFunc(s.replicas, func(replica *process) bool {
			return !strings.Contains(replica.output.String(), `"method":"POST","route":"/api/v1/orders","status":201`)
		})
	}, patience, 50*time.Millisecond, "HAProxy sends one replica nothing")
	stock := c.Do(t, http.MethodGet, "/api/v1/inventory/SMOKE", nil).JSON(t)
	require.EqualValues(t, 3, stock["reserved"], "of all of them one was placed: %v", stock)
}

// unset is the only alert that fires on a new installation: there is no backup.
const unset = "BackupOld"

// requireWatched checks that Prometheus scrapes both replicas and has loaded every rule,
// and that no rule except unset would fire.
func (s *stack) requireWatched(t *testing.T) {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(readDeployed(t, "prometheus/alerts.yaml")), &file))
	var written []string
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			written = append(written, rule.Alert)
		}
	}
	// The first scrape of a target may come after the scrape interval of 15 s.
	require.Eventually(t, func() bool {
		var targets struct{ ActiveTargets []struct{ Health string } }
		if !s.ask(t, "targets?state=active", &targets) || len(targets.ActiveTargets) != 2 {
			return false
		}
		return targets.ActiveTargets[0].Health == "up" && targets.ActiveTargets[1].Health == "up"
	}, patience, 100*time.Millisecond, "Prometheus does not read both replicas")

	var rules struct {
		Groups []struct {
			Rules []struct{ Name, Health, State, LastError string }
		}
	}
	require.True(t, s.ask(t, "rules", &rules))
	var loaded []string
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			loaded = append(loaded, rule.Name)
			require.Empty(t, rule.LastError, rule.Name)
			require.NotEqual(t, "firing", rule.State, rule.Name)
		}
	}
	require.ElementsMatch(t, written, loaded)
	// The rules have not been evaluated yet, so their expressions are queried directly.
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			var answer struct {
				Result []struct{ Metric map[string]string }
			}
			require.True(t, s.ask(t, "query?query="+url.QueryEscape(rule.Expr), &answer), rule.Alert)
			if rule.Alert == unset {
				require.NotEmpty(t, answer.Result, rule.Alert)
				continue
			}
			require.Empty(t, answer.Result, rule.Alert)
		}
	}
}

// requireWell runs the doctor with a replica's environment, and reads the replicas' logs.
func (s *stack) requireWell(t *testing.T) {
	t.Helper()
	command := exec.Command(programPath, "doctor")
	command.Env = s.environment(t, "interlock-1")
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "ok   redis")
	for _, replica := range s.replicas {
		require.NotContains(t, replica.output.String(), `"level":"ERROR"`)
	}
}

// ask queries Prometheus and decodes the response; it returns false while Prometheus does
// not respond.
func (s *stack) ask(t *testing.T, path string, into any) bool {
	t.Helper()
	reply, err := http.Get("http://" + s.prometheusAt + "/api/v1/" + path)
	if err != nil {
		return false
	}
	defer reply.Body.Close()
	var body struct{ Data json.RawMessage }
	if reply.StatusCode != http.StatusOK || json.NewDecoder(reply.Body).Decode(&body) != nil {
		return false
	}
	require.NoError(t, json.Unmarshal(body.Data, into), path)
	return true
}
