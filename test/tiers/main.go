// Command tiers lists the tests that are not part of make test, by package, and the packages
// whose tests run on MariaDB in make test because their SQL differs from the recorded one:
//
//	go run ./test/tiers           the list
//	go run ./test/tiers -summary  a few lines for the end of make test
//	go run ./test/tiers -record   make test or make nightly passed: record the checksums of the SQL
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"interlock/test/tier"
)

func main() {
	summary := flag.Bool("summary", false, "print a summary")
	record := flag.Bool("record", false, "write "+tier.SumFile)
	flag.Parse()
	if err := run(*summary, *record); err != nil {
		fmt.Fprintln(os.Stderr, "tiers:", err)
		os.Exit(1)
	}
}

func run(summary, record bool) error {
	root, err := tier.Root()
	if err != nil {
		return err
	}
	if record {
		return recordSums(root)
	}
	tests, err := find(root)
	if err != nil {
		return err
	}
	changed, err := changedSQL(root)
	if err != nil {
		return err
	}
	nightly := 0
	for _, of := range tests.nightly {
		nightly += len(of)
	}
	if !summary {
		for _, folder := range slices.Sorted(maps.Keys(tests.nightly)) {
			fmt.Println(folder)
			for _, test := range tests.nightly[folder] {
				fmt.Println("    " + test)
			}
		}
	}
	fmt.Printf("make test ran %d tests; make nightly adds %d (make tiers lists them), MariaDB for the rules of each domain, and every round of every race\n", tests.change, nightly)
	if len(changed) > 0 {
		fmt.Printf("passed on MariaDB too, because their SQL differs from the recorded one: %s\ncommit "+tier.SumFile+" after `go run ./test/tiers -record`: then make test runs them on SQLite only, until their SQL changes\n",
			strings.Join(changed, ", "))
	}
	return nil
}

// tests are the tests of the module: how many belong to make test, and the names of the others by
// folder. A name has the build tag of its file in parentheses, if it has one.
type tests struct {
	change  int
	nightly map[string][]string
}

func find(root string) (tests, error) {
	found := tests{nightly: map[string][]string{}}
	for _, folder := range []string{"client", "cmd", "docs", "internal", "test", "web"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules") {
				return fs.SkipDir
			}
			if !strings.HasSuffix(path, "_test.go") {
				return nil
			}
			return found.read(root, path)
		})
		if err != nil {
			return tests{}, err
		}
	}
	return found, nil
}

func (f *tests) read(root, path string) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	folder, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return err
	}
	tag := tagOf(file)
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Recv != nil || !strings.HasPrefix(function.Name.Name, "Test") || function.Name.Name == "TestMain" {
			continue
		}
		switch name := function.Name.Name; {
		case tag != "":
			f.nightly[folder] = append(f.nightly[folder], fmt.Sprintf("%s (%s)", name, tag))
		case callsNightly(function):
			f.nightly[folder] = append(f.nightly[folder], name)
		default:
			f.change++
		}
	}
	return nil
}

// tagOf returns the build tag that a test file needs, and "" for a constraint that make test meets.
func tagOf(file *ast.File) string {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			expression, err := constraint.Parse(comment.Text)
			if err != nil || group.Pos() > file.Package {
				continue
			}
			if !expression.Eval(func(tag string) bool { return tag == "linux" || tag == "unix" }) {
				return expression.String()
			}
		}
	}
	return ""
}

// callsNightly reports whether a test calls tier.Nightly itself, outside its parts.
func callsNightly(function *ast.FuncDecl) bool {
	return slices.ContainsFunc(function.Body.List, func(statement ast.Stmt) bool {
		expression, ok := statement.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := expression.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		of, ok := selector.X.(*ast.Ident)
		return ok && of.Name == "tier" && selector.Sel.Name == "Nightly"
	})
}

// sums returns the checksums of all packages that contain SQL.
func sums(root string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || strings.HasSuffix(entry.Name(), "test") {
			return err
		}
		sum, err := tier.SQLSum(path)
		if err != nil || sum == "" {
			return err
		}
		folder, err := filepath.Rel(root, path)
		all[filepath.ToSlash(folder)] = sum
		return err
	})
	return all, err
}

func changedSQL(root string) ([]string, error) {
	now, err := sums(root)
	if err != nil {
		return nil, err
	}
	recorded, err := tier.ReadSums(root)
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, folder := range slices.Sorted(maps.Keys(now)) {
		if recorded[folder] != now[folder] {
			changed = append(changed, folder)
		}
	}
	return changed, nil
}

func recordSums(root string) error {
	now, err := sums(root)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, folder := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&lines, "%s %s\n", folder, now[folder])
	}
	return os.WriteFile(filepath.Join(root, tier.SumFile), []byte(lines.String()), 0o644)
}
