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

// baseline is the first migration; the rules below apply to every later one.
const baseline = 1

// contracted maps each migration that removes something to the tag of the first release that no
// longer used it. That release must be older than the release of the migration.
var contracted = map[int64]string{}

// release matches the tag of a release.
var release = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

// checkContracted returns an error unless tag is an existing release without the migration.
func checkContracted(t *testing.T, repository string, migration int64, tag string) error {
	t.Helper()
	if !release.MatchString(tag) {
		return fmt.Errorf("%q is not the tag of a release, such as v1.2.3", tag)
	}
	listed, err := exec.CommandContext(t.Context(), "git", "-C", repository, "ls-tree", "--name-only", "refs/tags/"+tag, "migrations/mysql/").Output()
	if err != nil {
		return fmt.Errorf("release %s does not exist: %w", tag, err)
	}
	if regexp.MustCompile(fmt.Sprintf(`(?m)^migrations/mysql/0*%d_`, migration)).Match(listed) {
		return fmt.Errorf("release %s contains migration %d, so the release before it may use what the migration removes", tag, migration)
	}
	return nil
}

func TestContractedNamesAnOlderRelease(t *testing.T) {
	repository := t.TempDir()
	git := func(arguments ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "git", append([]string{"-C", repository, "-c", "user.name=test", "-c", "user.email=test@localhost"}, arguments...)...)
		output, err := command.CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	git("init", "--quiet")
	require.NoError(t, os.MkdirAll(filepath.Join(repository, "migrations/mysql"), 0o755))
	for i, tag := range []string{"v1.0.0", "v1.1.0"} {
		require.NoError(t, os.WriteFile(filepath.Join(repository, fmt.Sprintf("migrations/mysql/%05d_a.sql", baseline+i)), nil, 0o644))
		git("add", ".")
		git("commit", "--quiet", "--message", tag)
		git("tag", tag)
	}
	require.NoError(t, checkContracted(t, repository, 2, "v1.0.0"))
	require.ErrorContains(t, checkContracted(t, repository, 2, "v1.1.0"), "contains migration 2")
	require.ErrorContains(t, checkContracted(t, repository, 2, "v0.9.0"), "release v0.9.0 does not exist")
	for _, none := range []string{"", "the next one", "HEAD", "v1"} {
		require.ErrorContains(t, checkContracted(t, repository, 2, none), "is not the tag of a release")
	}
}

// During a rolling upgrade, replicas of the previous release run on the new schema. So a migration
// adds to the schema, and removes only parts that the previous release no longer uses.
func TestMigrationsAfterTheBaselineAreAdditive(t *testing.T) {
	schema := pool(t, storagetest.SQLite(t))
	provider, err := goose.NewProvider(goose.DialectSQLite3, schema, migrations.SQLite())
	require.NoError(t, err)
	_, err = provider.DownTo(t.Context(), baseline)
	require.NoError(t, err)
	unknown := maps.Clone(contracted)
	for _, source := range provider.ListSources() {
		if source.Version <= baseline {
			continue
		}
		before := used(t, schema)
		_, err := provider.UpTo(t.Context(), source.Version)
		require.NoError(t, err)
		taken := takenFrom(before, used(t, schema))
		tag, ok := contracted[source.Version]
		if !ok {
			require.Empty(t, taken, "%s breaks the previous release: see contracted", source.Path)
			continue
		}
		require.NotEmpty(t, taken, "%s removes nothing: delete it from contracted", source.Path)
		require.NoError(t, checkContracted(t, "../../..", source.Version, tag))
		delete(unknown, source.Version)
	}
	require.Empty(t, unknown, "contracted names migrations that do not exist")
}

func TestBreakingSchemaChangesAreFound(t *testing.T) {
	for statement, taken := range map[string][]string{
		"ALTER TABLE things ADD COLUMN note TEXT":                                                                                      nil,
		"ALTER TABLE things ADD COLUMN note TEXT NOT NULL DEFAULT ''":                                                                  nil,
		"CREATE TABLE others (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)":                                                      nil,
		"CREATE INDEX by_name ON things (name)":                                                                                        nil,
		"DROP INDEX by_size":                                                                                                           nil,
		"ALTER TABLE things DROP COLUMN name":                                                                                          {"things has no column name"},
		"ALTER TABLE things RENAME COLUMN name TO title":                                                                               {"things has no column name"},
		"DROP TABLE things":                                                                                                            {"things is not a table"},
		"CREATE UNIQUE INDEX once ON things (name)":                                                                                    {"things must be unique by name"},
		"CREATE TRIGGER never BEFORE DELETE ON things BEGIN SELECT RAISE(ABORT, ''); END":                                              {"things has a new trigger never"},
		"DROP TABLE things; CREATE TABLE things (id INTEGER PRIMARY KEY, name INTEGER, size INTEGER)":                                  {"things.name changed from TEXT to INTEGER"},
		"DROP TABLE things; CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER)":                            {"things.name is required"},
		"DROP TABLE things; CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, size INTEGER, kind TEXT NOT NULL)":                 {"things.kind is required"},
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

// column describes a column to a program that writes a row.
type column struct {
	Type string
	// Required is true if the database rejects a row without a value.
	Required bool
}

// usable is the part of a schema that a program depends on.
type usable struct {
	tables map[string]map[string]column
	// rules are the constraints that reject rows, by table.
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
		require.NoError(t, rows.Scan(&table, &name, &c.Type, &c.Required))
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

// takenFrom lists the changes that break a program written for the schema before.
func takenFrom(before, after usable) []string {
	var taken []string
	for table, columns := range before.tables {
		now, ok := after.tables[table]
		if !ok {
			taken = append(taken, table+" is not a table")
			continue
		}
		for name, was := range columns {
			is, ok := now[name]
			switch {
			case !ok:
				taken = append(taken, fmt.Sprintf("%s has no column %s", table, name))
			case is.Type != was.Type:
				taken = append(taken, fmt.Sprintf("%s.%s changed from %s to %s", table, name, was.Type, is.Type))
			}
		}
		for name, is := range now {
			if is.Required && !columns[name].Required {
				taken = append(taken, fmt.Sprintf("%s.%s is required", table, name))
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
