package config_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// awkward are values that a format can misread, as JSON.
var awkward = map[string]string{
	"a.yes":          `"yes"`,
	"b.number":       `7.50`,
	"c.text-number":  `"007"`,
	"d.lines":        `"  first: #1\r\n\tsecond \\ = !\n"`,
	"e/quotes[0]":    `"it's \"$HOME\" and ` + "`pwd`" + `"`,
	"f:object":       `{"z":[1,null,true,"no"],"a":{"deep":1e3}}`,
	"g.emoji":        `"Zürich 😀"`,
	"h.empty":        `""`,
	"i.null":         `null`,
	"j." + long(198): `"long"`,
}

func long(n int) string { return strings.Repeat("k", n) }

func (a *api) createAwkward() {
	a.t.Helper()
	for key, value := range awkward {
		made := a.send("POST", "/configs", `{"key":"`+key+`","value":`+value+`}`)
		require.Equal(a.t, http.StatusCreated, made.status, made.text)
	}
	require.Equal(a.t, http.StatusCreated, a.send("POST", "/configs", `{"key":"s.secret","value":"hidden","secret":true}`).status)
}

// exported returns the text of an export for a caller who may not read secret values.
func (a *api) exported(query string) string {
	a.t.Helper()
	reply := a.plain("/configs/export?"+query, "X-Tester", "configs:read")
	require.Equal(a.t, http.StatusOK, reply.status, reply.text)
	return reply.text
}

// texts are the awkward values as text.
func texts() map[string]string {
	return map[string]string{
		"a.yes": "yes", "b.number": "7.50", "c.text-number": "007", "d.lines": "  first: #1\r\n\tsecond \\ = !\n", "e/quotes[0]": "it's \"$HOME\" and `pwd`",
		"f:object": `{"z":[1,null,true,"no"],"a":{"deep":1e3}}`, "g.emoji": "Zürich 😀", "h.empty": "", "i.null": "null", "j." + long(198): "long",
	}
}

func TestYAMLExportHasEveryValue(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.createAwkward()
		text := a.exported("format=yaml")
		require.Equal(t, text, a.exported("format=yaml"))
		require.True(t, strings.HasPrefix(text, "# withheld: s.secret\n"), text)
		require.NotContains(t, text, "hidden")
		require.Contains(t, text, `"b.number": 7.50`)
		var read map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &read))
		want := map[string]any{}
		for key, value := range texts() {
			want[key] = value
		}
		want["b.number"], want["i.null"] = 7.5, nil
		want["f:object"] = map[string]any{"z": []any{1, nil, true, "no"}, "a": map[string]any{"deep": 1000.0}}
		require.Equal(t, want, read)
		require.Contains(t, a.plain("/configs/export?format=yaml").text, `"s.secret": "hidden"`)
	})
}

func TestConfigMapExportHasEveryText(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.createAwkward()
		var read struct {
			APIVersion string            `yaml:"apiVersion"`
			Kind       string            `yaml:"kind"`
			Metadata   map[string]string `yaml:"metadata"`
			Data       map[string]string `yaml:"data"`
		}
		require.NoError(t, yaml.Unmarshal([]byte(a.exported("format=configmap")), &read))
		require.Equal(t, []any{"v1", "ConfigMap", "configs"}, []any{read.APIVersion, read.Kind, read.Metadata["name"]})
		want := map[string]string{}
		for key, value := range texts() {
			want[strings.NewReplacer(":", "_", "/", "_", "[", "_", "]", "_").Replace(key)] = value
		}
		require.Equal(t, want, read.Data)
	})
}

// A POSIX shell reads the export.
func TestEnvExportIsReadByAShell(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.createAwkward()
		require.Equal(t, http.StatusCreated, a.send("POST", "/configs", `{"key":"0.digit","value":1}`).status)
		file := filepath.Join(t.TempDir(), "configs.env")
		require.NoError(t, os.WriteFile(file, []byte(a.exported("format=env")), 0o600))
		want := texts()
		want["0.digit"] = "1"
		for key, value := range want {
			name := strings.ToUpper(strings.NewReplacer(":", "_", "/", "_", "[", "_", "]", "_", ".", "_", "-", "_").Replace(key))
			if key == "0.digit" {
				name = "_0_DIGIT"
			}
			out, err := exec.Command("sh", "-c", `. "$1"; printf %s "$`+name+`"`, "sh", file).Output()
			require.NoError(t, err, key)
			require.Equal(t, value, string(out), key)
		}
	})
}

func TestPropertiesExportHasTheEscapesOfJava(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.createAwkward()
		require.Equal(t, strings.Join([]string{
			`# withheld: s.secret`,
			`a.yes=yes`,
			`b.number=7.50`,
			`c.text-number=007`,
			`d.lines=\  first\: \#1\r\n\tsecond \\ \= \!\n`,
			`e/quotes[0]=it's "$HOME" and ` + "`pwd`",
			`f\:object={"z"\:[1,null,true,"no"],"a"\:{"deep"\:1e3}}`,
			`g.emoji=Z\u00FCrich \uD83D\uDE00`,
			`h.empty=`,
			`i.null=null`,
			`j.` + long(198) + `=long`,
			``,
		}, "\n"), a.exported("format=properties"))
	})
}

func TestExportNamesKeysThatAFormatCannotDistinguish(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		for _, key := range []string{"shop.a-b", "shop.a.b", "shop/a.b"} {
			a.create(key, text(key))
		}
		for query, keys := range map[string][]string{"format=env": {"shop.a-b", "shop.a.b"}, "format=configmap&prefix=shop": nil, "format=env&prefix=shop/": nil} {
			reply := a.plain("/configs/export?" + query)
			if keys == nil {
				require.Equal(t, http.StatusOK, reply.status, reply.text)
				continue
			}
			require.Equal(t, http.StatusUnprocessableEntity, reply.status, query)
			for _, key := range append(keys, "?format") {
				require.Contains(t, reply.text, key)
			}
		}
		require.Equal(t, "shop/a.b=shop/a.b\n", a.exported("format=properties&prefix=shop/"))
		require.Equal(t, "{}\n", a.exported("format=yaml&q=none"))
		require.Equal(t, http.StatusBadRequest, a.plain("/configs/export?format=toml").status)

		a.create("big", text(long(200<<10)))
		for _, key := range []string{"big2", "big3", "big4", "big5", "big6"} {
			a.create(key, text(long(200<<10)))
		}
		require.Contains(t, a.plain("/configs/export?format=configmap&prefix=big").text, "limit_reached")
	})
}

func TestConfigIsReadAsText(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.createAwkward()
		for key, want := range texts() {
			path := "/configs/" + strings.ReplaceAll(key, "/", "%2F")
			reply := a.plain(path, "Accept", "text/plain")
			require.Equal(t, want, reply.text, key)
			require.Equal(t, "text/plain; charset=utf-8", reply.header.Get("Content-Type"))
			etag := a.send("GET", path, "", "Accept", "application/json, text/plain, */*").header.Get("ETag")
			require.NotEmpty(t, etag)
			require.Equal(t, etag, reply.header.Get("ETag"))
			require.Contains(t, reply.header.Values("Vary"), "Accept")
			require.Equal(t, http.StatusNotModified, a.plain(path, "Accept", "text/plain", "If-None-Match", etag).status)
		}
		withheld := a.send("GET", "/configs/s.secret", "", "Accept", "text/plain", "X-Tester", "configs:read")
		require.Equal(t, "forbidden", withheld.code())
		require.Equal(t, "hidden", a.plain("/configs/s.secret", "Accept", "text/plain").text)
	})
}
