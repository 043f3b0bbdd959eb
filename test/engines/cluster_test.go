//go:build engines

package engines_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
	"interlock/test/racing"
)

const patience = 30 * time.Second

// replicas are copies of the service, each at another server of one cluster, with one Redis.
func replicas(t *testing.T, nodes []*node, database string) []*apptest.Program {
	t.Helper()
	_, err := nodes[0].pool(t).ExecContext(t.Context(), "CREATE DATABASE "+database)
	require.NoError(t, err)
	programs := make([]*apptest.Program, len(nodes))
	for i, n := range nodes {
		programs[i] = replica(t, n.url(database), os.Getenv("INTERLOCK_TEST_REDIS_URL"))
	}
	return programs
}

// replica is one copy of the service.
func replica(t *testing.T, databaseURL, redisURL string) *apptest.Program {
	t.Helper()
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL, s.RedisURL = databaseURL, redisURL
	return apptest.Start(t, s)
}

// at returns a caller that sends its requests to another replica.
func at(c *apptest.Caller, p *apptest.Program) *apptest.Caller {
	other := *c
	other.Program = p
	return &other
}

func TestTheServiceOnGalera(t *testing.T) {
	nodes := cluster(t, 3)
	t.Run("two processes migrate at once", func(t *testing.T) { migrateAtOnce(t, nodes) })
	programs := replicas(t, nodes, "interlock")
	t.Run("a read at another server sees what was committed before it", func(t *testing.T) { readElsewhere(t, programs) })
	t.Run("watchers miss nothing with writers at every server", func(t *testing.T) { watchEverywhere(t, nodes, programs) })
	t.Run("edits of one config at three servers lose nothing", func(t *testing.T) { editEverywhere(t, programs) })
}

func migrateAtOnce(t *testing.T, nodes []*node) {
	_, err := nodes[0].pool(t).ExecContext(t.Context(), "CREATE DATABASE migrated")
	require.NoError(t, err)
	ran := make([]int, len(nodes))
	errs := racing.Errors(len(nodes), func(i int) error {
		db, err := storage.Open(t.Context(), storage.Options{URL: nodes[i].url("migrated")})
		if err != nil {
			return err
		}
		defer db.Close()
		ran[i], err = db.Migrate(t.Context())
		return err
	})
	total := 0
	for i, err := range errs {
		require.NoError(t, err)
		total += ran[i]
	}
	db, err := storage.Open(t.Context(), storage.Options{URL: nodes[0].url("migrated")})
	require.NoError(t, err)
	defer db.Close()
	state, err := db.MigrationState(t.Context())
	require.NoError(t, err)
	require.True(t, state.UpToDate())
	var applied int
	require.NoError(t, nodes[0].pool(t).QueryRow("SELECT COUNT(*) FROM migrated.goose_db_version WHERE version_id > 0").Scan(&applied))
	require.Equal(t, applied, total, "each migration was run once")
}

func readElsewhere(t *testing.T, programs []*apptest.Program) {
	here := programs[0].Admin(t)
	there := at(here, programs[1])
	created := here.Do(t, "POST", httpapi.Base+"/configs", map[string]any{"key": "seen", "value": 0, "valueType": "number"})
	require.Equal(t, 201, created.Status, "%s", created.Body)
	for round := 1; round <= 200; round++ {
		etag := there.Do(t, "GET", httpapi.Base+"/configs/seen", nil).Header.Get("ETag")
		edited := here.Do(t, "PATCH", httpapi.Base+"/configs/seen", map[string]any{"value": round}, "If-Match", etag)
		require.Equal(t, http.StatusOK, edited.Status, "what was read at the other server was not the newest: %s", edited.Body)
		read := there.Do(t, "GET", httpapi.Base+"/configs/seen", nil).JSON(t)
		require.EqualValues(t, round, read["value"])
	}
}

// watchEverywhere has writers at each server, and one of them hold a transaction open for
// 0.8 s meanwhile, which commits after later ids.
func watchEverywhere(t *testing.T, nodes []*node, programs []*apptest.Program) {
	const configs = 120
	owner := programs[0].Admin(t)
	watched := make([]chan []event, len(programs))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i, p := range programs {
		watched[i] = make(chan []event, 1)
		stream := open(t, ctx, at(owner, p))
		go func() { watched[i] <- stream.take(len(programs) * configs) }()
	}
	late := lateVersion(t, nodes[2], owner.Tenant)
	errs := racing.Errors(len(programs), func(i int) error {
		caller := at(owner, programs[i])
		for n := range configs - late(i) {
			body := map[string]any{"key": fmt.Sprintf("k%d.%d", i, n), "value": n, "valueType": "number"}
			answer, err := caller.Try(ctx, "POST", httpapi.Base+"/configs", body)
			if err != nil {
				return err
			}
			if answer.Status != http.StatusCreated {
				return fmt.Errorf("create: %d %s", answer.Status, answer.Body)
			}
		}
		return nil
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	var first []event
	for i := range watched {
		seen := <-watched[i]
		require.Len(t, seen, len(programs)*configs, "watcher %d missed changes", i)
		keys := map[string]bool{}
		for _, e := range seen {
			keys[e.Key] = true
		}
		require.Len(t, keys, len(seen), "watcher %d saw a change twice", i)
		if i == 0 {
			first = seen
		}
		require.Equal(t, first, seen, "all watchers see one order")
	}
}

// lateVersion begins a transaction that writes a version of a config now and commits it in
// 0.8 s. It returns how many of the expected configs of a writer it stands for.
func lateVersion(t *testing.T, n *node, tenant string) func(writer int) int {
	t.Helper()
	tx, err := n.pool(t).Begin()
	require.NoError(t, err)
	_, err = tx.Exec(`INSERT INTO interlock.config_histories
		(tenant_id, config_id, `+"`key`"+`, version, action, value, value_type, value_schema, remark, note, changed_by, changed_by_name, changed_time)
		SELECT id, -1, 'late', 1, 'create', '1', 'number', '', '', '', 0, 'late', NOW(6) FROM interlock.tenants WHERE name = ?`, tenant)
	require.NoError(t, err)
	committed := make(chan error, 1)
	time.AfterFunc(800*time.Millisecond, func() { committed <- tx.Commit() })
	t.Cleanup(func() { require.NoError(t, <-committed) })
	return func(writer int) int {
		if writer == 2 {
			return 1
		}
		return 0
	}
}

func editEverywhere(t *testing.T, programs []*apptest.Program) {
	const edits = 40
	owner := programs[0].Admin(t)
	created := owner.Do(t, "POST", httpapi.Base+"/configs", map[string]any{"key": "raced", "value": 0, "valueType": "number"})
	require.Equal(t, 201, created.Status, "%s", created.Body)
	errs := racing.Errors(len(programs), func(i int) error {
		caller := at(owner, programs[i])
		for landed := 0; landed < edits; {
			read, err := caller.Try(t.Context(), "GET", httpapi.Base+"/configs/raced", nil)
			if err != nil {
				return err
			}
			var now struct{ Value int }
			if err := json.Unmarshal(read.Body, &now); err != nil {
				return err
			}
			answer, err := caller.Try(t.Context(), "PATCH", httpapi.Base+"/configs/raced", map[string]any{"value": now.Value + 1}, "If-Match", read.Header.Get("ETag"))
			if err != nil {
				return err
			}
			switch answer.Status {
			case http.StatusOK:
				landed++
			case http.StatusPreconditionFailed, http.StatusServiceUnavailable:
			default:
				return fmt.Errorf("edit: %d %s", answer.Status, answer.Body)
			}
		}
		return nil
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	for _, p := range programs {
		read := at(owner, p).Do(t, "GET", httpapi.Base+"/configs/raced", nil).JSON(t)
		require.EqualValues(t, len(programs)*edits, read["value"])
		require.EqualValues(t, len(programs)*edits+1, read["version"])
	}
}

// event is a change as a watcher sees it.
type event struct {
	ID, Key string
	Version int64
}

// stream is an open watch of configs.
type stream struct {
	reply *http.Response
	lines *bufio.Scanner
}

// open begins to watch, and returns once the stream stands.
func open(t *testing.T, ctx context.Context, c *apptest.Caller) *stream {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Program.URL+httpapi.Base+"/configs/watch", nil)
	require.NoError(t, err)
	c.Authenticate(request)
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = reply.Body.Close() })
	require.Equal(t, http.StatusOK, reply.StatusCode)
	s := newStream(reply)
	name, _ := s.next()
	require.Equal(t, "ready", name)
	return s
}

func newStream(reply *http.Response) *stream { return &stream{reply, bufio.NewScanner(reply.Body)} }

// take reads so many changes, or fewer when the stream ends.
func (s *stream) take(n int) []event {
	var seen []event
	for len(seen) < n {
		name, e := s.next()
		if name == "" {
			return seen
		}
		if name == "change" {
			seen = append(seen, e)
		}
	}
	return seen
}

func (s *stream) next() (name string, e event) {
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch field {
		case "id":
			e.ID = value
		case "event":
			name = value
		case "data":
			_ = json.Unmarshal([]byte(value), &e)
		case "":
			if name != "" {
				return name, e
			}
		}
	}
	return "", e
}
