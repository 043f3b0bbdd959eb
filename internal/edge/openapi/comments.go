package openapi

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// comments has the comments above the fields of structs, which describe the fields in the
// contract. It parses each package once, on demand.
type comments struct {
	// root is the folder of the Go module, module its import path.
	root, module string
	parsed       map[string]bool
	fields       map[fieldName]string
}

type fieldName struct{ pkg, structure, field string }

func newComments(root, module string) *comments {
	return &comments{root: root, module: module, parsed: map[string]bool{}, fields: map[fieldName]string{}}
}

// of returns the comment above a field as one line; "" without one.
func (c *comments) of(structure reflect.Type, field string) (string, error) {
	pkg := structure.PkgPath()
	if pkg != "" && !c.parsed[pkg] {
		c.parsed[pkg] = true
		if err := c.parse(pkg); err != nil {
			return "", err
		}
	}
	name, _, _ := strings.Cut(structure.Name(), "[")
	return c.fields[fieldName{pkg, name, field}], nil
}

func (c *comments) parse(pkg string) error {
	folder := filepath.Join(c.root, strings.TrimPrefix(pkg, c.module))
	files, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("read the sources of %s: %w", pkg, err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, file.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse %s: %w", pkg, err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			spec, ok := node.(*ast.TypeSpec)
			if !ok {
				return true
			}
			structure, ok := spec.Type.(*ast.StructType)
			if !ok {
				return false
			}
			for _, field := range structure.Fields.List {
				for _, name := range field.Names {
					c.fields[fieldName{pkg, spec.Name.Name, name.Name}] = strings.Join(strings.Fields(field.Doc.Text()), " ")
				}
			}
			return false
		})
	}
	return nil
}
