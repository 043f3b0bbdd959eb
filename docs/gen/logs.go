package main

import (
	"errors"
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// logLevels are the levels by the method of slog that logs a message.
var logLevels = map[string]string{
	"Debug": "debug", "DebugContext": "debug", "Info": "info", "InfoContext": "info",
	"Warn": "warn", "WarnContext": "warn", "Error": "error", "ErrorContext": "error", "LogAttrs": "any",
}

type logMessage struct {
	text, level, folder string
	attributes          []string
}

// logsPage lists the log messages of the sources. Each one needs a remedy, and each remedy a message.
func logsPage(s *sources) (string, error) {
	found := logMessages(s)
	if len(found) == 0 {
		return "", errors.New("logs: none found")
	}
	var b strings.Builder
	b.WriteString("# Log messages\n\n" + generated + `
A message starts with its component and is constant; the details are attributes, so that a search for the message
finds every occurrence. ` + "`…`" + ` is a part that is known at run time only. ` + "`INTERLOCK_LOG_LEVEL`" + ` sets the lowest level, and the
attribute ` + "`error`" + ` has the cause.

`)
	unused := map[string]bool{}
	for text := range remedies {
		unused[text] = true
	}
	b.WriteString("| message | level | package | attributes | remedy |\n|---|---|---|---|---|\n")
	for _, m := range found {
		remedy, ok := remedies[m.text]
		if !ok {
			return "", fmt.Errorf("logs: add a remedy for %q of %s to docs/gen/remedies.go", m.text, m.folder)
		}
		delete(unused, m.text)
		b.WriteString(row(code(m.text), m.level, code(m.folder), codes(m.attributes), remedy))
	}
	for text := range unused {
		return "", fmt.Errorf("logs: remove the remedy of %q from docs/gen/remedies.go: no package logs it", text)
	}
	return b.String(), nil
}

func logMessages(s *sources) []logMessage {
	var found []logMessage
	s.calls(func(file sourceFile, call *ast.CallExpr) {
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !isLogger(method.X) || logLevels[method.Sel.Name] == "" {
			return
		}
		m := logMessage{level: logLevels[method.Sel.Name], folder: file.folder}
		arguments := call.Args
		if strings.HasSuffix(method.Sel.Name, "Context") {
			arguments = arguments[1:]
		}
		if method.Sel.Name == "LogAttrs" {
			arguments = arguments[2:]
		}
		m.text = s.text(file.Name.Name, arguments[0])
		for i := 1; i+1 < len(arguments); i += 2 {
			m.attributes = append(m.attributes, s.text(file.Name.Name, arguments[i]))
		}
		if !slices.ContainsFunc(found, func(other logMessage) bool { return other.text == m.text && other.folder == m.folder }) {
			found = append(found, m)
		}
	})
	slices.SortFunc(found, func(a, b logMessage) int { return strings.Compare(a.text+a.folder, b.text+b.folder) })
	return found
}

// isLogger reports whether an expression is the package slog or a field named logger.
func isLogger(expression ast.Expr) bool {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name == "slog"
	case *ast.SelectorExpr:
		return e.Sel.Name == "logger"
	}
	return false
}
