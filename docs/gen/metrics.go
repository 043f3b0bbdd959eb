package main

import (
	"errors"
	"go/ast"
	"slices"
	"strings"
)

type metric struct {
	name, kind, help string
	labels           []string
}

// kinds are the types of metrics by the constructor of their collector.
var kinds = map[string]string{
	"NewCounter": "counter", "NewCounterVec": "counter", "NewGauge": "gauge", "NewGaugeVec": "gauge",
	"NewHistogram": "histogram", "NewHistogramVec": "histogram",
}

// metricsPage lists the metrics that the sources declare, by name.
func metricsPage(s *sources) (string, error) {
	var found []metric
	s.calls(func(file sourceFile, call *ast.CallExpr) {
		function, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || len(call.Args) == 0 {
			return
		}
		if from, ok := function.X.(*ast.Ident); !ok || from.Name != "prometheus" {
			return
		}
		in := file.Name.Name
		switch kind := kinds[function.Sel.Name]; {
		case kind != "":
			m := metric{kind: kind}
			for _, element := range call.Args[0].(*ast.CompositeLit).Elts {
				switch option := element.(*ast.KeyValueExpr); option.Key.(*ast.Ident).Name {
				case "Name":
					m.name = s.text(in, option.Value)
				case "Help":
					m.help = s.text(in, option.Value)
				}
			}
			if len(call.Args) > 1 {
				m.labels = s.texts(in, call.Args[1])
			}
			found = append(found, m)
		case function.Sel.Name == "NewDesc":
			m := metric{s.text(in, call.Args[0]), "gauge", s.text(in, call.Args[1]), s.texts(in, call.Args[2])}
			if strings.HasSuffix(m.name, "_total") {
				m.kind = "counter"
			}
			found = append(found, m)
		}
	})
	if len(found) == 0 {
		return "", errors.New("metrics: none found")
	}
	slices.SortFunc(found, func(a, b metric) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	b.WriteString("# Metrics\n\n" + generated + `
` + "`/metrics`" + ` has these metrics in Prometheus' text format, in addition to those of the Go runtime (` + "`go_…`" + `), the process
(` + "`process_…`" + `) and the connection pools (` + "`go_sql_…`, by `db_name`" + `). Durations are in seconds, sizes in bytes, and times in
seconds since 1970. Counters start at 0 with the process. [Watch](../operations.md#watch) has the alerts and dashboards
that use them.

| metric | type | labels | meaning |
|---|---|---|---|
`)
	for _, m := range found {
		b.WriteString(row(code(m.name), m.kind, codes(m.labels), cell(m.help)))
	}
	return b.String(), nil
}

// texts returns the elements of a list of strings; nil has none.
func (s *sources) texts(in string, expression ast.Expr) []string {
	list, ok := expression.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	var found []string
	for _, element := range list.Elts {
		found = append(found, s.text(in, element))
	}
	return found
}
