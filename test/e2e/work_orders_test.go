package e2e_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// Proves G2.7.
func TestHolderWithoutTheRightIsReplaced(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		role := create(t, c, "/api/v1/roles", object{"name": "agents", "permissions": []string{"work-orders:*"}})
		agent, other := newUser(t, c, "agent", "agents"), newUser(t, c, "other", "admin")
		work := create(t, agent, "/api/v1/work-orders", object{"title": "Call back"})
		path := fmt.Sprintf("/api/v1/work-orders/%d", int64(work["id"].(float64)))
		held := answer(t, agent, path+"/claim", nil)
		require.Equal(t, http.StatusConflict, other.Do(t, http.MethodPost, path+"/claim", nil).Status)

		patch(t, c, fmt.Sprintf("/api/v1/roles/%d", int64(role["id"].(float64))), object{"permissions": []string{"items:read"}}, etag(role))
		require.Equal(t, true, read(t, other, path)["offered"])
		holder := object{"userId": held["holder"].(object)["id"]}
		requireProblem(t, other.Do(t, http.MethodPost, path+"/assign", holder), http.StatusUnprocessableEntity, "validation_failed")
		require.Equal(t, "other", answer(t, other, "/api/v1/work-orders/claim-next", nil)["holder"].(object)["name"])
	})
}
