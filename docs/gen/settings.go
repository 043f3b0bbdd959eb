package main

import (
	"errors"
	"go/ast"
	"reflect"
	"strconv"
	"strings"
)

const settingsFolder = "internal/settings"

// settingsPage lists the settings of `admin serve` by the struct that declares them.
func settingsPage(s *sources) (string, error) {
	types := s.structs(settingsFolder)
	var b strings.Builder
	b.WriteString("# Settings\n\n" + generated + `
Each setting of ` + "`admin serve`" + ` is an environment variable and a flag; the flag wins. ` + "`INTERLOCK_MAX_CLIENTS=500`" + ` equals
` + "`--max-clients 500`" + `. The type is a value or its unit: DURATION is a number with a unit, such as ` + "`30s`, `15m` or `24h`" + `, and a
switch is ` + "`true` or `false`" + `. Invalid values end the start with an error, and an unknown variable with the prefix
` + "`INTERLOCK_`" + ` is reported in the log. [Operations](../operations.md#settings) describes the settings that need planning.
`)
	listed := 0
	var list func(name string) error
	list = func(name string) error {
		declared, ok := types[name]
		if !ok {
			return errors.New("settings: no struct " + name)
		}
		b.WriteString("\n## " + name + "\n\n" + declared.doc + "\n\n| variable | type | default | meaning |\n|---|---|---|---|\n")
		var nested []string
		for _, field := range declared.fields {
			tag := tagOf(field)
			if env := tag.Get("env"); env != "" {
				b.WriteString(row(code(env), typeOf(field, tag), defaultOf(tag), cell(tag.Get("help"))))
				listed++
				continue
			}
			nested = append(nested, field.Type.(*ast.Ident).Name)
		}
		for _, inner := range nested {
			if err := list(inner); err != nil {
				return err
			}
		}
		return nil
	}
	for _, part := range types["Settings"].fields {
		if err := list(part.Type.(*ast.Ident).Name); err != nil {
			return "", err
		}
	}
	if listed == 0 {
		return "", errors.New("settings: none found")
	}
	return b.String(), nil
}

func tagOf(field *ast.Field) reflect.StructTag {
	if field.Tag == nil {
		return ""
	}
	text, _ := strconv.Unquote(field.Tag.Value)
	return reflect.StructTag(text)
}

func typeOf(field *ast.Field, tag reflect.StructTag) string {
	if values := tag.Get("enum"); values != "" {
		return codes(strings.Split(values, ","))
	}
	if name, ok := field.Type.(*ast.Ident); ok && name.Name == "bool" {
		return "switch"
	}
	return tag.Get("placeholder")
}

func defaultOf(tag reflect.StructTag) string {
	if value := tag.Get("default"); value != "" {
		return code(value)
	}
	return ""
}
