package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A replacement that names a renamed identifier still finds its text, but no longer compiles.
func TestEveryMutantCompiles(t *testing.T) {
	var folders []string
	for _, m := range all {
		for _, e := range m.edits() {
			folders = append(folders, "./"+filepath.Dir(e.file))
		}
	}
	slices.Sort(folders)
	c := newCompiler(t, slices.Compact(folders))
	for _, m := range all {
		texts, err := m.files(root)
		require.NoError(t, err, m.name)
		for file := range texts {
			if err := c.check(filepath.Dir(file), texts); err != nil {
				t.Errorf("%s: %v", m.name, err)
			}
		}
	}
	require.ErrorContains(t, c.check("internal/base/principal", map[string]string{"internal/base/principal/principal.go": "package principal\n\nvar id = missing"}), "undefined: missing")
}

// compiler checks the types of changed packages. Their imports are unchanged: a mutant changes no
// declaration that another package uses.
type compiler struct {
	fset    *token.FileSet
	imports types.Importer
	// folders are the packages by folder, and parsed the unchanged files by path, from the root.
	folders map[string]listed
	parsed  map[string]*ast.File
}

// listed is a package as the go command lists it.
type listed struct {
	ImportPath, Export, Dir string
	GoFiles                 []string
}

func newCompiler(t *testing.T, folders []string) *compiler {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles"}, folders...)...)
	command.Dir = root
	printed, err := command.Output()
	require.NoError(t, err)
	c := &compiler{fset: token.NewFileSet(), folders: map[string]listed{}, parsed: map[string]*ast.File{}}
	exports := map[string]string{}
	absolute, err := filepath.Abs(root)
	require.NoError(t, err)
	for packages := json.NewDecoder(bytes.NewReader(printed)); ; {
		var p listed
		err := packages.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		exports[p.ImportPath] = p.Export
		if folder, err := filepath.Rel(absolute, p.Dir); err == nil {
			c.folders[folder] = p
		}
	}
	c.imports = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	return c
}

// check returns the first error in the types of a package with the changed texts.
func (c *compiler) check(folder string, texts map[string]string) error {
	p, ok := c.folders[folder]
	if !ok {
		return fmt.Errorf("no package in %s", folder)
	}
	files := make([]*ast.File, len(p.GoFiles))
	for i, name := range p.GoFiles {
		var err error
		if files[i], err = c.parse(filepath.Join(folder, name), texts); err != nil {
			return err
		}
	}
	_, err := (&types.Config{Importer: c.imports}).Check(p.ImportPath, c.fset, files, nil)
	return err
}

func (c *compiler) parse(file string, texts map[string]string) (*ast.File, error) {
	if text, ok := texts[file]; ok {
		return parser.ParseFile(c.fset, file, text, parser.SkipObjectResolution)
	}
	if c.parsed[file] == nil {
		parsed, err := parser.ParseFile(c.fset, filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		c.parsed[file] = parsed
	}
	return c.parsed[file], nil
}
