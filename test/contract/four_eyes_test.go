package contract_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/users"
	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// pairing is a tenant with an author of changes and an approver, who both have all permissions, and
// an admin who manages their accounts.
type pairing struct {
	*apptest.Program
	admin, author, approver *apptest.Caller
	// names are the usernames, and ids the ids of both.
	names map[*apptest.Caller]string
	ids   map[*apptest.Caller]any
}

func pairUp(t *testing.T, p *apptest.Program) pairing {
	t.Helper()
	w := pairing{Program: p, admin: p.Admin(t), names: map[*apptest.Caller]string{}, ids: map[*apptest.Caller]any{}}
	hire := func() *apptest.Caller {
		user := created(t, w.admin, "/users", object{"username": unique("pair"), "password": "correct horse battery", "roles": []string{"admin"}})
		caller := w.admin.As(t, user["username"].(string))
		w.names[caller], w.ids[caller] = user["username"].(string), user["id"]
		return caller
	}
	w.author, w.approver = hire(), hire()
	return w
}

// tokenFor creates a token of a user through another one.
func (w pairing) tokenFor(t *testing.T, by, user *apptest.Caller, scopes ...string) *apptest.Caller {
	t.Helper()
	token := created(t, by, "/tokens", object{"name": "borrowed", "userId": w.ids[user], "scopes": scopes})
	other := *user
	other.Token = token["token"].(string)
	return &other
}

// exec changes rows by hand.
func (w pairing) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	require.NoError(t, w.Services().DB.Write(storage.AcrossTenants(t.Context())).Exec(statement, args...).Error)
}

// propose proposes a change of a protected config, and returns the approval.
func (w pairing) propose(t *testing.T, by *apptest.Caller) object {
	t.Helper()
	key, etag := newProtected(t, by)
	proposal := by.Do(t, "PATCH", httpapi.Base+"/configs/"+key, object{"value": 2}, "If-Match", etag)
	require.Equal(t, http.StatusAccepted, proposal.Status, "%s", proposal.Body)
	return proposal.JSON(t)
}

func decide(t *testing.T, by *apptest.Caller, approval object, action string, body any) apptest.Answer {
	t.Helper()
	return by.Do(t, "POST", fmt.Sprintf("%s/approvals/%v/%s", httpapi.Base, approval["id"], action), body, "If-Match", approval["etag"].(string))
}

// requireFourEyes asserts that a decision is rejected because one user is on both sides.
func requireFourEyes(t *testing.T, answer apptest.Answer) {
	t.Helper()
	require.Equal(t, http.StatusForbidden, answer.Status, "%s", answer.Body)
	require.Equal(t, "four_eyes", answer.JSON(t)["reason"], "%s", answer.Body)
}

// Proves G8.10.
func TestOnePersonBehindTwoCredentialsPassesNoFourEyes(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		service := func() *users.Service { return p.Services().Access.Users }
		reset := map[string]func(t *testing.T, w pairing, path string){
			"the password": func(t *testing.T, w pairing, path string) {
				w.author.Do(t, "POST", path+"/reset-password", object{"password": "another horse battery"})
			},
			"the second factors": func(t *testing.T, w pairing, path string) {
				w.exec(t, "UPDATE users SET second_factor = ? WHERE id = ?", true, w.ids[w.approver])
				w.author.Do(t, "POST", path+"/reset-factors", nil)
			},
			"the invitation": func(t *testing.T, w pairing, path string) { w.author.Do(t, "POST", path+"/invite", nil) },
		}
		for name, act := range reset {
			t.Run("the author resets "+name+" of the approver", func(t *testing.T) {
				w := pairUp(t, p)
				approval := w.propose(t, w.author)
				act(t, w, fmt.Sprintf("%s/users/%v", httpapi.Base, w.ids[w.approver]))
				requireFourEyes(t, decide(t, w.approver, approval, "approve", nil))
				requireFourEyes(t, decide(t, w.approver, approval, "reject", object{"reason": "mine"}))
				require.Equal(t, http.StatusOK, decide(t, w.admin, approval, "approve", nil).Status, "others decide")
			})
		}
		t.Run("the author creates the approver", func(t *testing.T) {
			w := pairUp(t, p)
			approval := w.propose(t, w.author)
			created(t, w.author, "/users", object{"username": "puppet", "password": "correct horse battery", "roles": []string{"admin"}})
			requireFourEyes(t, decide(t, w.author.As(t, "puppet"), approval, "approve", nil))
		})
		t.Run("the author resets a user, and as that user the approver", func(t *testing.T) {
			w := pairUp(t, p)
			approval := w.propose(t, w.author)
			path := httpapi.Base + "/users/%v/reset-password"
			w.author.Do(t, "POST", fmt.Sprintf(path, userIDOf(t, w.admin)), object{"password": "middle horse battery"})
			w.admin.Do(t, "POST", fmt.Sprintf(path, w.ids[w.approver]), object{"password": "another horse battery"})
			requireFourEyes(t, decide(t, w.approver, approval, "approve", nil))
		})
		t.Run("a reset before the request", func(t *testing.T) {
			w := pairUp(t, p)
			reset["the second factors"](t, w, fmt.Sprintf("%s/users/%v", httpapi.Base, w.ids[w.approver]))
			require.Equal(t, http.StatusOK, decide(t, w.approver, w.propose(t, w.author), "approve", nil).Status)
		})
		t.Run("the creator of the author's token approves", func(t *testing.T) {
			w := pairUp(t, p)
			borrowed := w.tokenFor(t, w.approver, w.author, "configs:write")
			approval := w.propose(t, borrowed)
			requireFourEyes(t, decide(t, w.approver, approval, "approve", nil))
			list := w.approver.Do(t, "GET", httpapi.Base+"/approvals?waitingFor=me", nil)
			require.Empty(t, list.JSON(t)["items"])
			require.Equal(t, http.StatusOK, decide(t, w.admin, approval, "approve", nil).Status)
		})
		t.Run("the creator of the requester's token approves the refund", func(t *testing.T) {
			w := pairUp(t, p)
			path := "/orders/" + newPaidOrder(t, w.admin)
			refund := created(t, w.tokenFor(t, w.approver, w.author, "refunds:write"), path+"/refunds", object{"amount": 1, "reason": "late"})
			approve := fmt.Sprintf("%s/refunds/%v/approve", httpapi.Base, refund["id"])
			requireFourEyes(t, w.approver.Do(t, "POST", approve, nil))
			requireFourEyes(t, w.author.Do(t, "POST", approve, nil))
			require.Equal(t, http.StatusOK, w.admin.Do(t, "POST", approve, nil).Status)
		})
		t.Run("one person votes with two accounts", func(t *testing.T) {
			w := pairUp(t, p)
			w.exec(t, "UPDATE tenant_settings SET approvals_required = 2 WHERE tenant_id = (SELECT id FROM tenants WHERE name = ?)", w.admin.Tenant)
			approval := w.propose(t, w.author)
			require.NoError(t, service().SetPassword(t.Context(), w.admin.Tenant, w.names[w.approver], "command line horse"))
			voted := decide(t, w.approver, approval, "approve", nil)
			require.Equal(t, http.StatusOK, voted.Status, "%s: a reset by the command line is of no user", voted.Body)
			require.Equal(t, "pending", voted.JSON(t)["status"])
			w.approver.Do(t, "POST", fmt.Sprintf("%s/users/%v/invite", httpapi.Base, userIDOf(t, w.admin)), nil)
			requireFourEyes(t, decide(t, w.admin, voted.JSON(t), "approve", nil))
		})
	})
}

func userIDOf(t *testing.T, c *apptest.Caller) int64 {
	t.Helper()
	return int64(c.Do(t, "GET", httpapi.Base+"/me", nil).JSON(t)["id"].(float64))
}

// Proves G8.10.
func TestVotesAndAuditRowsNameTheTokenAndItsCreator(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairUp(t, p)
		approval := w.propose(t, w.author)
		voter := created(t, w.approver, "/tokens", object{"name": "voter"})
		caller := *w.approver
		caller.Token = voter["token"].(string)
		voted := decide(t, &caller, approval, "approve", nil)
		require.Equal(t, http.StatusOK, voted.Status, "%s", voted.Body)
		named := object{"id": voter["id"], "createdBy": object{"id": w.ids[w.approver], "name": w.names[w.approver]}}
		require.Equal(t, named, voted.JSON(t)["votes"].([]any)[0].(object)["token"])

		borrowed := w.tokenFor(t, w.approver, w.author, "configs:write")
		key := newConfig(t, borrowed)
		entry := w.admin.Do(t, "GET", httpapi.Base+"/audit-log?resource=configs/"+key, nil).JSON(t)["items"].([]any)[0].(object)
		require.Equal(t, w.ids[w.author], entry["actor"].(object)["id"])
		require.Equal(t, w.ids[w.approver], entry["token"].(object)["createdBy"].(object)["id"])
	})
}
