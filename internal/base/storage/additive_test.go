package storage_test

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
	"interlock/migrations"
)

// unreleased is the newest migration that no release came before: up to it, a migration could
// change what was there.
const unreleased = 51

// contracted says for each migration that takes something away which release, by its tag, was the
// first that did not use it any more. It has to be an older one than the release that brings the
// migration, and there.
var contracted = map[int64]string{}

// release is a tag that a release has.
var release = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// checkContracted refuses a release that a migration cannot rest on: one that is none, or that has
// the migration already, so that no release came between.
func checkContracted(t *testing.T, repository string, migration int64, tag string) error {
	t.Helper()
	if !release.MatchString(tag) {
		return fmt.Errorf("%q is no release: its tag would be such as v1.2.3", tag)
	}
	listed, err := exec.CommandContext(t.Context(), "git", "-C", repository, "ls-tree", "--name-only", "refs/tags/"+tag, "migrations/mysql/").Output()
	if err != nil {
		return fmt.Errorf("there is no release %s: %w", tag, err)
	}
	if regexp.MustCompile(fmt.Sprintf(`(?m)^migrations/mysql/0*%d_`, migration)).Match(listed) {
		return fmt.Errorf("the release %s has migration %d itself, so the one before it may still use what is taken away", tag, migration)
	}
	return nil
}

func TestAMigrationMayTakeAwayOnlyWhatAnOlderReleaseDidWithout(t *testing.T) {
	repository := t.TempDir()
	git := func(arguments ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "git", append([]string{"-C", repository, "-c", "user.name=test", "-c", "user.email=test@localhost"}, arguments...)...)
		output, err := command.CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	git("init", "--quiet")
	require.NoError(t, os.MkdirAll(filepath.Join(repository, "migrations/mysql"), 0o755))
	for migration, tag := range []string{"v1.0.0", "v1.1.0"} {
		require.NoError(t, os.WriteFile(filepath.Join(repository, fmt.Sprintf("migrations/mysql/%05d_a.sql", migration+51)), nil, 0o644))
		git("add", ".")
		git("commit", "--quiet", "--message", tag)
		git("tag", tag)
	}
	require.NoError(t, checkContracted(t, repository, 52, "v1.0.0"))
	require.ErrorContains(t, checkContracted(t, repository, 52, "v1.1.0"), "has migration 52 itself")
	require.ErrorContains(t, checkContracted(t, repository, 52, "v0.9.0"), "there is no release v0.9.0")
	for _, none := range []string{"", "the next one", "HEAD", "v1"} {
		require.ErrorContains(t, checkContracted(t, repository, 52, none), "is no release")
	}
}

// While replicas are replaced one after the other, those of the release before work on the schema
// of now: a migration may add to it, and take away only what that release no longer uses.
func TestAMigrationLeavesTheReleaseBeforeWhatItUses(t *testing.T) {
	schema := pool(t, storagetest.SQLite(t))
	provider, err := goose.NewProvider(goose.DialectSQLite3, schema, migrations.SQLite())
	require.NoError(t, err)
	_, err = provider.DownTo(t.Context(), unreleased)
	require.NoError(t, err)
	unknown := maps.Clone(contracted)
	for _, source := range provider.ListSources() {
		if source.Version <= unreleased {
			continue
		}
		before := used(t, schema)
		_, err := provider.UpTo(t.Context(), source.Version)
		require.NoError(t, err)
		taken := takenFrom(before, used(t, schema))
		tag, ok := contracted[source.Version]
		if !ok {
			require.Empty(t, taken, "%s breaks the release before: see contracted", source.Path)
			continue
		}
		require.NotEmpty(t, taken, "%s takes nothing away: it needs no release", source.Path)
		require.NoError(t, checkContracted(t, "../../..", source.Version, tag))
		delete(unknown, source.Version)
	}
	require.Empty(t, unknown, "migrations that are named in contracted and are not there")
}

func TestWhatWouldBreakTheReleaseBefore(t *testing.T) {
	for statement, taken := range map[string][]string{
		"ALTER TABLE things ADD COLUMN note TEXT":                                                                                      nil,
		"ALTER TABLE things ADD COLUMN note TEXT NOT NULL DEFAULT ''":                                                                  nil,
		"CREATE TABLE others (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)":                                                      nil,
		"CREATE INDEX by_name ON things (name)":                                                                                        nil,
		"DROP INDEX by_size":                                                                                                           nil,
		"ALTER TABLE things DROP COLUMN name":                                                                                          {"things has no column name any more"},
		"ALTER TABLE things RENAME COLUMN name TO title":                                                                               {"things has no column name any more"},
		"DROP TABLE things":                                                                                                            {"things is no table any more"},
		"CREATE UNIQUE INDEX once ON things (name)":                                                                                    {"things must be unique by name"},
		"CREATE TRIGGER never BEFORE DELETE ON things BEGIN SELECT RAISE(ABORT, ''); END":                                              {"things has a new trigger never"},
		"DROP TABLE things; CREATE TABLE things (id INTEGER PRIMARY KEY, name INTEGER, size INTEGER)":                                  {"things.name is INTEGER and was TEXT"},
		"DROP TABLE things; CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER)":                            {"things.name must have a value"},
		"DROP TABLE things; CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, kind TEXT NOT NULL)":                 {"things.kind must have a value"},
		"DROP TABLE things; CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, kind TEXT NOT NULL DEFAULT 'plain')": nil,
	} {
		t.Run(statement, func(t *testing.T) {
			pool, err := sql.Open("sqlite", ":memory:")
			require.NoError(t, err)
			defer pool.Close()
			pool.SetMaxOpenConns(1)
			_, err = pool.Exec("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, size INTEGER); CREATE INDEX by_size ON things (size)")
			require.NoError(t, err)
			before := used(t, pool)
			_, err = pool.Exec(statement)
			require.NoError(t, err)
			require.Equal(t, taken, takenFrom(before, used(t, pool)))
		})
	}
}

// column is what a program that writes a row has to know of a column.
type column struct {
	Type string
	// Wanted says that a row without a value for it is refused.
	Wanted bool
}

// usable is what a program can use of a schema.
type usable struct {
	tables map[string]map[string]column
	// rules are what refuses rows, by their tables.
	rules map[string][]string
}

func used(t *testing.T, pool *sql.DB) usable {
	t.Helper()
	u := usable{tables: map[string]map[string]column{}, rules: map[string][]string{}}
	rows, err := pool.QueryContext(t.Context(), `SELECT m.name, c.name, c.type, c."notnull" AND c.dflt_value IS NULL AND NOT c.pk
		FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var table, name string
		var c column
		require.NoError(t, rows.Scan(&table, &name, &c.Type, &c.Wanted))
		if u.tables[table] == nil {
			u.tables[table] = map[string]column{}
		}
		u.tables[table][name] = c
	}
	require.NoError(t, rows.Err())
	rules, err := pool.QueryContext(t.Context(), `
		SELECT m.name, 'must be unique by ' || (SELECT group_concat(i.name, ', ') FROM pragma_index_info(l.name) i)
		FROM sqlite_master m JOIN pragma_index_list(m.name) l WHERE m.type = 'table' AND l."unique"
		UNION ALL SELECT tbl_name, 'has a new trigger ' || name FROM sqlite_master WHERE type = 'trigger'
		ORDER BY 1, 2`)
	require.NoError(t, err)
	defer rules.Close()
	for rules.Next() {
		var table, rule string
		require.NoError(t, rules.Scan(&table, &rule))
		u.rules[table] = append(u.rules[table], rule)
	}
	require.NoError(t, rules.Err())
	return u
}

// takenFrom returns what a program that uses the schema of before finds broken.
func takenFrom(before, after usable) []string {
	var taken []string
	for table, columns := range before.tables {
		now, ok := after.tables[table]
		if !ok {
			taken = append(taken, table+" is no table any more")
			continue
		}
		for name, was := range columns {
			is, ok := now[name]
			switch {
			case !ok:
				taken = append(taken, fmt.Sprintf("%s has no column %s any more", table, name))
			case is.Type != was.Type:
				taken = append(taken, fmt.Sprintf("%s.%s is %s and was %s", table, name, is.Type, was.Type))
			}
		}
		for name, is := range now {
			if is.Wanted && !columns[name].Wanted {
				taken = append(taken, fmt.Sprintf("%s.%s must have a value", table, name))
			}
		}
		for _, rule := range after.rules[table] {
			if !slices.Contains(before.rules[table], rule) {
				taken = append(taken, table+" "+rule)
			}
		}
	}
	slices.Sort(taken)
	return taken
}
