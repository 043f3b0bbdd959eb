package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// sources are the parsed files of the program, without tests.
type sources struct {
	files []sourceFile
	// constants has the string constants as "package.Name", and their declarations.
	constants map[string]constant
}

type sourceFile struct {
	// folder is relative to the root of the repository.
	folder string
	*ast.File
}

type constant struct{ value, doc string }

// parseSources parses the folders of a repository.
func parseSources(root string, folders ...string) (*sources, error) {
	found := &sources{constants: map[string]constant{}}
	positions := token.NewFileSet()
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(positions, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			at, err := filepath.Rel(root, filepath.Dir(path))
			found.files = append(found.files, sourceFile{at, file})
			found.declare(file)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// declare adds the string constants of a file. A constant without a comment has the comment of its
// group.
func (s *sources) declare(file *ast.File) {
	for _, declaration := range file.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			value := spec.(*ast.ValueSpec)
			for i, name := range value.Names {
				if i < len(value.Values) {
					if text, ok := literal(value.Values[i]); ok {
						s.constants[file.Name.Name+"."+name.Name] = constant{text, plain(firstComment(value.Doc, group.Doc))}
					}
				}
			}
		}
	}
}

func firstComment(comments ...*ast.CommentGroup) *ast.CommentGroup {
	at := slices.IndexFunc(comments, func(c *ast.CommentGroup) bool { return c != nil })
	if at < 0 {
		return nil
	}
	return comments[at]
}

// text returns the value of a string expression in a package: literals, constants and their sums. A part
// that is known at run time only becomes "…".
func (s *sources) text(in string, expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, _ := literal(e)
		return text
	case *ast.BinaryExpr:
		return s.text(in, e.X) + s.text(in, e.Y)
	case *ast.Ident:
		return s.valueOf(in + "." + e.Name)
	case *ast.SelectorExpr:
		if from, ok := e.X.(*ast.Ident); ok {
			return s.valueOf(from.Name + "." + e.Sel.Name)
		}
	}
	return "…"
}

func (s *sources) valueOf(name string) string {
	if known, ok := s.constants[name]; ok {
		return known.value
	}
	return "…"
}

func literal(expression ast.Expr) (string, bool) {
	basic, ok := expression.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(basic.Value)
	return text, err == nil
}

// structs returns the struct types of a folder with their comments.
func (s *sources) structs(folder string) map[string]structType {
	found := map[string]structType{}
	for _, file := range s.files {
		if file.folder != folder {
			continue
		}
		for _, declaration := range file.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok || group.Tok != token.TYPE {
				continue
			}
			for _, spec := range group.Specs {
				if members, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType); ok {
					found[spec.(*ast.TypeSpec).Name.Name] = structType{plain(group.Doc), members.Fields.List}
				}
			}
		}
	}
	return found
}

type structType struct {
	doc    string
	fields []*ast.Field
}

// calls calls visit for each call in the sources.
func (s *sources) calls(visit func(file sourceFile, call *ast.CallExpr)) {
	for _, file := range s.files {
		ast.Inspect(file.File, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				visit(file, call)
			}
			return true
		})
	}
}

// plain returns a comment as one line.
func plain(comment *ast.CommentGroup) string {
	return strings.Join(strings.Fields(comment.Text()), " ")
}

// cell escapes a text for a cell of a Markdown table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func code(text string) string { return "`" + cell(text) + "`" }

func codes(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = code(text)
	}
	return strings.Join(quoted, ", ")
}

func row(cells ...string) string { return fmt.Sprintf("| %s |\n", strings.Join(cells, " | ")) }
