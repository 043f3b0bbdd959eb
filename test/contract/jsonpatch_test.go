package contract_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
)

// Proves G1.6.
func TestJSONPatchIsGuardedLikeMergePatch(t *testing.T) {
	patched := func(route httpapi.Route) bool {
		return route.Method == http.MethodPatch && operationOf(t, route).RequestBody.Value.Content["application/json-patch+json"] != nil
	}
	eachRoute(t, patched, func(t *testing.T, w walk) {
		path, match := w.ready(t)
		before := w.owner.Do(t, http.MethodGet, path, nil)
		member, value := textMember(t, before.JSON(t), example(t, w.route))
		send := func(operations string, headers ...string) (status int, code string, body string) {
			answer := w.owner.Do(t, http.MethodPatch, path, operations, append(headers, "Content-Type", "application/json-patch+json")...)
			if answer.Status >= 400 {
				code = answer.Code()
			}
			return answer.Status, code, string(answer.Body)
		}
		same := `[{"op":"test","path":"/` + member + `","value":` + value + `},{"op":"replace","path":"/` + member + `","value":` + value + `}]`
		verify := requireNoWrites(t, w.Program)
		for _, c := range []struct {
			operations string
			headers    []string
			status     int
			code       string
		}{
			{same, nil, 428, "precondition_required"},
			{same, []string{"If-Match", `"zz-1"`}, 412, "version_conflict"},
			{same, match, 200, ""},
			{`[{"op":"test","path":"/` + member + `","value":{"no":1}}]`, match, 422, "validation_failed"},
			{`[{"op":"remove","path":"/nonesuch"}]`, match, 422, "validation_failed"},
			{`[{"op":"add","path":"/nonesuch","value":1}]`, match, 400, "malformed_request"},
			{`{"` + member + `":` + value + `}`, match, 400, "malformed_request"},
		} {
			status, code, body := send(c.operations, c.headers...)
			require.Equal(t, c.status, status, "%s: %s", c.operations, body)
			require.Equal(t, c.code, code, c.operations)
		}
		other := w.owner.Do(t, http.MethodPatch, path, "{}", append(match, "Content-Type", "text/plain")...)
		require.Equal(t, http.StatusUnsupportedMediaType, other.Status, "%s", other.Body)
		require.Equal(t, "unsupported_media_type", other.Code())
		verify()
		require.Equal(t, before.Header.Get("ETag"), w.owner.Do(t, http.MethodGet, path, nil).Header.Get("ETag"))
	})
}

// textMember returns a member that both a resource and its documented patch have, and its value.
func textMember(t *testing.T, resource map[string]any, patch any) (name, value string) {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal(patch.([]byte), &members))
	for name := range members {
		present, ok := resource[name]
		if _, isObject := members[name].(map[string]any); !ok || isObject || strings.Contains(name, "/") {
			continue
		}
		text, err := json.Marshal(present)
		require.NoError(t, err)
		return name, string(text)
	}
	for name, present := range resource {
		if list, ok := present.([]any); ok && members[name] != nil {
			text, err := json.Marshal(list)
			require.NoError(t, err)
			return name, string(text)
		}
	}
	require.Fail(t, "the patch has no member of the resource")
	return "", ""
}
