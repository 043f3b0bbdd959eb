package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/strictjson"
	"interlock/internal/config"
)

func noJSON(string) bool { return false }

// Each format of the export is read back as the configs that it contains.
func TestEveryExportIsReadBack(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.createAwkward()
		for file, format := range map[string]string{"c.json": "json", "c.yaml": "yaml", "c.properties": "properties", "c.env": "env", "c.configmap.yaml": "configmap"} {
			read, err := config.ReadDocument(file, []byte(a.exported("format="+format)), noJSON)
			require.NoError(t, err, format)
			require.Len(t, read, len(awkward)+1, format)
			found := map[string]config.Setting{}
			for _, setting := range read {
				found[setting.Name] = setting
			}
			require.True(t, found["s.secret"].Withheld, format)
			for key, value := range awkward {
				setting := config.Setting{}
				for _, s := range read {
					if s.NameOf(key) == s.Name {
						setting = s
					}
				}
				if setting.Value == nil {
					require.Equal(t, texts()[key], setting.Text, "%s of %s", key, format)
				} else {
					require.True(t, strictjson.Same(value, string(setting.Value)), "%s of %s: %s", key, format, setting.Value)
				}
			}
		}
	})
}

func TestNestedKeysAreDotted(t *testing.T) {
	read, err := config.ReadDocument("c.yaml", []byte("shop:\n  tax: 0.20\n  open: true\n  hosts: [a, \"1\"]\n  limits: {a: 1}\n  known:\n    b: 2\nname: yes\n"),
		func(key string) bool { return key == "shop.known" })
	require.NoError(t, err)
	got := map[string]string{}
	for _, setting := range read {
		got[setting.Name+"@"+setting.At] = string(setting.Value)
	}
	require.Equal(t, map[string]string{
		"shop.tax@c.yaml:2": "0.20", "shop.open@c.yaml:3": "true", "shop.hosts@c.yaml:4": `["a","1"]`, "shop.limits@c.yaml:5": `{"a":1}`,
		"shop.known@c.yaml:6": `{"b":2}`, "name@c.yaml:8": `"yes"`,
	}, got)
}

func TestPropertiesAndEnvOfOthersAreRead(t *testing.T) {
	for file, text := range map[string]string{
		"c.properties": "# a\n! b\nA : x y\\\n   z\nB\tv\\u00fc\\ud83d\\ude00\nC=\n",
		"c.env":        "# a\n\nexport A='x yz' # comment\nB=\"vü😀\"\r\nC=\n",
	} {
		read, err := config.ReadDocument(file, []byte(text), noJSON)
		require.NoError(t, err)
		var got []string
		for _, setting := range read {
			got = append(got, setting.Name+"="+setting.Text)
		}
		require.Equal(t, []string{"A=x yz", "B=vü😀", "C="}, got, file)
	}
}

// A document that cannot be read exactly is an error with its file and line.
func TestUnreadableDocumentsNameTheirLine(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"c.txt", "a=1", "format is unknown"},
		{"c.json", "[1]", "c.json:1: must be an object"},
		{"c.json", "{\n\"a\":1,\n\"a\":2}", "c.json:3: "},
		{"c.json", "{\n\"a\":01}", "c.json:2: "},
		{"c.json", "{\"a\":1}\n{}", "c.json:1: has text after its end"},
		{"c.json", "{\"configs\":[\n{\"key\":\"a\",\"value\":1,\"vaule\":2}]}", "c.json:2: "},
		{"c.yaml", "a: 1\nb:\n  c: 1\nb.c: 2\n", "c.yaml:4: b.c is also set at c.yaml:3"},
		{"c.yaml", "a: {x: 1, x: 2}\n", "c.yaml:1: has the key x twice"},
		{"c.yaml", "a: 1\nb: .inf\n", "c.yaml:2: has the number .inf"},
		{"c.yaml", "a: 0x1F\n", "c.yaml:1: has the number 0x1F"},
		{"c.yaml", "a: 2026-01-01\n", "c.yaml:1: has the value 2026-01-01 of the unsupported type !!timestamp"},
		{"c.yaml", "a: &x 1\nb: *x\n", "c.yaml:1: has an anchor"},
		{"c.yaml", "a: 1\n---\nb: 2\n", "c.yaml:2: starts a second document"},
		{"c.yaml", "- a\n", "c.yaml:1: must be a mapping"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: 1\n", "c.yaml:4: a is no string"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\nbinaryData:\n  a: eA==\n", "c.yaml:4: has binaryData"},
		{"c.properties", "a=1\na=2\n", "c.properties:2: a is also set at c.properties:1"},
		{"c.properties", "a\n", "c.properties:1: has no = after the key"},
		{"c.properties", `a=\u00g0`, "c.properties:1: has the escape"},
		{"c.properties", `a=\ud83d`, "c.properties:1: has the escape"},
		{"c.properties", "a=1\nb=x\\", "c.properties:2: ends with a backslash"},
		{"c.env", "A=1\nA=2\n", "c.env:2: A is also set"},
		{"c.env", "A B\n", "c.env:1: is no assignment"},
		{"c.env", "A='1\n2'\nB=$HOME\n", "c.env:3: has a value that is no plain text"},
		{"c.env", "A=\"$HOME\"\n", "c.env:1: has a value that is no plain text"},
		{"c.env", "A='x'y\n", "c.env:1: has a value that is no plain text"},
		{"c.env", "A=\xff\n", "c.env:1: is not UTF-8"},
	} {
		_, err := config.ReadDocument(c.file, []byte(c.text), noJSON)
		require.ErrorContains(t, err, c.want, c.text)
		require.True(t, strings.HasPrefix(err.Error(), "c."), err)
	}
}
