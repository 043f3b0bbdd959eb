package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// text is one line of prose in a file, or the words of one identifier.
type text struct {
	line         int
	content      string
	isIdentifier bool
}

// textsOf returns the prose and the declared identifiers of a file.
func textsOf(name, content string) ([]text, error) {
	switch extension := path.Ext(name); {
	case extension == ".go":
		return goTexts(name, content)
	case path.Base(name) == "messages.ts":
		return append(comments(content, scriptComment), quoted(content)...), nil
	case extension == ".ts", extension == ".tsx":
		return append(comments(content, scriptComment), comments(content, scriptName)...), nil
	case extension == ".md":
		return markdown(content), nil
	case extension == ".sql":
		return comments(content, sqlComment), nil
	case extension == ".sh", extension == ".yaml", extension == ".yml", path.Base(name) == "Makefile":
		switch name {
		case "api/base.yaml":
			return lines(content), nil
		case "api/openapi.yaml":
			return nil, nil // generated
		}
		return comments(content, shellComment), nil
	}
	return nil, nil
}

var (
	scriptComment = regexp.MustCompile(`(?:^|\s)(?://|/\*\*?|\*)\s(.*)$`)
	scriptName    = regexp.MustCompile(`\b(?:const|let|function|class|interface|type) ([A-Za-z]\w*)`)
	sqlComment    = regexp.MustCompile(`^\s*--\s?(.*)$`)
	shellComment  = regexp.MustCompile(`(?:^|\s)#+\s(.*)$`)
	stringLiteral = regexp.MustCompile("'((?:[^'\\\\]|\\\\.)*)'|`([^`]*)`")
	inlineCode    = regexp.MustCompile("`[^`]+`")
	camelBorder   = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// goTexts returns the comments, the string literals with a space (log messages and errors; not
// those of tests), the names of tests, and the declared identifiers.
func goTexts(name, content string) (texts []text, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, content, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	line := func(p token.Pos) int { return files.Position(p).Line }
	for _, group := range file.Comments {
		for _, comment := range group.List {
			for i, part := range strings.Split(comment.Text, "\n") {
				texts = append(texts, text{line: line(comment.Pos()) + i, content: part})
			}
		}
	}
	isTest := strings.HasSuffix(name, "_test.go")
	for ident, object := range declared(file) {
		words := camelBorder.ReplaceAllString(ident.Name, "$1 $2")
		isTestName := isTest && object == "func" && strings.HasPrefix(ident.Name, "Test")
		texts = append(texts, text{line: line(ident.Pos()), content: words, isIdentifier: !isTestName})
	}
	if isTest {
		return texts, nil
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if value, err := strconv.Unquote(literal.Value); err == nil && strings.Contains(value, " ") {
				texts = append(texts, text{line: line(literal.Pos()), content: value})
			}
		}
		return true
	})
	return texts, nil
}

// declared returns the identifiers that a file declares: functions, types, fields, parameters,
// constants and variables.
func declared(file *ast.File) map[*ast.Ident]string {
	found := map[*ast.Ident]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.FuncDecl:
			found[n.Name] = "func"
		case *ast.TypeSpec:
			found[n.Name] = "type"
		case *ast.Field:
			for _, name := range n.Names {
				found[name] = "field"
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				found[name] = "value"
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, left := range n.Lhs {
					if name, ok := left.(*ast.Ident); ok && name.Obj != nil && name.Obj.Pos() == name.Pos() {
						found[name] = "value"
					}
				}
			}
		}
		return true
	})
	return found
}

// comments returns the first group of the pattern's matches, line by line.
func comments(content string, pattern *regexp.Regexp) (texts []text) {
	for i, line := range strings.Split(content, "\n") {
		for _, match := range pattern.FindAllStringSubmatch(line, -1) {
			words := match[1]
			if pattern == scriptName {
				words = camelBorder.ReplaceAllString(words, "$1 $2")
			}
			texts = append(texts, text{line: i + 1, content: words, isIdentifier: pattern == scriptName})
		}
	}
	return texts
}

func lines(content string) (texts []text) {
	for i, line := range strings.Split(content, "\n") {
		texts = append(texts, text{line: i + 1, content: inlineCode.ReplaceAllString(line, "")})
	}
	return texts
}

// quoted returns the string literals of a catalogue.
func quoted(content string) (texts []text) {
	for i, line := range strings.Split(content, "\n") {
		for _, match := range stringLiteral.FindAllStringSubmatch(line, -1) {
			texts = append(texts, text{line: i + 1, content: match[1] + match[2]})
		}
	}
	return texts
}

// markdown returns the lines outside code.
func markdown(content string) (texts []text) {
	isCode := false
	for _, t := range lines(content) {
		if strings.HasPrefix(strings.TrimSpace(t.content), "```") || strings.HasPrefix(strings.TrimSpace(t.content), "~~~") {
			isCode = !isCode
		}
		if !isCode {
			texts = append(texts, t)
		}
	}
	return texts
}
