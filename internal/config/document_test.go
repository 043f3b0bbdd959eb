package config_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/strictjson"
	"interlock/internal/config"
)

// read returns the settings of a text, and the rejections as an error.
func read(file, text string, isJSON func(key string) bool) ([]config.Setting, error) {
	document, err := config.ReadDocument(config.Source{Name: file, Text: []byte(text), IsJSON: isJSON})
	return document.Settings, cmp.Or(err, document.Err())
}

// Each format of the export is read back as the configs that it contains.
func TestEveryExportIsReadBack(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.createAwkward()
		for file, format := range map[string]string{"c.json": "json", "c.yaml": "yaml", "c.properties": "properties", "c.env": "env", "c.configmap.yaml": "configmap"} {
			settings, err := read(file, a.exported("format="+format), nil)
			require.NoError(t, err, format)
			require.Len(t, settings, len(awkward)+1, format)
			found := map[string]config.Setting{}
			for _, setting := range settings {
				found[setting.Name] = setting
			}
			require.True(t, found["s.secret"].Withheld, format)
			for key, value := range awkward {
				setting := config.Setting{}
				for _, s := range settings {
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
	settings, err := read("c.yaml", "shop:\n  tax: 0.20\n  open: true\n  hosts: [a, \"1\"]\n  limits: {a: 1}\n  known:\n    b: 2\nname: \"yes\"\n",
		func(key string) bool { return key == "shop.known" })
	require.NoError(t, err)
	got := map[string]string{}
	for _, setting := range settings {
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
		settings, err := read(file, text, nil)
		require.NoError(t, err)
		var got []string
		for _, setting := range settings {
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
		{"c.json", "7", "c.json:1: is neither an object nor an array"},
		{"c.json", "{\n\"a\":1,\n\"a\":2}", "c.json:3: "},
		{"c.json", "{\n\"a\":01}", "c.json:2: "},
		{"c.json", "{\"a\":1}\n{}", "c.json:1: "},
		{"c.json", "{\"configs\":[\n{\"key\":\"a\",\"value\":1,\"vaule\":2}]}", "c.json:2: the config in configs/0"},
		{"c.yaml", "a: 1\nb:\n  c: 1\nb.c: 2\n", "c.yaml:4: b.c is also set at c.yaml:3"},
		{"c.yaml", "a: {x: 1, x: 2}\n", "c.yaml:1: a has the key x twice"},
		{"c.yaml", "a: 1\nb: .inf\n", "c.yaml:2: b has the number .inf"},
		{"c.yaml", "a: 0x1F\n", "c.yaml:1: a has the number 0x1F"},
		{"c.yaml", "a: 2026-01-01\n", "c.yaml:1: a has the value 2026-01-01 of the unsupported type !!timestamp"},
		{"c.yaml", "a: yes\n", "c.yaml:1: a has the value yes, which is a boolean or a number in YAML 1.1"},
		{"c.yaml", "a: [Off]\n", "c.yaml:1: a has the value Off, which is a boolean"},
		{"c.yaml", "a: 10:30\n", "c.yaml:1: a has the value 10:30, which is a boolean or a number"},
		{"c.yaml", "a: !!bool yes\n", "c.yaml:1: a has the value yes of the unsupported type !!bool"},
		{"c.yaml", "a: !!set {x: 1}\n", "c.yaml:1: a has the unsupported type !!set"},
		{"c.yaml", "a: !!omap\n  x: 1\n", "c.yaml:1: a has the unsupported type !!omap"},
		{"c.yaml", "a: !list [1]\n", "c.yaml:1: a has the unsupported type !list"},
		{"c.yaml", "a: 1\n---\na: 0x1F\n", "c.yaml:3: a has the number 0x1F"},
		{"c.yaml", "a: &x 1\nb: *x\n", "c.yaml:1: a has an anchor"},
		{"c.yaml", strings.Repeat("[", 1<<20+1), "c.yaml:1: may have more than"},
		{"c.yaml", "- a\n", "c.yaml:1: must be a mapping"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: 1\n", "c.yaml:4: a is not a string"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\nbinaryData:\n  a: eA==\n", "c.yaml:4: a is binaryData"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: yes\n", "c.yaml:4: a is not a string"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: x\ndata:\n  b: x\n", "c.yaml:5: data is repeated in the ConfigMap"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\nx: &x {}\ndata: *x\n", "c.yaml:4: data is not a mapping"},
		{"c.yaml", "apiVersion: v1\nkind: ConfigMap\nbinaryData: [a]\n", "c.yaml:3: binaryData is not a mapping"},
		{"c.properties", "a=1\na=2\n", "c.properties:2: a is also set at c.properties:1"},
		{"c.properties", "a\n", "c.properties:1: a has no = after the key"},
		{"c.properties", `a=\u00g0`, "c.properties:1: a has the escape"},
		{"c.properties", `a=\ud83d`, "c.properties:1: a has the escape"},
		{"c.properties", "a=1\nb=x\\", "c.properties:2: ends with a backslash"},
		{"c.env", "A=1\nA=2\n", "c.env:2: A is also set"},
		{"c.env", "A B\n", "c.env:1: is not an assignment"},
		{"c.env", "A='1\n2'\nB=$HOME\n", "c.env:3: B has a value that is not plain text"},
		{"c.env", "A=\"$HOME\"\n", "c.env:1: A has a value that is not plain text"},
		{"c.env", "A='x'y\n", "c.env:1: A has a value that is not plain text"},
		{"c.env", "A=\xff\n", "c.env:1: is not UTF-8"},
	} {
		_, err := read(c.file, c.text, nil)
		require.ErrorContains(t, err, c.want, c.text)
		require.True(t, strings.HasPrefix(err.Error(), "c."), err)
	}
}

// documents is a folder with files as other programs export them. A zip is stored as its folder.
const documents = "testdata/documents"

func zipped(t *testing.T, files fs.FS) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	require.NoError(t, archive.AddFS(files))
	require.NoError(t, archive.Close())
	return out.Bytes()
}

// documentIn reads a document and returns its content as lines.
func documentIn(t *testing.T, name, environment string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(documents, name))
	if err != nil {
		text = zipped(t, os.DirFS(filepath.Join(documents, name)))
	}
	d, err := config.ReadDocument(config.Source{Name: name, Environment: environment, Text: text})
	if err != nil {
		return "error " + err.Error() + "\n"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "format %s\n", d.Format)
	if len(d.Environments) > 0 {
		fmt.Fprintf(&out, "environments %s, selected: %q, needed: %v\n", strings.Join(d.Environments, " "), d.Environment, d.NeedsEnvironment)
	}
	for _, s := range d.Settings {
		value, err := s.ValueAs("")
		require.NoError(t, err)
		fmt.Fprintf(&out, "%s = %s", s.Name, value)
		if s.Remark != "" {
			fmt.Fprintf(&out, "  # %s", s.Remark)
		}
		out.WriteByte('\n')
	}
	for _, note := range d.Notes {
		fmt.Fprintf(&out, "note %s\n", note)
	}
	for _, rejected := range d.Rejected {
		fmt.Fprintf(&out, "rejected %s\n", rejected)
	}
	return out.String()
}

// Each document has the values that a person expects, and a reason for each rejected entry. The
// expected content is in a file with the extension .want.
func TestDocumentsOfOtherProgramsHaveTheExpectedValues(t *testing.T) {
	files, err := os.ReadDir(documents)
	require.NoError(t, err)
	for _, file := range files {
		name, isWant := strings.CutSuffix(file.Name(), ".want")
		if !isWant {
			require.FileExists(t, filepath.Join(documents, name+".want"))
			continue
		}
		name, environment, _ := strings.Cut(name, "@")
		t.Run(file.Name(), func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(documents, file.Name()))
			require.NoError(t, err)
			require.Equal(t, string(want), documentIn(t, name, environment))
		})
	}
}

func TestZipsAreBounded(t *testing.T) {
	file := func(name string, size int) []byte {
		var out bytes.Buffer
		archive := zip.NewWriter(&out)
		entry, err := archive.Create(name)
		require.NoError(t, err)
		_, err = entry.Write(bytes.Repeat([]byte("a"), size))
		require.NoError(t, err)
		require.NoError(t, archive.Close())
		return out.Bytes()
	}
	var many bytes.Buffer
	archive := zip.NewWriter(&many)
	for i := range 10_001 {
		_, err := archive.Create(fmt.Sprintf("g/%d", i))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	bomb := file("DEFAULT_GROUP/a.txt", 40<<20)
	require.Less(t, len(bomb), 1<<20)
	for want, text := range map[string][]byte{
		"have more than 33554432 bytes":   bomb,
		"has 10001 files":                 many.Bytes(),
		"the zip is damaged":              bomb[:100],
		"the zip contains no file":        zipped(t, os.DirFS(t.TempDir())),
		"neither an export of Apollo nor": file("readme.txt", 1),
		"a.txt in the zip is damaged":     slices.Concat(bomb[:60], bytes.Repeat([]byte{0xff}, 40), bomb[100:]),
	} {
		_, err := config.ReadDocument(config.Source{Name: "x.zip", Text: text})
		require.ErrorContains(t, err, want)
	}
}

func TestFormatAndEnvironmentAreChecked(t *testing.T) {
	for _, c := range []struct {
		source config.Source
		want   string
	}{
		{config.Source{Name: "a.json", Format: "unleash", Text: []byte(`{"a":1}`)}, "is not a document of the format unleash"},
		{config.Source{Name: "a", Format: "", Text: []byte("a=1")}, "its format is unknown"},
		{config.Source{Name: "a.yaml", Format: "configmap", Text: []byte("a: 1")}, "is not a document of the format configmap"},
		{config.Source{Name: "a.json", Environment: "dev", Text: []byte(`{"key":"a","variations":[],"environments":{"prod":{}}}`)}, "has no environment dev; it has prod"},
		{config.Source{Name: "a.json", Text: []byte(`{"features":[{"name":"a"}],"featureEnvironments":[]}`)}, "has no environment;"},
		{config.Source{Name: "a.json", Text: []byte(`{"status":200,"encryptedFeatures":"x.y"}`)}, "is encrypted"},
	} {
		_, err := config.ReadDocument(c.source)
		require.ErrorContains(t, err, c.want)
	}
	forced, err := config.ReadDocument(config.Source{Name: "flags", Format: "json", Text: []byte(`{"features":{"a":{"defaultValue":1}}}`)})
	require.NoError(t, err)
	require.Equal(t, "features", forced.Settings[0].Name)
}

// A later document replaces the value of an earlier one also if its own value is rejected.
func TestRejectedValueOfALaterDocumentRemovesTheEarlierValue(t *testing.T) {
	d, err := config.ReadDocument(config.Source{Name: "c.yaml", Text: []byte("a: 1\nb: 1\n---\na: 0x1F\n")})
	require.NoError(t, err)
	require.Len(t, d.Settings, 1)
	require.Equal(t, "b", d.Settings[0].Name)
	require.Len(t, d.Rejected, 1)
}

func TestUnusedEnvironmentIsNoted(t *testing.T) {
	for file, text := range map[string]string{"c.env": "A=1\n", "c.json": `{"a":1}`, "c.yaml": "a: 1\n---\nspring.profiles: dev\na: 2\n", "c.properties": "a=1\n"} {
		d, err := config.ReadDocument(config.Source{Name: file, Environment: "prod", Text: []byte(text)})
		require.NoError(t, err)
		require.Equal(t, file+": no part is specific to prod; the values for all environments are read", d.Notes[len(d.Notes)-1].String())
	}
	d, err := config.ReadDocument(config.Source{Name: "c.yaml", Environment: "dev", Text: []byte("spring.profiles: dev\na: 2\n")})
	require.NoError(t, err)
	require.Empty(t, d.Notes)
	nacos, err := config.ReadDocument(config.Source{Name: "n.zip", Environment: "dev", Text: zipped(t, fstest.MapFS{
		"DEFAULT_GROUP/a.yaml": {Data: []byte("spring.profiles: dev\na: 2\n")}, "DEFAULT_GROUP/b.yaml": {Data: []byte("b: 2\n")},
	})})
	require.NoError(t, err)
	require.Empty(t, nacos.Notes)
	require.Equal(t, "dev", nacos.Environment)
}

// Members that a parser would drop make the JSON of a file unreadable.
func TestRepeatedMembersInAFileAreRejected(t *testing.T) {
	d, err := config.ReadDocument(config.Source{Name: "n.zip", Text: zipped(t, fstest.MapFS{"DEFAULT_GROUP/a.json": {Data: []byte(`{"x":1,"x":2}`)}})})
	require.NoError(t, err)
	require.Empty(t, d.Settings)
	require.Contains(t, d.Rejected[0].String(), "a.json is not JSON with distinct names of members")
}

func TestUnreadableMetadataIsRejected(t *testing.T) {
	d, err := config.ReadDocument(config.Source{Name: "n.zip", Text: zipped(t, fstest.MapFS{
		".metadata.yml": {Data: []byte("metadata: [")}, "DEFAULT_GROUP/a": {Data: []byte("x")},
	})})
	require.NoError(t, err)
	require.Len(t, d.Settings, 1)
	require.Contains(t, d.Rejected[0].String(), ".metadata.yml: the file cannot be read")
}

func TestValuesHaveTheTypeOfTheirConfig(t *testing.T) {
	for _, c := range []struct {
		setting config.Setting
		as      config.Type
		want    string
	}{
		{config.Setting{Text: "1"}, config.Boolean, ""},
		{config.Setting{Text: "true"}, config.Boolean, "true"},
		{config.Setting{Text: "true"}, config.Number, ""},
		{config.Setting{Text: `{"x":1,"x":2}`}, config.JSON, ""},
		{config.Setting{Text: `{"x":1}`}, config.JSON, `{"x":1}`},
		{config.Setting{Text: "1"}, config.String, `"1"`},
		{config.Setting{Value: []byte(`"abc"`)}, config.Number, ""},
		{config.Setting{Value: []byte(`"7"`)}, config.Number, `"7"`},
		{config.Setting{Value: []byte(`7`)}, config.Boolean, ""},
		{config.Setting{Value: []byte(`7`)}, config.String, ""},
		{config.Setting{Value: []byte(`7`)}, "", "7"},
	} {
		value, err := c.setting.ValueAs(c.as)
		require.Equal(t, c.want, string(value))
		require.Equal(t, c.want == "", err != nil, "%+v as %s: %v", c.setting, c.as, err)
	}
}

func TestFlagOfASummaryNamesTheCompleteRequest(t *testing.T) {
	d, err := config.ReadDocument(config.Source{Name: "f.json", Text: []byte(`{"items":[{"key":"a","variations":[{"value":1}],"environments":{"prod":{"on":false}}}]}`)})
	require.NoError(t, err)
	require.Len(t, d.Rejected, 1)
	require.Equal(t, "f.json#/items/0: a has no fallthrough; request the flags with ?summary=0", d.Rejected[0].String())
}

func TestPositionInJSONIsAPointer(t *testing.T) {
	d, err := config.ReadDocument(config.Source{Name: "f.json", Text: []byte(`{"features":{"a/b~c":{"defaultValue":1,"rules":[{"force":2,"condition":{"x":1}}]}}}`)})
	require.NoError(t, err)
	require.Len(t, d.Notes, 1)
	require.Equal(t, "f.json#/features/a~1b~0c", d.Notes[0].At)
}
