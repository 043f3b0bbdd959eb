package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const chart = "../../deploy/helm/interlock"

// render renders the chart with the few functions of Helm that it uses, because building
// Helm takes minutes. The test fails on a function that is missing here, and `make chart`
// compares the output with Helm's.
func render(t *testing.T, values object) (map[string]object, error) {
	t.Helper()
	root := template.New("chart").Option("missingkey=error")
	root.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var text bytes.Buffer
			err := root.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"toYaml": func(value any) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"nindent": func(n int, text string) string {
			return "\n" + strings.Repeat(" ", n) + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", n))
		},
		"quote": func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"default": func(otherwise, value any) any {
			if value == nil || value == "" {
				return otherwise
			}
			return value
		},
		"required": func(message string, value any) (any, error) {
			if value == nil || value == "" {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"fail":   func(message string) (string, error) { return "", errors.New(message) },
		"list":   func(values ...any) []any { return values },
		"has":    func(value any, list []any) bool { return slices.Contains(list, value) },
		"hasKey": func(of object, key string) bool { _, has := of[key]; return has },
		"int":    func(value float64) int { return int(value) },
		"kindIs": func(kind string, value any) bool {
			return value != nil && reflect.TypeOf(value).Kind().String() == kind
		},
		"regexFind": func(expression, text string) string { return regexp.MustCompile(expression).FindString(text) },
		"toJson": func(value any) (string, error) {
			text, err := json.Marshal(value)
			return string(text), err
		},
	})
	files, err := filepath.Glob(chart + "/templates/*")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, err = root.New(filepath.Base(file)).Parse(string(text))
		require.NoError(t, err)
	}
	objects := map[string]object{}
	for _, file := range files {
		if strings.HasSuffix(file, ".tpl") {
			continue
		}
		var text bytes.Buffer
		if err := root.ExecuteTemplate(&text, filepath.Base(file), object{"Values": values, "Release": object{"Name": "shop"}}); err != nil {
			return nil, err
		}
		maps.Copy(objects, byKind(t, text.Bytes()))
	}
	return objects, nil
}

// byKind parses resources, at most one of each kind.
func byKind(t *testing.T, text []byte) map[string]object {
	t.Helper()
	objects := map[string]object{}
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var one object
		err := decoder.Decode(&one)
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err, "%s", text)
		if one != nil {
			objects[one["kind"].(string)] = one
		}
	}
}

// valuesWith returns the chart's values with changes, merged as Helm does it: other values
// stay, and all numbers are JSON numbers. The result must match the chart's schema.
func valuesWith(t *testing.T, changed object) object {
	t.Helper()
	values := readYAML(t, chart+"/values.yaml")
	values["image"].(object)["tag"] = "v1"
	merge(values, changed)
	require.NoError(t, schema(t).Validate(plain(t, values)))
	text, err := json.Marshal(values)
	require.NoError(t, err)
	var asHelm object
	require.NoError(t, json.Unmarshal(text, &asHelm))
	return asHelm
}

func merge(values, changed object) {
	for name, value := range changed {
		before, isMap := values[name].(object)
		if after, ok := value.(object); isMap && ok {
			merge(before, after)
			continue
		}
		values[name] = value
	}
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiled, err := jsonschema.NewCompiler().Compile(chart + "/values.schema.json")
	require.NoError(t, err)
	return compiled
}

// plain converts a value to its JSON form.
func plain(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	back, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	return back
}
