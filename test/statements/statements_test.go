package statements

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// listed contains the uses of features that an engine may lack, as file, function and text,
// each with the guard that decides without it. A new use needs its own reason: which guard
// rejects the caller that the lock would have made wait.
var listed = map[string]string{
	"internal/actions/store.go lockLatest FOR UPDATE":                      "advance writes the row that was read only: AND last_action_id = ?",
	"internal/aggregates/store.go forUpdate clause.Locking":                "advance writes the version that was read only; its rows are unique by version, sequence and event",
	"internal/approvals/store.go lockPending clause.Locking":               "write asks for the version that was read; who is overtaken is run again (MarkStale)",
	"internal/core/change/rows.go readForUpdate clause.Locking":            "every row that is read by it is written by package guard, under the version that was read",
	"internal/coupons/holders.go hold clause.Locking":                      "the UPDATE asks for held < perUser, and counts its rows",
	"internal/edge/idempotency/seen_records.go findMissing clause.Locking": "nothing is written: it asks a server that takes writes, and not one that follows",
	"internal/flashsale/gate/sql_rows.go lockGate clause.Locking":          "save writes the revision that was read only: AND revision = ?",
	"internal/mq/sql.go selectSkipLocked SKIP LOCKED":                      "claim asks for the state, and counts its rows; reap for the end of the lease",
	"internal/mq/sql.go selectSkipLocked clause.Locking":                   "claim asks for the state, and counts its rows; reap for the end of the lease",
	"internal/views/engines/server.go ways SKIP LOCKED":                    "a sentence of the doctor, and no statement",
	"internal/base/encryption/renew.go each id > ?":                        "it is walked until a pass finds nothing, and what is left is counted and told",
	"internal/edge/idempotency/forget.go Forget id > ?":                    "what is committed after it was passed is of somebody new, as after the end of an erasure",
	"internal/orders/sale.go EachOfSale id > ?":                            "the epoch was raised before, so that no order of the one before is committed any more; the next look finds an order that came late",
	"migrations/mysql/00001_baseline.sql ck_inventories_reserved":          "the guard of inventory.write has the same bounds",
	"migrations/mysql/00001_baseline.sql ck_inventory_holds_quantity":      "debit asks for quantity >= ?",
	"migrations/mysql/00001_baseline.sql ck_wallets_balance":               "the guard of wallets.write has the same bound",
	"migrations/mysql/00001_baseline.sql ck_flash_sale_stocks_sold":        "the units are written under the version that they were read at",
	"migrations/mysql/00001_baseline.sql ck_action_counts":                 "counts follow the guarded rows of actions, and promises compares both",
}

// rules are the patterns to find in SQL text, by their names.
var rules = map[string]*regexp.Regexp{
	"FOR UPDATE":         regexp.MustCompile(`(?i)\bFOR\s+UPDATE\b`),
	"FOR SHARE":          regexp.MustCompile(`(?i)\bFOR\s+SHARE\b`),
	"LOCK IN SHARE MODE": regexp.MustCompile(`(?i)\bLOCK\s+IN\s+SHARE\s+MODE\b`),
	"SKIP LOCKED":        regexp.MustCompile(`(?i)\bSKIP\s+LOCKED\b`),
	"NOWAIT":             regexp.MustCompile(`(?i)\bNOWAIT\b`),
	"GET_LOCK":           regexp.MustCompile(`(?i)\b(GET_LOCK|RELEASE_LOCK|IS_FREE_LOCK|IS_USED_LOCK)\b`),
	"LOCK TABLES":        regexp.MustCompile(`(?i)\bLOCK\s+TABLES?\b`),
	"ON DELETE":          regexp.MustCompile(`(?i)\bON\s+(DELETE|UPDATE)\s+(CASCADE|SET\s+NULL|SET\s+DEFAULT)\b`),
	// Ids are assigned before the commit and become visible in another order. A reader that
	// follows rows by id skips a row that commits late.
	"id > ?": regexp.MustCompile(`(?i)\b(id|seq)\s*>=?\s*\?`),
}

var check = regexp.MustCompile(`(?i)(?:CONSTRAINT\s+(\w+)\s+)?\bCHECK\s*\(`)

// inText returns the names of the rules that match an SQL text.
func inText(text string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		if rules[name].MatchString(text) {
			names = append(names, name)
		}
	}
	return names
}

// inSource returns the matches in the functions of a Go file, as function and name.
func inSource(name string, source any) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, declaration := range file.Decls {
		within := "(package)"
		if function, ok := declaration.(*ast.FuncDecl); ok {
			within = function.Name.Name
		}
		ast.Inspect(declaration, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(node.Value); err == nil && node.Kind == token.STRING {
					for _, rule := range inText(text) {
						found = append(found, within+" "+rule)
					}
				}
			case *ast.SelectorExpr:
				if of, ok := node.X.(*ast.Ident); ok && of.Name == "clause" && node.Sel.Name == "Locking" {
					found = append(found, within+" clause.Locking")
				}
			}
			return true
		})
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// inMigration returns the matches in a migration: its constraints by their names.
func inMigration(text string) (found []string) {
	var statements strings.Builder
	for line := range strings.Lines(text) {
		statement, _, _ := strings.Cut(line, "--")
		statements.WriteString(statement + "\n")
	}
	for _, match := range check.FindAllStringSubmatch(statements.String(), -1) {
		name := match[1]
		if name == "" {
			name = "CHECK without a name"
		}
		found = append(found, name)
	}
	return append(found, inText(statements.String())...)
}

// everything returns the matches in the program and its migrations, by position.
func everything(t *testing.T) (found []string) {
	t.Helper()
	look := func(folder, suffix string, at func(path string, text []byte) ([]string, error)) {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && strings.HasSuffix(entry.Name(), "test"):
				// Packages that only help tests.
				return fs.SkipDir
			case entry.IsDir(), !strings.HasSuffix(path, suffix), strings.HasSuffix(path, "_test.go"), strings.HasSuffix(path, ".golden.sql"):
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			here, err := at(path, text)
			for _, what := range here {
				found = append(found, strings.TrimPrefix(filepath.ToSlash(path), root+"/")+" "+what)
			}
			return err
		}))
	}
	for _, folder := range []string{"internal", "cmd", "client"} {
		look(folder, ".go", func(path string, text []byte) ([]string, error) { return inSource(path, text) })
	}
	look("migrations/mysql", ".sql", func(_ string, text []byte) ([]string, error) { return inMigration(string(text)), nil })
	slices.Sort(found)
	return slices.Compact(found)
}

func TestProgramNeedsNoOmittedEngineFeature(t *testing.T) {
	found := everything(t)
	for _, place := range found {
		if _, known := listed[place]; !known {
			t.Errorf("%s: an engine may leave that out; say in the list what decides without it, or do without", place)
		}
	}
	for place, why := range listed {
		require.NotEmpty(t, why, place)
		require.Contains(t, found, place, "it is listed but no longer exists")
	}
}

func TestOptionalEngineSyntaxIsFoundInAnySpelling(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a FROM t FOR UPDATE":                                 "FOR UPDATE",
		"select a from t\n for  share":                               "FOR SHARE",
		"SELECT a FROM t LOCK IN SHARE MODE":                         "LOCK IN SHARE MODE",
		" SKIP LOCKED":                                               "SKIP LOCKED",
		"FOR_UPDATE_NOTHING NOWAIT":                                  "NOWAIT",
		"SELECT GET_LOCK('a', 1)":                                    "GET_LOCK",
		"DO RELEASE_LOCK('a')":                                       "GET_LOCK",
		"LOCK TABLES t WRITE":                                        "LOCK TABLES",
		"FOREIGN KEY (a) REFERENCES t (id) ON DELETE CASCADE":        "ON DELETE",
		"SELECT a FROM t WHERE orders.id > ? ORDER BY id":            "id > ?",
		"SELECT a FROM t WHERE valid > ? AND id = ? ORDER BY a":      "",
		"INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = a": "",
	} {
		t.Run(text, func(t *testing.T) { require.Equal(t, want, strings.Join(inText(text), ", ")) })
	}
	found, err := inSource("some.go", fmt.Sprintf("package p\nconst c = %q\nfunc f() { x(`nowait`, clause.Locking{}) }\nfunc g() { y(\"id > ?\") }", "… FOR UPDATE"))
	require.NoError(t, err)
	require.Equal(t, []string{"(package) FOR UPDATE", "f NOWAIT", "f clause.Locking", "g id > ?"}, found)
	require.Equal(t, []string{"ck_a", "CHECK without a name", "ON DELETE"},
		inMigration("a INT, -- CHECK (a)\nCONSTRAINT ck_a CHECK (a > 0), b INT check(b > 0), FOREIGN KEY (a) REFERENCES t (id) ON DELETE CASCADE"))
}
