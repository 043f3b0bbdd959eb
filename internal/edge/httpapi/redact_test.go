package httpapi

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"
)

// The caller of the repeat may have lost the permission to read the resource.
// Proves G8.33.
func TestReplayOfStaleApprovalOmitsItsResource(t *testing.T) {
	t.Parallel()
	stored := func(code string) StoredReply {
		body := `{"type":"/problems/` + code + `","title":"t","status":409,"code":"` + code + `","detail":"moved","requestId":"r",` +
			`"currentStatus":"stale","currentVersion":2,"updatedBy":{"id":1,"name":"Wu"},` +
			`"base":{"value":"secret"},"current":{"value":"secret"},"conflicts":[{"theirs":"secret"}],"members":[{"key":"tax","current":"secret"}]}`
		return StoredReply{Status: http.StatusConflict, Header: http.Header{echo.HeaderContentType: {mimeProblem}}, Body: []byte(body)}
	}
	body, err := redactForCaller(t.Context(), stored("approval_stale"))
	require.NoError(t, err)
	require.NotContains(t, string(body), "secret")
	var members map[string]any
	require.NoError(t, json.Unmarshal(body, &members))
	require.Equal(t, []any{"approval_stale", "moved", "stale", 2.0, "Wu"},
		[]any{members["code"], members["detail"], members["currentStatus"], members["currentVersion"], members["updatedBy"].(map[string]any)["name"]})

	other := stored("version_conflict")
	body, err = redactForCaller(t.Context(), other)
	require.NoError(t, err)
	require.Equal(t, other.Body, body, "other problems are replayed unchanged")
}
