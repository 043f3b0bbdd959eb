package config_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
)

// Proves G1.10.
func TestValuesAndSchemasRetainOrderAndNumberNotation(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		holds := func(got answer, status int, value string) string {
			t.Helper()
			require.Equal(t, status, got.status, got.text)
			require.Contains(t, got.text, `"value":`+value+`,`)
			return got.header.Get("ETag")
		}
		const schema = `"schema":{"type":"object","properties":{"z":{"minimum":0,"maximum":1e2},"a":{}}}`
		one := holds(a.send("POST", "/configs", `{"key":"shop.tax","value":{"z":1.50,"m":{"q":1,"b":2},"a":"x"},`+schema+`}`),
			http.StatusCreated, `{"z":1.50,"m":{"q":1,"b":2},"a":"x"}`)

		two := holds(a.send("PATCH", "/configs/shop.tax", `{"value":{"y":2.0,"a":"w","m":{"p":3,"b":4},"c":[{"k":1e1,"j":1}]}}`, "If-Match", one),
			http.StatusOK, `{"z":1.50,"m":{"q":1,"b":4,"p":3},"a":"w","y":2.0,"c":[{"k":1e1,"j":1}]}`)
		three := holds(a.send("PATCH", "/configs/shop.tax?merge=disjoint", `{"value":{"x":1,"d":2,"z":7.0}}`, "If-Match", one),
			http.StatusOK, `{"z":7.0,"m":{"q":1,"b":4,"p":3},"a":"w","y":2.0,"c":[{"k":1e1,"j":1}],"x":1,"d":2}`)
		require.Contains(t, a.send("GET", "/configs/shop.tax", "").text, schema)

		stale := a.send("PATCH", "/configs/shop.tax", `{"value":{"c":[{"i":1,"h":1}]}}`, "If-Match", one)
		require.Equal(t, http.StatusPreconditionFailed, stale.status)
		require.Contains(t, stale.text, `"conflicts":[{"pointer":"/value/c","yours":[{"i":1,"h":1}],"theirs":[{"k":1e1,"j":1}]}]`)

		four := holds(a.send("PATCH", "/configs/shop.tax?overwrite=why", `{"value":{"n":1,"f":2}}`, "If-Match", two),
			http.StatusOK, `{"z":1.50,"m":{"q":1,"b":4,"p":3},"a":"w","y":2.0,"c":[{"k":1e1,"j":1}],"n":1,"f":2}`)
		five := holds(a.send("PATCH", "/configs/shop.tax", `{"schema":{"title":"t","properties":{"z":{"maximum":100,"description":"d"}}}}`, "If-Match", four),
			http.StatusOK, `{"z":1.50,"m":{"q":1,"b":4,"p":3},"a":"w","y":2.0,"c":[{"k":1e1,"j":1}],"n":1,"f":2}`)
		const described = `"schema":{"type":"object","properties":{"z":{"minimum":0,"maximum":100,"description":"d"},"a":{}},"title":"t"}`
		require.Contains(t, a.send("GET", "/configs/shop.tax", "").text, described, "a number in another notation is returned as last written")

		batch := a.send("POST", "/config-batches", fmt.Sprintf(
			`{"changes":[{"key":"shop.tax","op":"update","etag":%q,"patch":{"value":{"e":1,"a":"v","b":0}}},{"key":"new","op":"create","patch":{"value":{"b":1.0,"a":2}}}]}`, five))
		require.Equal(t, http.StatusOK, batch.status, batch.text)
		last := holds(a.send("GET", "/configs/shop.tax", ""),
			http.StatusOK, `{"z":1.50,"m":{"q":1,"b":4,"p":3},"a":"v","y":2.0,"c":[{"k":1e1,"j":1}],"n":1,"f":2,"e":1,"b":0}`)
		holds(a.send("GET", "/configs/new", ""), http.StatusOK, `{"b":1.0,"a":2}`)

		holds(a.send("POST", "/configs/shop.tax/rollback", `{"toVersion":3}`, "If-Match", last),
			http.StatusOK, `{"z":7.0,"m":{"q":1,"b":4,"p":3},"a":"w","y":2.0,"c":[{"k":1e1,"j":1}],"x":1,"d":2}`)
		history := a.send("GET", "/configs/shop.tax/history", "").text
		for _, value := range []string{`{"z":1.50,"m":{"q":1,"b":2},"a":"x"}`, `{"z":1.50,"m":{"q":1,"b":4,"p":3},"a":"w","y":2.0,"c":[{"k":1e1,"j":1}]}`} {
			require.Contains(t, history, `"value":`+value+`,`)
		}
		require.NotEmpty(t, three)

		export := a.send("GET", "/configs/export", "").text
		elsewhere := newAPI(t, storagetest.Tenant(t), a.DB)
		require.Equal(t, http.StatusOK, elsewhere.send("POST", "/configs/import", export).status)
		_, exported, _ := strings.Cut(export, `"configs":`)
		require.Contains(t, elsewhere.send("GET", "/configs/export", "").text, exported)
	})
}

func TestReorderedMembersAreNoChange(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		made := a.send("POST", "/configs", `{"key":"k","value":{"z":1,"a":{"y":1,"b":[{"d":1,"c":2}]}}}`)
		before := a.traces()
		same := a.send("PATCH", "/configs/k", `{"value":{"a":{"b":[{"c":2,"d":1}],"y":1},"z":1}}`, "If-Match", made.header.Get("ETag"))
		require.Equal(t, http.StatusOK, same.status, same.text)
		require.Equal(t, made.text, same.text)
		require.Equal(t, before, a.traces())

		moved := a.send("POST", "/configs/import", `{"onExisting":"update","configs":[{"key":"k","value":{"a":{"y":1,"b":[{"d":1,"c":2}]},"z":1},"valueType":"json"}]}`)
		require.Equal(t, http.StatusOK, moved.status, moved.text)
		require.EqualValues(t, 1, moved.body["counts"].(map[string]any)["unchanged"])
		require.Equal(t, before, a.traces())
	})
}
