package config_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/config"
)

// archived returns a zip with the files in their order.
func archived(t *testing.T, files ...[2]string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, file := range files {
		entry, err := archive.Create(file[0])
		require.NoError(t, err)
		_, err = entry.Write([]byte(file[1]))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	return out.Bytes()
}

func list(element string, n int) string {
	return "[" + strings.Repeat(element+",", n-1) + element + "]"
}

// Each source is small, and would need gigabytes if its entries were not bounded.
func TestEntriesOfADocumentAreBounded(t *testing.T) {
	const tooMany = 100_001
	nodes := 1<<20 + 1
	for _, c := range []struct{ name, text, want string }{
		{"a.properties", strings.Repeat("a=\n", tooMany), "has more than 100000 entries"},
		{"a.env", strings.Repeat("a=\n", tooMany), "has more than 100000 entries"},
		{"a.env", strings.Repeat("?\n", tooMany), "has more than 100000 entries"},
		{"a.yaml", strings.Repeat("a:\n", tooMany), "has more than 100000 entries"},
		{"a.yaml", strings.Repeat("apiVersion: v1\nkind: Secret\n---\n", tooMany), "has more than 100000 entries"},
		{"a.properties", "spring.profiles=" + strings.Repeat(",", tooMany), "has more than 100000 entries"},
		{"a.json", list("0", tooMany), "has more than 100000 members"},
		{"a.json", `{"configs":` + list("0", tooMany) + "}", "has more than 100000 members"},
		{"a.json", `{"flags":{"a":{"variations":` + list("0", nodes) + "}}}", "may have more than 1048576 values"},
		{"a.json", `{"feature_states":` + list("{}", 2) + `,"project":{"segments":` + list("0", nodes) + "}}", "may have more than 1048576 values"},
		{"a.yaml", strings.Repeat("a:\r", nodes), "may have more than 1048576 values"},
		{"a.yaml", strings.Repeat("a:\u0085", nodes), "may have more than 1048576 values"},
		{"a.yaml", strings.Repeat("a:\u2028", nodes), "may have more than 1048576 values"},
		{"a.yaml", strings.Repeat("a:\u2029", nodes), "may have more than 1048576 values"},
		{"a.yaml", strings.Repeat("? ", nodes), "may have more than 1048576 values"},
		{"a.zip", string(archived(t, [2]string{"g/" + strings.Repeat("a", 500), ""})), "a file with a name of 502 bytes"},
	} {
		_, err := config.ReadDocument(config.Source{Name: c.name, Text: []byte(c.text)})
		require.ErrorContains(t, err, c.want, "%s %.20q", c.name, c.text)
	}
	d, err := config.ReadDocument(config.Source{Name: "a.zip", Text: archived(t, [2]string{".metadata.yml", strings.Repeat("[", nodes)}, [2]string{"g/a", "x"})})
	require.NoError(t, err)
	require.Len(t, d.Rejected, 1)
	require.Contains(t, d.Rejected[0].String(), ".metadata.yml: the file cannot be read: may have more than")
}

func TestKeysThatAreTooLongAreNotDescended(t *testing.T) {
	part := strings.Repeat("k", 150)
	d, err := config.ReadDocument(config.Source{
		Name: "a.yaml", Text: []byte(part + ":\n  " + part + ":\n    a: 1\nok: 1\n"),
		IsJSON: func(key string) bool {
			require.LessOrEqual(t, len(key), 200)
			return false
		},
	})
	require.NoError(t, err)
	require.Len(t, d.Settings, 1)
	require.Len(t, d.Rejected, 1)
	require.Contains(t, d.Rejected[0].String(), "a.yaml:2: "+part+"."+part+" is not a key: a key has at most 200 characters")
}

func TestDocumentsAreReadInLinearTime(t *testing.T) {
	var documents strings.Builder
	for i := range 90_000 {
		fmt.Fprintf(&documents, "k%d: 1\n---\n", i)
	}
	for name, c := range map[string]struct{ file, text string }{
		"escapes":           {"a.properties", "a=" + strings.Repeat(`\ud83d\ude00`, 500_000)},
		"continuations":     {"a.properties", "a=" + strings.Repeat("x\\\n", 1_000_000) + "x\n"},
		"withheld comments": {"a.properties", strings.Repeat("# withheld: a\n", 500_000)},
		"documents":         {"a.yaml", documents.String()},
	} {
		start := time.Now()
		_, _ = config.ReadDocument(config.Source{Name: c.file, Text: []byte(c.text)})
		require.Less(t, time.Since(start), 20*time.Second, name)
	}
}

func TestNotesInTheReplyAreBounded(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		reply := a.converted(map[string]any{"text": `{"configs":` + list("0", 2000) + "}"})
		require.Equal(t, http.StatusOK, reply.status, reply.text)
		require.Len(t, reply.body["rejected"], 1000)
		require.EqualValues(t, 2000, reply.body["rejectedCount"])
		require.EqualValues(t, 0, reply.body["noteCount"])
		reply = a.converted(map[string]any{"file": "a.properties", "text": strings.Repeat("x", 1000) + "=1\n"})
		require.Less(t, len(reply.text), 1000)
	})
}

func TestBytesOfADocumentAreBoundedAfterDecoding(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		// A body of 36 MiB has a content of 6 MiB, because each byte of the comment has an escape of six bytes.
		reply := a.converted(map[string]any{"file": "a.properties", "text": "a=1\n#" + strings.Repeat("\x01", 6<<20)})
		require.Equal(t, http.StatusOK, reply.status, "%.200s", reply.text)
		reply = a.converted(map[string]any{"file": "a.properties", "text": "a=1\n#" + strings.Repeat("#", 32<<20)})
		require.Equal(t, []string{"/text"}, reply.fields(), "%.200s", reply.text)
		require.Contains(t, reply.text, "exceed one import")
	})
}

func TestFilesOfAZipHaveNoByteOrderMark(t *testing.T) {
	d, err := config.ReadDocument(config.Source{Name: "a.zip", Text: zipped(t, fstest.MapFS{
		"DEFAULT_GROUP/a.json":       {Data: []byte("\ufeff{\"a\":1}")},
		"DEFAULT_GROUP/a.properties": {Data: []byte("\ufeffb=1\n")},
		"DEFAULT_GROUP/a.txt":        {Data: []byte("\ufefftext")},
	})})
	require.NoError(t, err)
	require.Empty(t, d.Rejected)
	got := map[string]string{}
	for _, s := range d.Settings {
		got[s.Name] = s.Text + string(s.Value)
	}
	require.Equal(t, map[string]string{"a.json": `{"a":1}`, "a.properties/b": "1", "a.txt": "text"}, got)
}
