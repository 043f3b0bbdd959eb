package access

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/callers"
	"interlock/internal/access/users"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
)

func TestLinkRequiresProofOfIdentity(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		v, elsewhere := h.visitor(t), h.visitor(t)
		v.signInByPassword("admin", adminPassword)
		elsewhere.signInByPassword("admin", adminPassword)
		for _, body := range []string{`{"provider":"corp"}`, `{"provider":"corp","password":"wrong"}`, `{"provider":"other","password":"` + adminPassword + `"}`} {
			v.do(422, "POST", "/me/links", body)
		}
		require.Zero(t, h.waiting(t))
		csrf := v.csrf
		v.csrf = ""
		v.do(403, "POST", "/me/links", `{"provider":"corp"}`)
		v.csrf = csrf
		newDesk(t, h.fixture).do(403, "POST", "/me/links", `{"provider":"corp"}`)

		require.Equal(t, "linked", v.link("subject-1").Get("result"))
		require.True(t, v.isSignedIn())
		require.False(t, elsewhere.isSignedIn(), "a new link ends the user's other sessions")
		require.Equal(t, "linked", v.link("subject-1").Get("result"), "to be linked twice is to be linked")
		require.EqualValues(t, 1, h.count(t, &users.Link{}))

		// A session that has ended cannot add a link.
		begun := v.do(200, "POST", "/me/links", fmt.Sprintf(`{"provider":"corp","password":%q}`, adminPassword))
		callback := v.leave(begun.body["location"].(string), "subject-2")
		v.do(204, "DELETE", "/session", "")
		failed(t, "over", v.arrive(callback))
		require.EqualValues(t, 1, h.count(t, &users.Link{}))
	})
}

func TestProviderAccountBelongsToOneUser(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		h.linkedAdmin(t, "subject-1")
		_, err := h.Users.CreateUser(anonymous(t), users.UserSpec{Tenant: h.tenant.Name, Username: "li", Password: adminPassword})
		require.NoError(t, err)
		v := h.visitor(t)
		v.signInByPassword("li", adminPassword)
		failed(t, "linked_elsewhere", v.link("subject-1"))
		require.True(t, v.isSignedIn())
		for i := range users.MaxLinks {
			require.Equal(t, "linked", v.link(fmt.Sprint("of-li-", i)).Get("result"))
		}
		v.do(422, "POST", "/me/links", fmt.Sprintf(`{"provider":"corp","password":%q}`, adminPassword))

		// Of two concurrent links of one identity, one succeeds; both flows started before.
		_, err = h.Users.CreateUser(anonymous(t), users.UserSpec{Tenant: h.tenant.Name, Username: "chen", Password: adminPassword})
		require.NoError(t, err)
		_, err = h.Users.CreateUser(anonymous(t), users.UserSpec{Tenant: h.tenant.Name, Username: "wu", Password: adminPassword})
		require.NoError(t, err)
		told := make([]url.Values, 2)
		var together sync.WaitGroup
		for i, username := range []string{"chen", "wu"} {
			one := h.visitor(t)
			one.signInByPassword(username, adminPassword)
			begun := one.do(200, "POST", "/me/links", fmt.Sprintf(`{"provider":"corp","password":%q}`, adminPassword))
			callback := one.leave(begun.body["location"].(string), "contested")
			together.Go(func() { told[i] = one.arrive(callback) })
		}
		together.Wait()
		words := []string{told[0].Encode(), told[1].Encode()}
		slices.Sort(words)
		require.Contains(t, words[0], "failure=linked_elsewhere")
		require.Equal(t, "result=linked", words[1])
	})
}

func TestUserWithoutPasswordRetainsOneLink(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		user, invitation := h.invite(t, "li")
		v := h.visitor(t)
		reply := v.do(200, "POST", "/session/invitation/provider", fmt.Sprintf(`{"invitation":%q,"provider":"corp"}`, invitation.Token))
		require.Equal(t, "signed-in", v.arrive(v.leave(reply.body["location"].(string), "first")).Get("result"))
		v.csrf = v.do(200, "GET", "/session", "").body["csrfToken"].(string)
		links := func() []any { return v.do(200, "GET", "/me/links", "").body["items"].([]any) }
		pathOf := func(link any) string { return fmt.Sprintf("/me/links/%v", link.(map[string]any)["id"]) }

		refused := v.do(409, "DELETE", pathOf(links()[0]), "")
		require.Equal(t, "in_use", refused.body["code"])
		d := newDesk(t, h.fixture)
		of := fmt.Sprintf("/users/%d/links", user.ID)
		d.do(409, "DELETE", fmt.Sprintf("%s/%v", of, links()[0].(map[string]any)["id"]), nil)
		require.Len(t, links(), 1)

		// The user has no password, so the recent sign-in is the proof.
		reply = v.do(200, "POST", "/me/links", `{"provider":"corp"}`)
		require.Equal(t, "linked", v.arrive(v.leave(reply.body["location"].(string), "second")).Get("result"))
		h.clock.Advance(callers.StepUpFor + time.Second)
		v.do(422, "POST", "/me/links", `{"provider":"corp"}`)
		v.do(422, "POST", "/me/factors", `{"kind":"totp","name":"Phone"}`)
		v.do(422, "POST", "/me/password", `{"currentPassword":"x","newPassword":"a password of my own"}`)

		v.do(204, "DELETE", pathOf(links()[0]), "")
		require.True(t, v.isSignedIn())
		failed(t, "not_linked", h.visitor(t).signIn("first"))
		v.do(409, "DELETE", pathOf(links()[0]), "")
		v.do(404, "DELETE", "/me/links/999999999", "")

		// A user with a new invitation can sign in by it, and has no links.
		require.Len(t, d.do(200, "GET", of, nil).Body["items"], 1)
		_, invitation, err := h.Invite(h.inside(t), user, nil)
		require.NoError(t, err)
		require.Empty(t, d.do(200, "GET", of, nil).Body["items"])
		require.False(t, v.isSignedIn())
		_, err = h.CheckInvitation(anonymous(t), invitation.Token, someAddress())
		require.NoError(t, err)
	})
}

func TestLastManagerMayDependOnALink(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		d := newDesk(t, h.fixture)
		_, invitation := h.invite(t, "li", "admin")
		admin, err := h.Users.UserNamed(h.inside(t), "admin")
		require.NoError(t, err)
		path := fmt.Sprintf("/users/%d", admin.ID)
		tag := d.do(200, "GET", path, nil).Header.Get("ETag")
		d.do(409, "PATCH", path, `{"roles":[]}`, "If-Match", tag)

		v := h.visitor(t)
		reply := v.do(200, "POST", "/session/invitation/provider", fmt.Sprintf(`{"invitation":%q,"provider":"corp"}`, invitation.Token))
		require.Equal(t, "signed-in", v.arrive(v.leave(reply.body["location"].(string), "of-li")).Get("result"))
		providers := h.providers
		h.providers = nil
		d.do(409, "PATCH", path, `{"roles":[]}`, "If-Match", tag)
		h.providers = providers
		d.do(200, "PATCH", path, `{"roles":[]}`, "If-Match", tag)

		v.csrf = v.do(200, "GET", "/session", "").body["csrfToken"].(string)
		li := v.do(200, "GET", "/me", "").body["id"]
		require.Equal(t, http.StatusConflict, v.send("POST", httpapi.Base+fmt.Sprintf("/users/%v/disable", li), "").status)
	})
}
