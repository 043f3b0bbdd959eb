package access

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/callers"
	"interlock/internal/access/guesses"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/oidc"
	"interlock/internal/base/oidc/oidctest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

func TestLinkedUserSignsInByProvider(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		h.linkedAdmin(t, "subject-1")
		v := h.visitor(t)
		listed := v.do(200, "GET", "/session/providers", "").body
		require.Equal(t, []any{map[string]any{"name": "corp", "displayName": "Corp"}}, listed["items"])

		h.clock.Advance(time.Hour)
		require.Equal(t, url.Values{"result": {"signed-in"}}, v.signIn("subject-1"))
		journey, session := v.cookies[journeyCookie], v.cookies[sessions.Cookie]
		require.Equal(t, http.SameSiteLaxMode, journey.SameSite, "a page of another site sends the browser back")
		require.True(t, journey.HttpOnly)
		require.Equal(t, 600, journey.MaxAge)
		require.Equal(t, http.SameSiteStrictMode, session.SameSite)
		require.Nil(t, v.cookies[deviceCookie], "no password was presented")
		require.Equal(t, "admin", v.do(200, "GET", "/session", "").body["user"].(map[string]any)["username"])
		link := v.do(200, "GET", "/me/links", "").body["items"].([]any)[0].(map[string]any)
		require.Equal(t, "Corp", link["provider"])
		require.Equal(t, h.at.URL, link["issuer"])
		require.Equal(t, "subject-1", link["subject"])
		require.Equal(t, h.clock.Now().Format("2006-01-02T15:04:05.000000Z"), link["lastUsedTime"])
		require.Equal(t, []string{"tenant.create", "session.create", "user.link", "session.create"}, h.audited(t))
	})
}

// Proves G7.16.
func TestOneOfConcurrentCallbacksSignsIn(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		h.linkedAdmin(t, "subject-1")
		v := h.visitor(t)
		callback := v.leave(v.begin(), "subject-1")
		open, redeemed := h.count(t, &sessions.Session{}), h.at.Redeemed()
		var together sync.WaitGroup
		told := make([]string, 100)
		for i := range told {
			together.Go(func() {
				other := &visitor{sso: h, t: t, address: v.address, cookies: map[string]*http.Cookie{journeyCookie: v.cookies[journeyCookie]}}
				reply := other.send("GET", callback, "")
				told[i] = reply.header.Get("Location")
			})
		}
		together.Wait()
		slices.Sort(told)
		for _, location := range told[:99] {
			require.Contains(t, location, "failure=over")
		}
		require.Contains(t, told[99], "result=signed-in")
		require.Equal(t, open+1, h.count(t, &sessions.Session{}))
		require.Equal(t, redeemed+1, h.at.Redeemed(), "the provider is not queried twice")
	})
}

func TestCallbackIsValidOnceInItsBrowser(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		h.linkedAdmin(t, "subject-1")
		v := h.visitor(t)
		callback := v.leave(v.begin(), "subject-1")
		for name, other := range map[string]*visitor{"no cookie": h.visitor(t), "another cookie": h.visitor(t)} {
			if name == "another cookie" {
				other.begin()
			}
			failed(t, "over", other.arrive(callback))
			require.False(t, other.isSignedIn())
		}
		altered, err := url.Parse(callback)
		require.NoError(t, err)
		query := altered.Query()
		query.Set("state", secrets.New())
		altered.RawQuery = query.Encode()
		failed(t, "over", v.arrive(altered.String()))

		second := v.leave(v.begin(), "subject-1")
		require.Equal(t, "signed-in", v.arrive(callback).Get("result"), "other browsers and other tabs did not end it")
		require.Equal(t, "signed-in", v.arrive(second).Get("result"))
		failed(t, "over", v.arrive(callback))

		late := v.leave(v.begin(), "subject-1")
		h.clock.Advance(flowTime)
		failed(t, "over", v.arrive(late))
		v.begin()
		require.EqualValues(t, 3, h.waiting(t))
		h.clock.Advance(flowTime - time.Second)
		require.NoError(t, h.Sweep(anonymous(t), 1))
		require.EqualValues(t, 1, h.waiting(t), "ended flows are deleted")
	})
}

// waiting is the number of open flows in the fixture's tenant.
func (s *sso) waiting(t testing.TB) (n int64) {
	t.Helper()
	require.NoError(t, s.db.Read(t.Context()).Model(&flowRow{}).Where("tenant = ?", s.tenant.Name).Count(&n).Error)
	return n
}

func TestIdentityIsIssuerAndSubjectOnly(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		h.linkedAdmin(t, "Subject")
		h.at.Claims = func(claims map[string]any) {
			claims["email"], claims["email_verified"] = "admin@shop.example", true
			claims["preferred_username"], claims["name"] = "admin", "admin"
		}
		for _, subject := range []string{"admin", "subject", "Subject ", "Subject\x00", "Śubject"} {
			v := h.visitor(t)
			failed(t, "not_linked", v.signIn(subject))
			require.False(t, v.isSignedIn())
		}
		elsewhere := newSSO(t, db)
		failed(t, "not_linked", elsewhere.visitor(t).signIn("Subject"))

		// The same subject of another issuer is another identity.
		h.at = oidctest.New(t)
		h.at.Now = h.clock.Now
		h.providers[0].OIDC = oidc.New(oidc.Client{Issuer: h.at.URL, ID: oidctest.ClientID, Secret: oidctest.ClientSecret}, h.clock)
		failed(t, "not_linked", h.visitor(t).signIn("Subject"))
	})
}

func TestInvitationIsAcceptedByALink(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		_, invitation := h.invite(t, "li")
		shown := fmt.Sprintf(`{"invitation":%q,"provider":"corp"}`, invitation.Token)
		v, late := h.visitor(t), h.visitor(t)
		answers := []string{}
		for _, one := range []*visitor{v, late} {
			reply := one.do(200, "POST", "/session/invitation/provider", shown)
			answers = append(answers, one.leave(reply.body["location"].(string), "of-li"))
		}
		require.Equal(t, "signed-in", v.arrive(answers[0]).Get("result"))
		require.Equal(t, "li", v.do(200, "GET", "/session", "").body["user"].(map[string]any)["username"])
		require.Equal(t, false, v.do(200, "GET", "/me", "").body["hasPassword"])
		require.Equal(t, "failed", late.arrive(answers[1]).Get("failure"), "an invitation is good once")
		late.do(401, "POST", "/session/invitation/provider", shown)
		_, err := h.signIn(t, "li", "")
		requireCode(t, apperr.InvalidCredentials, err)
		require.Equal(t, "signed-in", late.signIn("of-li").Get("result"))
		require.Equal(t, []string{"tenant.create", "user.create", "user.accept", "session.create"}, h.audited(t))

		// An invitation that was replaced during the flow adds no link.
		user, invitation := h.invite(t, "chen")
		reply := v.do(200, "POST", "/session/invitation/provider", fmt.Sprintf(`{"invitation":%q,"provider":"corp"}`, invitation.Token))
		callback := v.leave(reply.body["location"].(string), "of-chen")
		_, _, err = h.Invite(h.inside(t), user, nil)
		require.NoError(t, err)
		require.NotEmpty(t, v.arrive(callback).Get("failure"))
		failed(t, "not_linked", v.signIn("of-chen"))
	})
}

func TestSecondFactorIsRequiredAfterProvider(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		h.linkedAdmin(t, "subject-1")
		e := enroll(t, h.fixture)
		v := h.visitor(t)
		told := v.signIn("subject-1")
		require.Equal(t, "totp,recovery", told.Get("methods"))
		require.Nil(t, v.cookies[sessions.Cookie])
		require.False(t, v.isSignedIn())
		finish := fmt.Sprintf(`{"challenge":%q,"method":"totp","code":%q}`, told.Get("challenge"), e.nextCode(t))
		v.csrf = v.do(201, "POST", "/session/factor", finish).body["csrfToken"].(string)
		require.True(t, v.isSignedIn())
		v.do(401, "POST", "/session/factor", finish)

		// A link that was removed during the flow opens nothing: its challenge was deleted too.
		waiting := h.visitor(t)
		told = waiting.signIn("subject-1")
		link := v.do(200, "GET", "/me/links", "").body["items"].([]any)[0].(map[string]any)
		v.do(204, "DELETE", fmt.Sprintf("/me/links/%v", link["id"]), "")
		waiting.do(401, "POST", "/session/factor", fmt.Sprintf(`{"challenge":%q,"method":"totp","code":%q}`, told.Get("challenge"), e.nextCode(t)))

		// Adding a link requires a step-up, and no password.
		v.csrf = v.do(200, "POST", "/session/step-up", fmt.Sprintf(`{"method":"recovery","code":%q}`, e.codes[0])).body["csrfToken"].(string)
		v.do(200, "POST", "/me/links", `{"provider":"corp"}`)
		h.clock.Advance(callers.StepUpFor)
		require.Equal(t, "step_up_required", v.do(403, "POST", "/me/links", `{"provider":"corp"}`).body["code"])
	})
}

func TestPasskeyIsRequiredAfterProvider(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		h.linkedAdmin(t, "subject-1")
		k := withPasskey(t, h.fixture)
		v := h.visitor(t)
		told := v.signIn("subject-1")
		require.Equal(t, "passkey,recovery", told.Get("methods"))
		require.False(t, v.isSignedIn())
		answer := k.key.Get(t, []byte(told.Get("passkey")))
		finish := fmt.Sprintf(`{"challenge":%q,"method":"passkey","credential":%s}`, told.Get("challenge"), answer)
		v.csrf = v.do(201, "POST", "/session/factor", finish).body["csrfToken"].(string)
		require.True(t, v.isSignedIn())
		v.do(401, "POST", "/session/factor", finish)
	})
}

func TestDisabledUserCannotSignInByProvider(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		var refusals []httpapi.Refusal
		h.refusals = func(r httpapi.Refusal) { refusals = append(refusals, r) }
		h.linkedAdmin(t, "subject-1")
		v := h.visitor(t)
		callback := v.leave(v.begin(), "subject-1")
		require.NoError(t, h.Users.SetUserDisabled(anonymous(t), h.tenant.Name, "admin", true))
		failed(t, "disabled", v.arrive(callback))
		require.False(t, v.isSignedIn())
		require.Equal(t, []httpapi.Refusal{{
			Tenant: h.tenant.Name, Action: httpapi.RefusedSignIn, Code: apperr.InvalidCredentials, Network: v.address, Who: "admin",
		}}, refusals, "the audit log records it like a wrong password")
	})
}

func TestFailedProviderDoesNotAffectPasswordSignIn(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		var refusals []httpapi.Refusal
		h.refusals = func(r httpapi.Refusal) { refusals = append(refusals, r) }
		h.linkedAdmin(t, "subject-1")
		open := h.count(t, &sessions.Session{})
		wrong := map[string]func(){
			"refused": func() { h.at.Claims = func(claims map[string]any) { claims["nonce"] = "another" } },
			"clock": func() {
				h.at.Claims = func(claims map[string]any) { claims["exp"] = h.clock.Now().Add(-2 * time.Minute).Unix() }
			},
			"cancelled": func() {
				h.at.Answer = func(v url.Values) { v.Del("code"); v.Set("error", "access_denied") }
			},
			"unavailable": func() {
				h.at.Before = func(w http.ResponseWriter, r *http.Request) bool {
					w.WriteHeader(http.StatusServiceUnavailable)
					return true
				}
			},
		}
		for reason, spoil := range wrong {
			v := h.visitor(t)
			location := v.begin()
			h.at.Claims, h.at.Answer, h.at.Before = nil, nil, nil
			spoil()
			failed(t, reason, v.arrive(v.leave(location, "subject-1")))
			require.False(t, v.isSignedIn())
			h.at.Claims, h.at.Answer, h.at.Before = nil, nil, nil
		}
		require.Equal(t, open, h.count(t, &sessions.Session{}))
		require.Len(t, refusals, 3, "an unavailable provider rejects no user")

		h.at.Close()
		h.clock.Advance(2 * time.Hour)
		h.providers[0].OIDC = oidc.New(oidc.Client{Issuer: h.at.URL, ID: oidctest.ClientID}, h.clock)
		v := h.visitor(t)
		failed(t, "unavailable", redirectParameters(t, v.send("GET", httpapi.Base+"/session/oidc/corp?tenant="+h.tenant.Name, "")))
		v.signInByPassword("admin", adminPassword)
		v.do(503, "POST", "/me/links", fmt.Sprintf(`{"provider":"corp","password":%q}`, adminPassword))
	})
}

func TestProviderSignInEndsThePreviousSession(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		v := h.linkedAdmin(t, "subject-1")
		before := v.cookies[sessions.Cookie].Value
		require.Equal(t, "signed-in", v.signIn("subject-1").Get("result"))
		require.NotEqual(t, before, v.cookies[sessions.Cookie].Value)
		require.EqualValues(t, 1, h.count(t, &sessions.Session{}))
	})
}

func TestSingleSignOnStartRevealsNoTenants(t *testing.T) {
	h := newSSO(t, storagetest.SQLite(t))
	h.signIns.Rate = guesses.NetworkRate(20)
	v := h.visitor(t)
	begin := func(tenant string, header ...string) answer {
		return v.send("GET", httpapi.Base+"/session/oidc/corp?tenant="+tenant, "", header...)
	}
	for _, tenant := range []string{"nowhere", h.tenant.Name} {
		require.True(t, strings.HasPrefix(begin(tenant).header.Get("Location"), h.at.URL), "as where there is one")
	}
	failed(t, "not_linked", v.arrive(v.leave(begin("nowhere").header.Get("Location"), "subject-1")))
	failed(t, "not_linked", redirectParameters(t, begin(strings.Repeat("x", 64))))
	failed(t, "failed", redirectParameters(t, begin(h.tenant.Name, "Sec-Fetch-Site", "cross-site")))
	require.Equal(t, http.StatusNotFound, v.send("GET", httpapi.Base+"/session/oidc/other", "").status)
	require.Equal(t, http.StatusBadRequest, v.send("GET", httpapi.Base+"/session/oidc/corp/callback?state=a&state=b", "").status)
	h.providers[0].Tenant = "another"
	failed(t, "not_linked", redirectParameters(t, begin(h.tenant.Name)))
	require.Empty(t, v.do(200, "GET", "/session/providers?tenant="+h.tenant.Name, "").body["items"])
	h.providers[0].Tenant = ""

	before := h.waiting(t)
	for range 60 {
		begin(h.tenant.Name)
	}
	failed(t, "too_many", redirectParameters(t, begin(h.tenant.Name)))
	require.Less(t, h.waiting(t)-before, int64(61), "too many sign-ins store nothing")
}

func TestCallbackURLIsNotChosenByClients(t *testing.T) {
	h := newSSO(t, storagetest.SQLite(t))
	callback := func(host string, secure bool) string {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		to, err := h.CallbackURL(r, secure, "corp")
		if err != nil {
			requireCode(t, apperr.Unavailable, err)
		}
		return to
	}
	const path = "/api/v1/session/oidc/corp/callback"
	require.Equal(t, "http://127.0.0.1:8080"+path, callback("127.0.0.1:8080", false))
	require.Equal(t, "https://[::1]:8443"+path, callback("[::1]:8443", true))
	require.Empty(t, callback("evil.example", true))
	h.publicURL = "https://admin.example/"
	require.Equal(t, "https://admin.example"+path, callback("evil.example", false))
}

func TestProviderSignInDuringRevocationOpensNoSession(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newSSO(t, db)
		h.linkedAdmin(t, "subject-1")
		ctx := h.inside(t)
		user, err := h.Users.UserNamed(ctx, "admin")
		require.NoError(t, err)
		link, err := users.LinkTo(db.Read(ctx), h.at.URL, "subject-1")
		require.NoError(t, err)
		require.NoError(t, h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error { return h.Users.RemoveLink(ctx, u, user, link.ID, "") }))
		a := verifiedResponse{by: Traveller{Address: someAddress()}, flow: flowRow{Tenant: h.tenant.Name}, issuer: h.at.URL}
		_, err = h.signInLinked(ctx, a, *user, link)
		require.Equal(t, "not_linked", reasonOf(err))
		require.Zero(t, h.count(t, &sessions.Session{}))
	})
}
