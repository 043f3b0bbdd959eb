// Command clientgen writes the resource part of the Go client from the contract. A type, function
// or method that a file of the client declares by hand is not generated.
//
// Rules:
//   - A tag is a field of the client. If it has several collections, each of them is a field, and
//     an operation outside them is a method of the client.
//   - A method has the name of its operation without the noun: listConfigHistory is Configs.History.
//   - An operation that requires If-Match accepts the value that was read, and sends its ETag.
//   - An edit that can be merged is a Save: it sends the changes since the value was read.
//   - An enumeration is a type with constants. Without a name in the contract, it has the name of its
//     parent and its member: ConfigChangeOp.
//   - Up to two query parameters are arguments; more are a struct, such as ImportPreviewQuery.
//   - A member that can be null, and a number or struct that can be absent, is a pointer; nil means
//     null or absent. A request in which the two differ needs a type declared by hand.
package main

import (
	"bytes"
	_ "embed" // for the template
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

//go:embed client.tmpl
var source string

var layout = template.Must(template.New("client").Funcs(template.FuncMap{"comment": comment, "goName": goName}).Parse(source))

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: clientgen CONTRACT FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "clientgen:", err)
		os.Exit(1)
	}
}

// write replaces the generated files of the client.
func write(contract, folder string) error {
	files, err := generate(contract, folder)
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(folder, "*.gen.go"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// file is the generated code of one tag.
type file struct {
	// All are the groups of the client, in its first file.
	All, Groups []*group
	Types       []*goType
	Methods     []method
}

type generator struct {
	document document
	// declared are the types and the methods, as Type.Method, of the client's other files.
	declared map[string]*declaration
	types    map[string]*goType
	// read are the schemas that are part of a type.
	read   map[string]bool
	groups []*group
	file   *file
	errs   []error
}

// generate returns the generated files by name.
func generate(contract, folder string) (map[string][]byte, error) {
	text, err := os.ReadFile(contract)
	if err != nil {
		return nil, err
	}
	g := &generator{types: map[string]*goType{}, read: map[string]bool{}}
	if err := yaml.Unmarshal(text, &g.document); err != nil {
		return nil, fmt.Errorf("read %s: %w", contract, err)
	}
	if g.declared, err = declared(folder); err != nil {
		return nil, err
	}
	client := &file{}
	g.file = client
	g.typeNamed("Code", "an error code")
	files := map[string]*file{"resources.gen.go": client}
	for _, r := range g.routes() {
		name := strings.ToLower(goName(r.Tags[0])) + ".gen.go"
		if files[name] == nil {
			files[name] = &file{}
		}
		g.file = files[name]
		g.method(r)
	}
	if len(g.errs) > 0 {
		return nil, errors.Join(g.errs...)
	}
	client.All = g.groups
	texts := map[string][]byte{}
	for name, f := range files {
		var b bytes.Buffer
		if err := layout.Execute(&b, f); err != nil {
			return nil, err
		}
		if texts[name], err = format.Source(imports(b.Bytes())); err != nil {
			return nil, fmt.Errorf("format %s: %w\n%s", name, err, b.Bytes())
		}
	}
	return texts, nil
}

// imports adds the packages that the code uses.
func imports(code []byte) []byte {
	var used []string
	for _, path := range []string{"context", "encoding/json", "net/http", "time"} {
		if regexp.MustCompile(`\b` + filepath.Base(path) + `\.[A-Z]`).Match(code) {
			used = append(used, fmt.Sprintf("%q", path))
		}
	}
	return bytes.Replace(code, []byte("import ()"), []byte("import (\n"+strings.Join(used, "\n")+"\n)"), 1)
}

func (g *generator) add(t *goType) {
	if g.types[t.Name] != nil || g.declared[t.Name] != nil {
		g.errs = append(g.errs, fmt.Errorf("two types have the name %s", t.Name))
	}
	g.types[t.Name] = t
	g.file.Types = append(g.file.Types, t)
}

func (g *generator) addGroup(of *group) {
	for _, known := range g.groups {
		if known.Name == of.Name {
			return
		}
	}
	g.groups = append(g.groups, of)
	g.file.Groups = append(g.file.Groups, of)
}

// declaration is a type or method that is declared by hand. Only a struct has members, by their JSON
// names, and embedded types.
type declaration struct {
	isStruct bool
	members  map[string]bool
	embeds   []string
}

// declare returns the declaration of a type.
func declare(of ast.Expr) *declaration {
	d := &declaration{members: map[string]bool{}}
	fields, isStruct := of.(*ast.StructType)
	if !isStruct {
		return d
	}
	d.isStruct = true
	for _, f := range fields.Fields.List {
		if len(f.Names) == 0 {
			d.embeds = append(d.embeds, receiverName(f.Type))
		}
		if f.Tag != nil {
			tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
			name, _, _ := strings.Cut(tag, ",")
			d.members[name] = true
		}
	}
	return d
}

// declared returns the types and the methods, as Type.Method, in the files that are not generated.
func declared(folder string) (map[string]*declaration, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	names := map[string]*declaration{}
	for _, path := range paths {
		if strings.HasSuffix(path, ".gen.go") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				names[n.Name.Name] = declare(n.Type)
			case *ast.FuncDecl:
				if n.Recv != nil {
					names[receiverName(n.Recv.List[0].Type)+"."+n.Name.Name] = &declaration{}
				}
				return false
			}
			return true
		})
	}
	return names, nil
}

func receiverName(of ast.Expr) string {
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	name, _ := of.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}
