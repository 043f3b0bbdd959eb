//go:build engines

package engines_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
	"interlock/test/e2e/sse"
	"interlock/test/lostcommit"
	"interlock/test/racing"
	"interlock/test/traffic"
)

const patience = 30 * time.Second

// replicas starts copies of the service, each at another server of one cluster, with one
// Redis.
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

// replica starts one copy of the service.
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

// everywhere returns one user of a new tenant at each replica, with all permissions.
func everywhere(t *testing.T, programs []*apptest.Program) []*apptest.Caller {
	t.Helper()
	owner := programs[0].Admin(t)
	callers := make([]*apptest.Caller, len(programs))
	for i, p := range programs {
		callers[i] = at(owner, p)
	}
	return callers
}

// verify compares the results of the writers and watchers with the store, and the store
// with the service's promises.
func verify(t *testing.T, f *traffic.Traffic, programs []*apptest.Program, databaseURL string) {
	t.Helper()
	f.Verify(t, databaseURL)
	for _, p := range programs {
		totals, err := p.Services().CheckPromises(t.Context())
		require.NoError(t, err)
		for _, total := range totals {
			require.Empty(t, total.Found, total.Promise.Name)
		}
	}
}

// Proves G4.11, D4.
func TestServiceRunsOnGalera(t *testing.T) {
	nodes := cluster(t, 3)
	t.Run("two processes migrate concurrently", func(t *testing.T) { migrateAtOnce(t, nodes) })
	programs := replicas(t, nodes, "interlock")
	t.Run("a read at another server sees earlier commits", func(t *testing.T) { readElsewhere(t, programs) })
	t.Run("watchers miss nothing with writers at every server", func(t *testing.T) { watchEverywhere(t, nodes, programs) })
	t.Run("the outcome of a COMMIT is known at another server", func(t *testing.T) { commitElsewhere(t, nodes) })
	t.Run("edits of one config at three servers lose nothing", func(t *testing.T) { editEverywhere(t, programs) })
	t.Run("an item is not deleted at one server and stocked at another", func(t *testing.T) { deleteElsewhere(t, nodes) })
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
		require.Equal(t, http.StatusOK, edited.Status, "the read at the other server was not the newest: %s", edited.Body)
		read := there.Do(t, "GET", httpapi.Base+"/configs/seen", nil).JSON(t)
		require.EqualValues(t, round, read["value"])
	}
}

// commitElsewhere loses the server at a COMMIT, which the server executes or not. The next
// connection leads to another server.
func commitElsewhere(t *testing.T, nodes []*node) {
	ctx := storagetest.Tenant(t)
	db := storagetest.Open(t, nodes[0].url("interlock"))
	storagetest.CreateThings(t, ctx, db)
	tap, through := storagetest.NewTap(t, nodes[0].url("interlock"))
	const rounds = 20
	for round := range rounds {
		executed := round%2 == 0
		tap.LeadTo(t, nodes[0].url("interlock"))
		runs, err := lostcommit.Add(t, ctx, tap, through, fmt.Sprint("thing ", round), executed, func() { tap.LeadTo(t, nodes[1].url("interlock")) })
		require.NoError(t, err, "it is known there whether it was executed")
		require.Equal(t, map[bool]int{true: 1, false: 2}[executed], runs)
	}
	var things, audited int64
	require.NoError(t, db.Read(ctx).Model(&storagetest.Thing{}).Count(&things).Error)
	require.NoError(t, db.Read(ctx).Model(&uow.AuditRow{}).Count(&audited).Error)
	require.EqualValues(t, rounds, things)
	require.EqualValues(t, rounds, audited)
}

// watchEverywhere runs writers at each server, while one server has an open transaction for
// 0.8 s that commits after later ids.
func watchEverywhere(t *testing.T, nodes []*node, programs []*apptest.Program) {
	const configs = 120
	callers := everywhere(t, programs)
	owner := callers[0]
	watched := make([]chan []sse.Event, len(programs))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i, caller := range callers {
		watched[i] = make(chan []sse.Event, 1)
		stream, err := sse.Open(ctx, caller, httpapi.Base+"/configs/watch")
		require.NoError(t, err)
		defer stream.Close()
		stands := make(chan struct{})
		go func() { watched[i] <- changes(stream, stands, len(programs)*configs) }()
		select {
		case <-stands:
		case <-ctx.Done():
			require.FailNow(t, "the stream does not stand")
		}
	}
	late := lateVersion(t, nodes[2], owner.Tenant)
	errs := racing.Errors(len(programs), func(i int) error {
		caller := callers[i]
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
	var first []sse.Event
	for i := range watched {
		seen := <-watched[i]
		require.Len(t, seen, len(programs)*configs, "watcher %d missed changes", i)
		keys := map[string]bool{}
		for _, e := range seen {
			keys[e.Data["key"].(string)] = true
		}
		require.Len(t, keys, len(seen), "watcher %d saw a change twice", i)
		if i == 0 {
			first = seen
		}
		require.Equal(t, first, seen, "all watchers see one order")
	}
}

// lateVersion starts a transaction that writes a version of a config now and commits it in
// 0.8 s. It returns the number of the writer's expected configs that this version replaces.
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

// deleteElsewhere deletes items at one server while another server books a delivery of
// them. Each request in turn runs completely before a late statement of the other. A row
// lock at one of these servers excludes no transaction at the other.
func deleteElsewhere(t *testing.T, nodes []*node) {
	var taps [2]*storagetest.Tap
	var callers [2]*apptest.Caller
	for i := range taps {
		var through string
		taps[i], through = storagetest.NewTap(t, nodes[i].url("interlock"))
		p := replica(t, through, os.Getenv("INTERLOCK_TEST_REDIS_URL"))
		if i == 0 {
			callers[i] = p.Admin(t)
		} else {
			callers[i] = at(callers[0], p)
		}
	}
	for round, c := range []struct {
		// first is the request that is interrupted at the statement; the other request runs
		// completely before it.
		first            int
		statement        string
		deleted, stocked int
	}{
		{0, "INSERT INTO audit_entries", http.StatusConflict, http.StatusCreated},
		{1, "INSERT INTO inventory_movements", http.StatusNoContent, http.StatusNotFound},
	} {
		sku := fmt.Sprintf("raced-%d", round)
		created := callers[0].Do(t, "POST", httpapi.Base+"/items", map[string]any{"sku": sku, "name": sku, "price": 1})
		require.Equal(t, http.StatusCreated, created.Status, "%s", created.Body)
		requests := [2]func() (apptest.Answer, error){
			func() (apptest.Answer, error) {
				return callers[0].Try(t.Context(), "DELETE", httpapi.Base+"/items/"+sku, nil, "If-Match", created.Header.Get("ETag"))
			},
			func() (apptest.Answer, error) {
				body := map[string]any{"delta": 1, "reason": "delivery", "reference": sku}
				return callers[1].Try(t.Context(), "POST", httpapi.Base+"/inventory/"+sku+"/adjustments", body)
			},
		}
		var answers [2]apptest.Answer
		var errs [2]error
		taps[c.first].Before(c.statement, func() { answers[1-c.first], errs[1-c.first] = requests[1-c.first]() })
		answers[c.first], errs[c.first] = requests[c.first]()
		require.NoError(t, errors.Join(errs[:]...))
		require.Equal(t, []int{c.deleted, c.stocked}, []int{answers[0].Status, answers[1].Status}, "%s\n%s", answers[0].Body, answers[1].Body)
	}
}

// changes reads n changes, or fewer if the stream ends. It closes stands once the stream is
// established.
func changes(stream io.Reader, stands chan<- struct{}, n int) []sse.Event {
	var seen []sse.Event
	_ = sse.Read(stream, func(e sse.Event) error {
		switch e.Name {
		case "ready":
			close(stands)
		case "change":
			seen = append(seen, e)
		}
		if len(seen) == n {
			return io.EOF
		}
		return nil
	})
	return seen
}
