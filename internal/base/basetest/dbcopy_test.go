package basetest

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/claim"
	"interlock/internal/base/clock"
	"interlock/internal/base/dbcopy"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// embeddedWithAwkwardRows returns an embedded database with values that engines could alter.
func embeddedWithAwkwardRows(t *testing.T) (url string, db *storage.DB) {
	t.Helper()
	url = "sqlite://" + filepath.Join(t.TempDir(), "interlock.db")
	require.NoError(t, storagetest.Migrate(url))
	db = storagetest.Open(t, url)
	insert := func(table string, columns string, values ...any) {
		t.Helper()
		marks := "?" + strings.Repeat(", ?", len(values)-1)
		err := db.Write(storage.AcrossTenants(t.Context())).Exec("INSERT INTO "+table+" ("+columns+") VALUES ("+marks+")", values...).Error
		require.NoError(t, err, table)
	}
	first, last := time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	fingerprint := append(make([]byte, 30), ' ', 0)

	insert("tenants", "id, name, currency, created_time, disabled_time", 7, "shop", "CNY", first, nil)
	for id, sku := range map[int64]string{math.MaxInt64 - 1: "a", 3: "a ", 4: "A", 5: "\u00e4", 6: "a\u0308", 7: "雪🎉 \u200d"} {
		insert("items", "id, tenant_id, version, created_time, updated_time, updated_by, updated_by_name, sku, name, price, owned_by_user_id, status",
			id, 7, 1, first, last, 0, "", sku, awkward+" 🎉  ", int64(math.MaxInt64), nil, "draft")
	}
	for id := range 2500 {
		insert("order_tags", "tenant_id, order_id, tag", 7-id%3, id, fmt.Sprintf("tag %d ", id))
	}
	insert("coupon_campaigns", "tenant_id, version, created_time, updated_time, updated_by, updated_by_name, name, kind, value, minimum_amount, total, per_user, valid_from, valid_to, issued",
		7, 1, first, last, 1, "", "", "amount", int64(math.MinInt64), 0, -1, 1, time.Date(1969, 12, 31, 23, 59, 59, 1000, time.UTC), last, 0)
	for _, secret := range []bool{true, false} {
		insert("configs", "tenant_id, version, created_time, updated_time, updated_by, updated_by_name, `key`, value, value_type, value_schema, remark, secret, sealed_value",
			7, 1, first, last, 1, "李", fmt.Sprint("key.", secret), strings.Repeat(awkward, 10_000), "json", "", "\t ", secret, every)
	}
	insert("role_histories", "tenant_id, role_id, version, action, name, permissions, changed_by, changed_by_name, changed_time", 7, 1, 1, "create", " ", `{"b": 1.50,  "a": ["\u0061", null, 1e3], "<": "\\"}`, 1, "", first)
	insert("idempotency_keys", "tenant_id, scope, idempotency_key, fingerprint, method, path, request_id, actor_kind, actor_id, actor_name, status, reply, location, seal_key, duration_us, replays, created_time, expires_time",
		7, "s", "key ", fingerprint, "POST", "/", "", "user", "1", "", 201, every, "", "", 1, 0, first, last)
	insert("idempotency_keys", "tenant_id, scope, idempotency_key, fingerprint, method, path, request_id, actor_kind, actor_id, actor_name, status, reply, location, seal_key, duration_us, replays, created_time, expires_time",
		7, "s", "key", fingerprint, "POST", "/", "", "user", "1", "", 201, nil, "", "", 1, 0, first, last)
	for version := range 3 {
		insert("config_histories", "tenant_id, config_id, `key`, version, action, value, value_type, value_schema, remark, note, changed_by, changed_by_name, changed_time",
			7, 1, "key", version+1, "update", "1", "number", "", "", "", 1, "", first)
	}
	insert("sign_in_attempts", "id, account, slot, created_time, network", 900, strings.Repeat("x", 43), 1, first, "")
	insert("flash_sale_stocks", "tenant_id, version, created_time, updated_time, updated_by, updated_by_name, sale_id, allotted, sold, epoch, finished", 7, 4, first, last, 1, "", 1, 10, 2, 1, false)
	for _, statement := range []string{"DELETE FROM sign_in_attempts", "DELETE FROM config_histories WHERE version = 3"} {
		require.NoError(t, db.Write(storage.AcrossTenants(t.Context())).Exec(statement).Error)
	}
	return url, db
}

// changedByACopy are columns that a copy changes, and uncopied the tables that it leaves out.
var (
	changedByACopy = map[string][]string{"installation": {"epoch", "begun_time", "reason"}, "flash_sale_stocks": {"epoch", "version"}}
	uncopied       = []string{"goose_db_version", "server_claims", "mq_messages", "mq_batches", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4"}
)

// requireEqualRows compares all rows of two databases, with the computed columns.
func requireEqualRows(t *testing.T, from, to *storage.DB) {
	t.Helper()
	tables := storagetest.Texts(t, from.Pools()["read"], "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
	compared := 0
	for _, table := range tables {
		if slices.Contains(uncopied, table) {
			continue
		}
		columns := storagetest.Texts(t, from.Pools()["read"], "SELECT name FROM pragma_table_xinfo('"+table+"')")
		columns = slices.DeleteFunc(columns, func(name string) bool { return slices.Contains(changedByACopy[table], name) })
		where := ""
		if table == "log_places" {
			where = " WHERE name <> 'configs'"
		}
		query := "SELECT `" + strings.Join(columns, "`, `") + "` FROM `" + table + "`" + where
		source := rowsOf(t, from.Pools()["read"], query)
		require.Equal(t, source, rowsOf(t, to.Pools()["read"], query), table)
		compared += len(source)
	}
	require.NotZero(t, compared)
}

// rowsOf returns the rows of a query as sorted texts that do not depend on the driver.
func rowsOf(t *testing.T, pool *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := pool.QueryContext(t.Context(), query)
	require.NoError(t, err, query)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, rows.Scan(into...))
		for i, value := range values {
			switch value := value.(type) {
			case []byte:
				values[i] = fmt.Sprintf("%q", value)
			case string:
				values[i] = fmt.Sprintf("%q", value)
			case bool:
				values[i] = map[bool]int{true: 1}[value]
			case time.Time:
				values[i] = value.UTC().Format(time.RFC3339Nano)
			}
		}
		list = append(list, fmt.Sprint(values...))
	}
	require.NoError(t, rows.Err())
	slices.Sort(list)
	return list
}

// Proves R7.
func TestCopyPreservesEveryValue(t *testing.T) {
	from, source := embeddedWithAwkwardRows(t)
	to := storagetest.NewMariaDBURL(t)
	was, err := epoch.Read(t.Context(), source)
	require.NoError(t, err)
	var reports []dbcopy.Progress
	result, err := dbcopy.Copy(t.Context(), dbcopy.Options{From: from, To: to, Progress: func(p dbcopy.Progress) { reports = append(reports, p) }})
	require.NoError(t, err)
	require.False(t, result.Resumed)
	require.Greater(t, result.Tables, 80)
	require.Greater(t, result.Rows, int64(2500))
	tags := slices.DeleteFunc(slices.Clone(reports), func(p dbcopy.Progress) bool { return p.Table != "order_tags" })
	require.GreaterOrEqual(t, len(tags), 2)
	last := tags[len(tags)-1]
	require.Equal(t, dbcopy.Progress{Verifying: true, Table: "order_tags", Rows: 2500, Total: 2500, Rate: last.Rate}, last)

	target := storagetest.Open(t, to)
	requireEqualRows(t, source, target)
	now, err := epoch.Read(t.Context(), target)
	require.NoError(t, err)
	require.NotEqual(t, was, now)
	require.Equal(t, 1, count(t, target, "SELECT COUNT(*) FROM installation WHERE reason = 'It was copied from an embedded database.'"))
	require.Equal(t, 1, count(t, target, "SELECT COUNT(*) FROM flash_sale_stocks WHERE tenant_id = 7 AND epoch > 1000000 AND version = 5"))

	state, err := target.MigrationState(t.Context())
	require.NoError(t, err)
	require.True(t, state.UpToDate())
	// Positions in the log of configs, and ids, continue.
	require.Equal(t, 2, count(t, target, "SELECT COUNT(*) FROM config_histories WHERE place = id"))
	require.Equal(t, 3, count(t, target, "SELECT last FROM log_places WHERE name = 'configs'"))
	write := target.Write(storage.AcrossTenants(t.Context()))
	require.NoError(t, write.Exec("INSERT INTO sign_in_attempts (account, slot, created_time) VALUES ('y', 1, NOW(6))").Error)
	require.Equal(t, 901, count(t, target, "SELECT id FROM sign_in_attempts"))
}

// interruptedCopy copies until the report on which stop returns true.
func interruptedCopy(t *testing.T, from, to string, stop func(dbcopy.Progress) bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := dbcopy.Copy(ctx, dbcopy.Options{From: from, To: to, Progress: func(p dbcopy.Progress) {
		if stop(p) {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "run it again to continue")
}

// Proves R7.
func TestIncompleteCopyIsRejectedUntilResumed(t *testing.T) {
	from, source := embeddedWithAwkwardRows(t)
	to := storagetest.NewMariaDBURL(t)
	interruptedCopy(t, from, to, func(p dbcopy.Progress) bool { return p.Table == "items" })
	target := storagetest.Open(t, to)
	_, err := target.MigrationState(t.Context())
	require.ErrorIs(t, err, storage.ErrIncompleteCopy)
	_, err = target.Migrate(t.Context())
	require.ErrorIs(t, err, storage.ErrIncompleteCopy)
	copied := count(t, target, "SELECT COUNT(*) FROM items")
	require.Equal(t, 6, copied)

	interruptedCopy(t, from, to, func(p dbcopy.Progress) bool { return p.Verifying })
	result, err := dbcopy.Copy(t.Context(), dbcopy.Options{From: from, To: to})
	require.NoError(t, err)
	require.True(t, result.Resumed)
	requireEqualRows(t, source, target)
	_, err = target.Migrate(t.Context())
	require.NoError(t, err)
}

// Proves R7.
func TestAlteredCopyIsNotReleased(t *testing.T) {
	damages := map[string]string{
		"value":   "UPDATE items SET name = 'A' WHERE id = 3",
		"missing": "DELETE FROM items WHERE id = 3",
		"more":    "INSERT INTO order_tags (tenant_id, order_id, tag) VALUES (9, 9, 'more')",
		"blank":   "UPDATE order_tags SET tag = 'tag 3' WHERE order_id = 3",
	}
	for _, name := range slices.Sorted(maps.Keys(damages)) {
		t.Run(name, func(t *testing.T) {
			from, _ := embeddedWithAwkwardRows(t)
			to := storagetest.NewMariaDBURL(t)
			interruptedCopy(t, from, to, func(p dbcopy.Progress) bool { return p.Verifying })
			target := storagetest.Open(t, to)
			require.NoError(t, target.Write(storage.AcrossTenants(t.Context())).Exec(damages[name]).Error)
			_, err := dbcopy.Copy(t.Context(), dbcopy.Options{From: from, To: to})
			require.ErrorContains(t, err, "differs: the source has ")
			_, err = target.MigrationState(t.Context())
			require.ErrorIs(t, err, storage.ErrIncompleteCopy)
		})
	}
}

func TestResumeAfterChangeOfSourceIsRejected(t *testing.T) {
	from, source := embeddedWithAwkwardRows(t)
	to := storagetest.NewMariaDBURL(t)
	interruptedCopy(t, from, to, func(p dbcopy.Progress) bool { return p.Table == "items" })
	audit(t, source, "later", time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))
	_, err := dbcopy.Copy(t.Context(), dbcopy.Options{From: from, To: to})
	require.ErrorContains(t, err, "incomplete copy of another state")
}

func TestCopyRejectsAnUnfitTarget(t *testing.T) {
	from, _ := embeddedWithAwkwardRows(t)
	for name, test := range map[string]struct {
		migrated         bool
		statement, error string
	}{
		"row":            {true, "INSERT INTO access_revisions (tenant_id, version) VALUES (1, 1)", "is not empty, it has rows in access_revisions: create an empty database"},
		"other table":    {true, "CREATE TABLE wp_posts (id INT)", "has the table wp_posts of another program"},
		"no schema":      {false, "CREATE TABLE items (id INT)", ""},
		"foreign schema": {false, "CREATE TABLE posts (id INT)", "has the table posts of another program"},
	} {
		t.Run(name, func(t *testing.T) {
			to := storagetest.NewMariaDBURL(t)
			if test.migrated {
				require.NoError(t, storagetest.Migrate(to))
			}
			target := storagetest.Open(t, to)
			require.NoError(t, target.Write(storage.AcrossTenants(t.Context())).Exec(test.statement).Error)
			_, err := dbcopy.Copy(t.Context(), dbcopy.Options{From: from, To: to})
			require.Error(t, err)
			require.ErrorContains(t, err, test.error)
		})
	}
	t.Run("absent", func(t *testing.T) {
		_, err := dbcopy.Copy(t.Context(), dbcopy.Options{From: from, To: storagetest.NewMariaDBURL(t) + "_absent"})
		require.ErrorContains(t, err, "the target does not exist: create an empty database")
	})
	t.Run("used", func(t *testing.T) {
		to := storagetest.NewMariaDBURL(t)
		require.NoError(t, storagetest.Migrate(to))
		claimed, err := claim.Acquire(t.Context(), claim.Options{DB: storagetest.Open(t, to), Role: "all"})
		require.NoError(t, err)
		defer claimed.Release()
		_, err = dbcopy.Copy(t.Context(), dbcopy.Options{From: from, To: to})
		require.ErrorContains(t, err, "the target is in use")
	})
	t.Run("migrated", func(t *testing.T) {
		to := storagetest.NewMariaDBURL(t)
		require.NoError(t, storagetest.Migrate(to))
		_, err := dbcopy.Copy(t.Context(), dbcopy.Options{From: from, To: to})
		require.NoError(t, err)
	})
}

// The source is rejected before the target is opened, which does not exist.
func TestCopyRejectsAnUnfitSource(t *testing.T) {
	const nowhere = "mysql://u:p@127.0.0.1:1/interlock"
	attempt := func(from string) error {
		_, err := dbcopy.Copy(t.Context(), dbcopy.Options{From: from, To: nowhere})
		return err
	}
	t.Run("absent", func(t *testing.T) {
		err := attempt("sqlite://" + filepath.Join(t.TempDir(), "interlock.db"))
		require.ErrorIs(t, err, storage.ErrNoDatabase)
	})
	t.Run("served", func(t *testing.T) {
		from, _ := embeddedWithAwkwardRows(t)
		claimed, err := claim.File(strings.TrimPrefix(from, "sqlite://"), "all", clock.System{})
		require.NoError(t, err)
		require.ErrorContains(t, attempt(from), "the source is in use, stop its server first")
		claimed.Release()
		require.ErrorContains(t, attempt(from), "the target: ")
	})
	for name, test := range map[string]struct{ statement, error string }{
		"older":    {"DELETE FROM goose_db_version WHERE version_id > 0", "run `admin migrate up --database-url sqlite://"},
		"newer":    {"INSERT INTO goose_db_version (version_id, is_applied) SELECT MAX(version_id) + 1, TRUE FROM goose_db_version", "the source is from a newer program"},
		"messages": {"INSERT INTO mq_messages (queue, state, message_id, batch_id, due_time, attempts, crashes, enqueued_time, error, trace, body) VALUES ('sale:5', 0, 'm', '', '2026-11-21 08:00:00', 0, 0, '2026-11-21 08:00:00', '', '', 'x')", "which cannot be copied: sale:5 (1). Start its server"},
	} {
		t.Run(name, func(t *testing.T) {
			from, source := embeddedWithAwkwardRows(t)
			require.NoError(t, source.Write(storage.AcrossTenants(t.Context())).Exec(test.statement).Error)
			require.ErrorContains(t, attempt(from), test.error)
		})
	}
	for _, pair := range [][2]string{{nowhere, "sqlite://x"}, {nowhere, nowhere}, {"sqlite://x", "sqlite://y"}, {"postgres://x", nowhere}} {
		_, err := dbcopy.Copy(t.Context(), dbcopy.Options{From: pair[0], To: pair[1]})
		require.ErrorContains(t, err, "is not supported: want --from sqlite://PATH and --to mysql://")
	}
}

func TestValueThatTheTargetCannotStoreIsNamed(t *testing.T) {
	for name, test := range map[string]struct{ statement, error string }{
		"long":         {"UPDATE items SET name = printf('%.300c', 'x') WHERE id = 3", "write items: "},
		"text":         {"UPDATE items SET price = 'many' WHERE id = 3", "column price of the row with key [3]"},
		"invalid UTF8": {"UPDATE items SET name = CAST(x'ff' AS TEXT) WHERE id = 3", "write items: "},
	} {
		t.Run(name, func(t *testing.T) {
			from, source := embeddedWithAwkwardRows(t)
			require.NoError(t, source.Write(storage.AcrossTenants(t.Context())).Exec(test.statement).Error)
			_, err := dbcopy.Copy(t.Context(), dbcopy.Options{From: from, To: storagetest.NewMariaDBURL(t)})
			require.ErrorContains(t, err, test.error)
		})
	}
}
