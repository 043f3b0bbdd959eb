package main

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"interlock/internal/app"
)

// eventsPage lists the topics, the members of an announced change, and the types of events of
// each stream in the contract.
func eventsPage(s *sources) (string, error) {
	var b strings.Builder
	b.WriteString("# Events\n\n" + generated + `
An event is a hint that a record changed: read the record again. [Streams](#streams) are server-sent events
(` + "`text/event-stream`" + `); send the id of the last event as ` + "`Last-Event-ID`" + ` to resume.

## Topics

` + "`GET /api/v1/events?topics=orders,items`" + ` delivers the changes of these topics to callers with the permission.

| topic | permission | events |
|---|---|---|
`)
	topics, err := topics(s)
	if err != nil {
		return "", err
	}
	for _, topic := range topics {
		b.WriteString(topic)
	}
	b.WriteString("\n## Members of a change\n\n| member | type | meaning |\n|---|---|---|\n")
	for _, field := range s.structs("internal/events")["Change"].fields {
		name, _, _ := strings.Cut(tagOf(field).Get("json"), ",")
		meaning := strings.TrimPrefix(plain(field.Doc), field.Names[0].Name+" ")
		meaning = strings.TrimPrefix(meaning, "is ")
		b.WriteString(row(code(name), typeName(field.Type), strings.ToUpper(meaning[:1])+meaning[1:]))
	}
	b.WriteString("\n## Streams\n")
	streams, err := streams(filepath.Join(root, "api/openapi.yaml"))
	if err != nil {
		return "", err
	}
	return b.String() + streams, nil
}

// topics returns a row for each declared resource with a topic. Its meaning is in the comment of the
// constant with the topic's name.
func topics(s *sources) ([]string, error) {
	meanings := map[string]string{}
	for name, constant := range s.constants {
		if strings.HasSuffix(name, "Topic") {
			_, meanings[constant.value], _ = strings.Cut(constant.doc, " announces ")
		}
	}
	var rows []string
	for _, domain := range app.Declarations() {
		for _, resource := range domain.Resources {
			if !resource.Live {
				continue
			}
			permission := "none, except for customers"
			if resource.Read != "" {
				permission = code(resource.Read)
			}
			if meanings[resource.Name] == "" {
				return nil, fmt.Errorf("events: the comment of the constant with topic %s must name the announced changes", resource.Name)
			}
			rows = append(rows, row(code(resource.Name), permission, meanings[resource.Name]))
		}
	}
	slices.Sort(rows)
	return rows, nil
}

func typeName(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return map[string]string{"int64": "integer", "string": "string", "any": "object"}[e.Name]
	case *ast.SelectorExpr:
		return map[string]string{"Person": "user: `id` and `name`", "Time": "time, RFC 3339"}[e.Sel.Name]
	}
	return ""
}

// streams lists the types of events that the descriptions of streaming operations contain.
func streams(contract string) (string, error) {
	text, err := os.ReadFile(contract)
	if err != nil {
		return "", err
	}
	var document struct {
		Paths map[string]map[string]struct {
			Summary, Description string
			Responses            map[string]struct{ Content map[string]any }
		}
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		return "", err
	}
	var found []string
	for path, operations := range document.Paths {
		get := operations["get"]
		if _, ok := get.Responses["200"].Content["text/event-stream"]; !ok {
			continue
		}
		entry := fmt.Sprintf("\n### `GET %s`\n\n%s.\n\n| type | meaning |\n|---|---|\n", path, strings.TrimSuffix(get.Summary, "."))
		for _, item := range strings.Split(get.Description, "\n- ")[1:] {
			item, _, _ = strings.Cut(item, "\n\n")
			kind, meaning, ok := strings.Cut(strings.TrimPrefix(strings.Join(strings.Fields(item), " "), "`event: "), "`: ")
			if ok {
				entry += row(code(kind), cell(meaning))
			}
		}
		found = append(found, entry)
	}
	if len(found) == 0 {
		return "", fmt.Errorf("events: %s has no stream", contract)
	}
	slices.Sort(found)
	return strings.Join(found, ""), nil
}
