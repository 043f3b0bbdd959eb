package contract_test

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
)

// bound is the number of rows that a list may count and examine in these tests: the same
// fraction of the rows as the real bound is of a million. With a smaller distance MariaDB
// estimates, perhaps correctly, that a scan of all index entries of a tenant is cheaper
// than a range.
const bound = 100

// few returns the number of rows of a table in these tests.
func few(t table) int {
	if t.large() {
		return 100 * bound
	}
	return 5 * bound
}

// The test requests the first and the second page of each list, with each filter and sort
// that the contract names, and with pairs of filters. No statement reads or sorts the
// tenant's whole table.
func TestNoListReadsTheWholeTableOfATenant(t *testing.T) {
	eachRecorded(t, func(t *testing.T, p *apptest.Program, log *recorder) {
		s := newShop(t, p, few)
		log.of(s.tenant)
		seen := map[string]bool{}
		for _, r := range s.requests(t) {
			next := s.ask(t.Context(), t, r, nil)
			statements := log.take()
			if next != "" {
				s.ask(t.Context(), t, r, url.Values{"cursor": {next}})
				statements = append(statements, log.take()...)
			}
			require.NotEmpty(t, statements, r)
			for _, st := range statements {
				if seen[st.sql] {
					continue
				}
				seen[st.sql] = true
				if fault := s.explain(t, st); fault != "" {
					t.Errorf("%s\n  %s\n  %s", r, fault, st.sql)
				}
			}
		}
		s.ask(t.Context(), t, request{list: "/dashboard", path: "/api/v1/dashboard"}, nil)
		for _, st := range log.take() {
			if fault := s.explain(t, st); fault != "" {
				t.Errorf("the dashboard\n  %s\n  %s", fault, st.sql)
			}
		}
	})
}

// statement is a statement that was executed.
type statement struct {
	sql  string
	args []any
}

// recorder collects the queries of a tenant's requests.
type recorder struct {
	mu     sync.Mutex
	tenant int64
	sent   []statement
}

// eachRecorded runs a test on each engine against a separate program with the limits of these tests
// for its lists. The recording starts before the program serves, because GORM's callbacks must not
// change while other goroutines use them.
func eachRecorded(t *testing.T, test func(t *testing.T, p *apptest.Program, log *recorder)) {
	for _, engine := range []string{"sqlite", "mariadb"} {
		t.Run(engine, func(t *testing.T) {
			s := apptest.Settings(t.TempDir())
			if engine == "mariadb" {
				s.DatabaseURL = storagetest.NewMariaDBURL(t)
			}
			log := &recorder{}
			p := apptest.Start(t, s, func(p *apptest.Program) {
				db := p.Services().DB.Read(t.Context())
				require.NoError(t, db.Use(storage.ListBound(bound)))
				require.NoError(t, db.Callback().Query().After("gorm:query").Register("size:query", log.note))
				require.NoError(t, db.Callback().Row().After("gorm:row").Register("size:row", log.note))
			})
			test(t, p, log)
		})
	}
}

// of selects the tenant to record.
func (r *recorder) of(tenant int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tenant = tenant
}

func (r *recorder) note(db *gorm.DB) {
	caller, _ := principal.From(db.Statement.Context)
	r.mu.Lock()
	defer r.mu.Unlock()
	if db.DryRun || r.tenant == 0 || caller.TenantID != r.tenant || caller.Kind != principal.Token {
		return
	}
	r.sent = append(r.sent, statement{db.Statement.SQL.String(), slices.Clone(db.Statement.Vars)})
}

func (r *recorder) take() []statement {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := r.sent
	r.sent = nil
	return sent
}

// explain returns a defect of the engine's plan, or "".
func (s shop) explain(t *testing.T, st statement) string {
	t.Helper()
	db := s.Program.Services().DB
	if db.Dialect == storage.SQLite {
		return cmp.Or(faultOfLimits(st.sql), faultOfSQLite(rowsOf(t, db, "EXPLAIN QUERY PLAN "+st.sql, st.args), st.sql))
	}
	return cmp.Or(faultOfEquality(st.sql), faultOfMariaDB(rowsOf(t, db, "EXPLAIN "+st.sql, st.args), st.sql))
}

// rowsOf returns the rows of a result as texts by column, in lower case.
func rowsOf(t *testing.T, db *storage.DB, sql string, args []any) []map[string]string {
	t.Helper()
	rows, err := db.Pools()["read"].QueryContext(context.WithoutCancel(t.Context()), sql, args...)
	require.NoError(t, err, sql)
	defer rows.Close()
	names, err := rows.Columns()
	require.NoError(t, err)
	var all []map[string]string
	for rows.Next() {
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(any)
		}
		require.NoError(t, rows.Scan(values...))
		row := map[string]string{}
		for i, name := range names {
			switch v := (*values[i].(*any)).(type) {
			case []byte:
				row[strings.ToLower(name)] = string(v)
			case nil:
			default:
				row[strings.ToLower(name)] = fmt.Sprint(v)
			}
		}
		all = append(all, row)
	}
	require.NoError(t, rows.Err())
	return all
}

func large(name string) bool {
	return slices.ContainsFunc(tables, func(t table) bool { return t.name == name && t.large() })
}

// narrows matches conditions of a WHERE other than the tenant and the position of a page:
// hidden conditions, and those that the engine examines row by row. The index that is
// walked does not contain their columns.
var narrows = regexp.MustCompile(`COALESCE\([^)]*\) (=|>=|<=|<|>|IN)|LIKE|NOT IN|EXISTS|expires_time >|status = |kind = `)

// leads matches the condition of a filter that has an index, in parentheses. The engine
// must use that index only for the count before each page: if half of a tenant's rows
// match, MariaDB may walk the tenant's order to a page of them, if that differs from the
// filter's.
var leads = regexp.MustCompile("^SELECT COUNT.*\\(`\\w+` (= \\?\\)|<= \\?\\)|>= \\? AND|< \\?\\)|IN \\()")

// The tables of a plan, and the columns that SQLite searches in an index.
var (
	scanned  = regexp.MustCompile(`^SCAN (\w+)`)
	searched = regexp.MustCompile(`^SEARCH (\w+) .*\((.*)\)$`)
)

// faultOfSQLite returns a defect of an EXPLAIN QUERY PLAN.
func faultOfSQLite(plan []map[string]string, sql string) string {
	var byTenant string
	sorts := false
	for _, row := range plan {
		detail := row["detail"]
		if m := scanned.FindStringSubmatch(detail); m != nil && large(m[1]) {
			return detail
		}
		if m := searched.FindStringSubmatch(detail); m != nil && large(m[1]) && m[2] == "tenant_id=?" {
			byTenant = detail
		}
		sorts = sorts || strings.Contains(detail, "TEMP B-TREE FOR ORDER BY") || strings.Contains(detail, "TEMP B-TREE FOR LAST")
	}
	return faultOfWalk(byTenant, sorts, sql)
}

// faultOfMariaDB returns a defect of an EXPLAIN.
func faultOfMariaDB(plan []map[string]string, sql string) string {
	var byTenant string
	sorts := false
	for _, row := range plan {
		detail := fmt.Sprintf("%s: type %s, key %s of %s bytes, %s rows, %s", row["table"], row["type"], row["key"], row["key_len"], row["rows"], row["extra"])
		if !large(row["table"]) {
			continue
		}
		if row["type"] == "ALL" || row["type"] == "index" {
			return detail
		}
		// A BIGINT NOT NULL has eight bytes: the tenant alone.
		if row["key_len"] == "8" && row["key"] != "PRIMARY" {
			byTenant = detail
		}
		filesort := strings.Contains(row["extra"], "filesort")
		sorts = sorts || filesort
		// A sort of so few rows between two limits is acceptable.
		if filesort && atLeast(row["rows"], bound+1) && strings.Contains(sql, tenantAsRange) {
			return "sorts rows that an index has in order: " + detail
		}
	}
	return faultOfWalk(byTenant, sorts, sql)
}

func atLeast(rows string, least int) bool {
	n, err := strconv.Atoi(rows)
	return err != nil || n >= least
}

// place matches the condition for rows before or after a position in a list on SQLite.
var place = regexp.MustCompile("\\(`(\\w+)`, `id`\\) ([<>])")

// faultOfLimits returns a defect of an SQLite condition on rows between two positions: of
// two limits in one direction SQLite uses the first, which belongs to a filter, and not the
// narrower one.
func faultOfLimits(sql string) string {
	for _, m := range place.FindAllStringSubmatch(sql, -1) {
		if strings.Contains(sql, "`"+m[1]+"` "+m[2]) {
			return "has a limit in addition to the cursor " + m[0]
		}
	}
	return ""
}

// faultOfWalk returns a defect of reading a tenant's rows along an index that is restricted
// by the tenant alone.
func faultOfWalk(byTenant string, sorts bool, sql string) string {
	switch {
	case byTenant == "":
		return ""
	case sorts:
		return "sorts all of a tenant: " + byTenant
	case !strings.Contains(sql, "LIMIT"):
		return "reads all of a tenant: " + byTenant
	case narrows.MatchString(sql), leads.MatchString(sql):
		return "examines all of a tenant: " + byTenant
	}
	return ""
}

// tenantAsRange is the tenant's condition in a page that starts at a limit.
const tenantAsRange = "`tenant_id` >= ?"

// limit matches a condition that selects the rows on one side of a value.
var limit = regexp.MustCompile("`(\\w+)` [<>]=? \\?")

// faultOfEquality returns a defect of a MariaDB query for a page that starts at a limit in
// its sort column: a position or the limit of a filter. With more rows than in these tests,
// MariaDB would use the equality of the tenant and walk all its rows to the start of the
// page.
func faultOfEquality(sql string) string {
	where, order, _ := strings.Cut(sql, " ORDER BY ")
	begins := slices.ContainsFunc(limit.FindAllStringSubmatch(where, -1), func(m []string) bool {
		return strings.Contains(order, "`"+m[1]+"`")
	})
	if begins && strings.Contains(where, "`tenant_id` = ?") {
		return "walks all of a tenant to where the page begins"
	}
	return ""
}

// The checks detect a filter or a sort without an index, on either engine.
func TestMissingIndexIsDetected(t *testing.T) {
	eachRecorded(t, func(t *testing.T, p *apptest.Program, log *recorder) {
		s := newShop(t, p, few)
		log.of(s.tenant)
		db := p.Services().DB
		drop := func(index, table string) string {
			if db.Dialect == storage.SQLite {
				return "DROP INDEX " + index
			}
			return "DROP INDEX " + index + " ON " + table
		}
		for _, missing := range []struct{ table, index, path string }{
			{"orders", "ix_orders_amount", "/orders?sort=amount"},
			{"audit_entries", "ix_audit_entries_action", "/audit-log?action=never.done"},
			{"configs", "ix_configs_updated", "/configs?sort=updatedTime"},
		} {
			_, err := db.Pools()["write"].ExecContext(t.Context(), drop(missing.index, missing.table))
			require.NoError(t, err)
			require.Equal(t, 200, s.Do(t, "GET", "/api/v1"+missing.path, nil).Status)
			var faults []string
			for _, st := range log.take() {
				if fault := s.explain(t, st); fault != "" {
					faults = append(faults, fault)
				}
			}
			require.NotEmpty(t, faults, missing.index)
		}
	})
}
