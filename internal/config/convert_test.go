package config_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// converted sends a document and returns the reply.
func (a *api) converted(members map[string]any, headers ...string) answer {
	a.t.Helper()
	body, err := json.Marshal(members)
	require.NoError(a.t, err)
	return a.send("POST", "/configs/import/read", string(body), headers...)
}

// rows returns the rows of a conversion as JSON.
func (a *api) rows(name, text string) string {
	a.t.Helper()
	reply := a.converted(map[string]any{"file": name, "text": text})
	require.Equal(a.t, http.StatusOK, reply.status, reply.text)
	rows, err := json.Marshal(reply.body["configs"])
	require.NoError(a.t, err)
	return string(rows)
}

func (a *api) make(body string) {
	a.t.Helper()
	made := a.send("POST", "/configs", body)
	require.Equal(a.t, http.StatusCreated, made.status, made.text)
}

func TestConvertedDocumentSetsOnlyValues(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.make(`{"key":"shop.tax","value":0.1,"remark":"percent","schema":{"maximum":1},"protected":false}`)
		a.make(`{"key":"shop.note","value":"no"}`)
		a.make(`{"key":"shop.same","value":"7.50","valueType":"number"}`)
		rows := a.rows("shop.env", "SHOP_TAX=0.21\nSHOP_NOTE=true\nSHOP_SAME=7.50\nNEW_KEY=1\n")
		require.JSONEq(t, `[{"key":"shop.tax","value":0.21,"valueOnly":true},{"key":"shop.note","value":"true","valueOnly":true},
			{"key":"shop.same","value":7.50,"valueOnly":true},{"key":"NEW_KEY","value":"1","valueOnly":true}]`, rows)

		before := a.traces()
		preview := a.send("POST", "/configs/import?dryRun=true", `{"onExisting":"update","configs":`+rows+`}`)
		require.Equal(t, map[string]any{"create": 1.0, "update": 2.0, "unchanged": 1.0, "skip": 0.0, "invalid": 0.0, "conflict": 0.0}, preview.body["counts"])
		require.Equal(t, before, a.traces())
		done := a.send("POST", "/configs/import", fmt.Sprintf(`{"onExisting":"update","preview":%q,"configs":%s}`, preview.body["preview"], rows))
		require.Equal(t, http.StatusOK, done.status, done.text)
		require.Equal(t, preview.body["counts"], done.body["counts"])
		tax := a.get("shop.tax")
		require.Equal(t, []string{"0.21", "percent", `{"maximum":1}`}, []string{tax.Value, tax.Remark, tax.Schema})
		require.Equal(t, `"true"`, a.get("shop.note").Value)
		require.EqualValues(t, 1, a.get("shop.same").Version)
	})
}

func TestConversionUsesTheTypesOfExistingConfigs(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.make(`{"key":"limits","value":{"a":1}}`)
		a.make(`{"key":"open","value":true}`)
		a.make(`{"key":"name","value":"x"}`)
		a.make(`{"key":"a.b","value":1}`)
		a.make(`{"key":"a-b","value":1}`)
		require.JSONEq(t, `[{"key":"limits","value":{"a":2},"valueOnly":true},{"key":"other.a","value":2,"valueOnly":true}]`,
			a.rows("c.yaml", "limits:\n  a: 2\nother:\n  a: 2\n"))
		reply := a.converted(map[string]any{"file": "c.properties", "text": "open=maybe\nname=7\n# withheld: mail.password\n"})
		require.JSONEq(t, `{"format":"properties","configs":[{"key":"name","value":"7","valueOnly":true}],"environments":[],"environment":"",
			"notes":[{"key":"mail.password","at":"c.properties:3","code":"withheld","message":"is withheld by the export and remains unchanged"}],"noteCount":1,"rejectedCount":1,
			"rejected":[{"key":"open","at":"c.properties:1","code":"type","message":"cannot be set: it has the type boolean on the server, and the source has no such value"}]}`, reply.text)
		reply = a.converted(map[string]any{"file": "c.json", "text": `{"name":7}`})
		require.Contains(t, reply.text, "it is a string on the server")
		reply = a.converted(map[string]any{"file": "c.env", "text": "A_B=2\n"})
		require.Contains(t, reply.text, "is the name of a-b and a.b; use YAML or JSON")
		a.make(`{"key":"tax","value":1}`)
		require.JSONEq(t, `[{"key":"tax","value":7,"valueOnly":true}]`, a.rows("c.env", "tax=7\n"), "a name that is a key")
	})
}

// A row of an export sets all its fields, as it does without a conversion.
func TestConvertedExportIsTheExport(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.createAwkward()
		exported := a.plain("/configs/export").text
		reply := a.converted(map[string]any{"file": "configs.json", "text": exported})
		var export struct{ Configs []map[string]any }
		require.NoError(t, json.Unmarshal([]byte(exported), &export))
		for i, row := range export.Configs {
			got := reply.body["configs"].([]any)[i].(map[string]any)
			for name, member := range row {
				if name == "remark" && member == "" {
					member = nil
				}
				require.Equal(t, member, got[name], "%v %s", row["key"], name)
			}
		}
		rows, err := json.Marshal(reply.body["configs"])
		require.NoError(t, err)
		again := a.send("POST", "/configs/import?dryRun=true", `{"configs":`+string(rows)+`}`)
		require.EqualValues(t, len(awkward), again.body["counts"].(map[string]any)["unchanged"])
	})
}

// An import saves the previewed outcome or nothing.
func TestImportAfterItsPreviewIsRejectedWithoutEffect(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.make(`{"key":"a","value":1,"remark":"r"}`)
		body := func(preview any, value int) string {
			return fmt.Sprintf(`{"onExisting":"update","preview":%q,"configs":[{"key":"a","value":%d,"valueOnly":true},{"key":"b","value":1}]}`, preview, value)
		}
		preview := a.send("POST", "/configs/import?dryRun=true", body("", 2)).body["preview"]
		require.NotEmpty(t, preview)
		a.send("PATCH", "/configs/a", `{"remark":"of Li"}`, "If-Match", a.send("GET", "/configs/a", "").header.Get("ETag"))
		before := a.traces()
		stale := a.send("POST", "/configs/import", body(preview, 2))
		require.Equal(t, "batch_conflict", stale.code(), stale.text)
		require.EqualValues(t, 1, stale.body["counts"].(map[string]any)["update"])
		other := a.send("POST", "/configs/import", body(a.send("POST", "/configs/import?dryRun=true", body("", 2)).body["preview"], 3))
		require.Equal(t, "batch_conflict", other.code(), "other rows than in the preview")
		require.Equal(t, before, a.traces())
		managed := a.send("POST", "/configs/import?manager=git:main", body(a.send("POST", "/configs/import?dryRun=true", body("", 2)).body["preview"], 2))
		require.Equal(t, "batch_conflict", managed.code(), "for another manager than in the preview")
		preview = a.send("POST", "/configs/import?dryRun=true", body("", 2)).body["preview"]
		done := a.send("POST", "/configs/import", body(preview, 2))
		require.Equal(t, http.StatusOK, done.status, done.text)
		require.NotContains(t, done.body, "preview")
		require.Equal(t, []string{"2", "of Li"}, []string{a.get("a").Value, a.get("a").Remark})
	})
}

func TestConversionReadsZipsAndSelectsEnvironments(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		zip := base64.StdEncoding.EncodeToString(zipped(t, os.DirFS(filepath.Join(documents, "apollo"))))
		all := a.converted(map[string]any{"file": "apollo.zip", "zip": zip}, "X-Tester", "configs:read")
		require.Equal(t, http.StatusOK, all.status, all.text)
		require.Equal(t, []any{"apollo", []any{"DEV", "PROD"}, []any{}}, []any{all.body["format"], all.body["environments"], all.body["configs"]})
		dev := a.converted(map[string]any{"file": "apollo.zip", "zip": zip, "environment": "DEV"})
		require.Equal(t, []any{map[string]any{"key": "timeout", "value": "100", "valueOnly": true}}, dev.body["configs"])
	})
}

func TestUnreadableDocumentsAreRejected(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		for _, c := range []struct {
			members map[string]any
			at      string
		}{
			{map[string]any{}, "/text"},
			{map[string]any{"text": "a", "zip": "YQ=="}, "/text"},
			{map[string]any{"zip": "!"}, "/zip"},
			{map[string]any{"file": "a.yaml", "text": "a: ["}, "/text"},
			{map[string]any{"file": "a.zip", "zip": "UEsDBA=="}, "/zip"},
			{map[string]any{"text": "{}", "format": "toml"}, "/format"},
		} {
			reply := a.converted(c.members)
			require.Equal(t, "validation_failed", reply.code(), reply.text)
			require.Equal(t, []string{c.at}, reply.fields(), reply.text)
		}
		many := make(map[string]int)
		for i := range 10_001 {
			many[fmt.Sprint("k", i)] = i
		}
		text, err := json.Marshal(many)
		require.NoError(t, err)
		require.Contains(t, a.converted(map[string]any{"text": string(text)}).text, "10001 configs with")
		require.Equal(t, http.StatusForbidden, a.converted(map[string]any{"text": "{}"}, "X-Tester", "items:read").status)
	})
}
