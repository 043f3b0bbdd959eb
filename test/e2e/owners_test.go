package e2e_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// A pipeline and an administrator change one config; neither overwrites the other without a notice.
func TestPipelineAndAdministratorDoNotOverwriteEachOther(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		const path, byGit = "/api/v1/configs/checkout.tax", "?manager=git:main&revision=4f2a9c1"
		admin := p.Admin(t)
		made := create(t, admin, "/api/v1/configs"+byGit, object{"key": "checkout.tax", "value": 0.2})
		owned := made["owner"].(object)["value"].(object)
		require.Equal(t, []any{"git:main", "4f2a9c1"}, []any{owned["manager"], owned["revision"]})

		refused := requireProblem(t, admin.Do(t, http.MethodPatch, path, object{"value": 0.19}, "If-Match", etag(made)), http.StatusConflict, "in_use")
		require.Equal(t, made["owner"], refused["owner"])
		requireProblem(t, admin.Do(t, http.MethodDelete, path, nil, "If-Match", etag(made)), http.StatusConflict, "in_use")
		taken := admin.Do(t, http.MethodPatch, path+"?takeOver=incident%207", object{"value": 0.19}, "If-Match", etag(made)).JSON(t)
		require.Equal(t, 0.19, taken["value"])

		change := object{"changes": []object{{"key": "checkout.tax", "op": "update", "etag": etag(taken), "patch": object{"value": 0.2}}}}
		conflict := requireProblem(t, admin.Do(t, http.MethodPost, "/api/v1/config-batches"+byGit, change), http.StatusConflict, "batch_conflict")
		member := conflict["conflicts"].([]any)[0].(object)
		require.Equal(t, "in_use", member["code"])
		require.Equal(t, taken["owner"], member["owner"])
		imported := object{"onExisting": "update", "configs": []object{{"key": "checkout.tax", "value": 0.2}}}
		requireProblem(t, admin.Do(t, http.MethodPost, "/api/v1/configs/import"+byGit, imported), http.StatusConflict, "batch_conflict")
		require.Equal(t, 0.19, read(t, admin, path)["value"])

		history := read(t, admin, path+"/history")["items"].([]any)
		require.Equal(t, "incident 7", history[0].(object)["note"])
		require.Equal(t, taken["owner"], history[0].(object)["owner"])
		require.Equal(t, made["owner"], history[1].(object)["owner"])
	})
}
