package access

import (
	"context"
	"net/http"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers this domain's routes.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	session := r.About(httpapi.Resource{Tag: "Session", Example: sessionExample})
	h.sessionRoutes(session)
	h.meRoutes(session)
	h.factorRoutes(session)
	h.linkRoutes(session)
	h.singleSignOnRoutes(r)
	h.userRoutes(r)
	h.roleRoutes(r)
	h.menuRoutes(r)
	h.tokenRoutes(r)
	h.settingsRoutes(r)
}

func (h handler) sessionRoutes(r *httpapi.Router) {
	const signedIn = "Signed in. The reply sets the cookie."
	httpapi.Open(r, http.MethodPost, "/session", h.signIn).
		Doc("Sign in", "Opens a session for the web admin: sets the session cookie (HttpOnly, SameSite=Strict, Secure over TLS) and returns the CSRF token, "+
			"which each unsafe request of the session must send as `X-CSRF-Token`. Programs use API tokens instead.\n\n"+
			"For a user with a second factor, the reply is 202 with a challenge; `POST /session/factor` with the challenge opens the session. "+
			"The challenge expires after five minutes, and is void when the password changes or the user is disabled. "+
			"For a user with a passkey, it contains the browser's options for using the passkey.\n\n"+
			"Wrong passwords and unknown users return the same 401. After five failures for one account from one network (an IPv4 address, "+
			"or the first 64 bits of an IPv6 address) within 15 minutes, or fifty from all networks together, the reply is 429 `too_many_attempts` "+
			"for any password; wait `Retry-After` seconds. A sign-in sets a second cookie, which identifies the browser to the account for 90 days "+
			"or until the password changes. The failures of such a browser are counted separately, with a limit of five, so that failures of other clients "+
			"do not lock it out. If one network or all networks together send too many attempts, the reply is 429 `rate_limited`, "+
			"before any password is compared or counted.\n\n"+
			"The body is JSON of at most 16 KiB with `Content-Type: application/json`. Requests from a page of another site or origin are rejected.").
		With(httpapi.Contract{
			ID: "signIn", Success: signedIn, Otherwise: "The password is correct; a second factor is required. The reply sets no cookie.",
			Body: map[string]any{"username": "admin", "password": "nine green bottles standing"}, Responses: arrivalErrors("InvalidCredentials"),
		})
	httpapi.Open(r, http.MethodPost, "/session/factor", h.finishSignIn).
		Doc("Sign in with a second factor", "Completes a sign-in that returned 202. The challenge opens one session, and each code is accepted once. "+
			"A wrong code or a passkey that cannot be verified returns 401 `invalid_credentials` and counts as a wrong password; the challenge stays valid. "+
			"A challenge that was used, expired or voided returns 401 `unauthenticated`: start again with the password. "+
			"A passkey with a counter that decreased may have been copied: it is rejected, and the audit log records the rejection.").
		With(httpapi.Contract{
			ID: "finishSignIn", Success: signedIn, Responses: arrivalErrors("FactorRefused"),
			Body: map[string]any{"challenge": exampleSecret, "method": "totp", "code": "492039"},
		})
	httpapi.Open(r, http.MethodPost, "/session/invitation", h.acceptInvitation).
		Doc("Accept an invitation", "Sets the password that the invited user chose, ends the invitation and opens a session, in one transaction; "+
			"of several concurrent requests one succeeds. For a user with a second factor, the reply is 202 with a challenge, as at sign-in.\n\n"+
			"An invitation that was accepted, replaced or expired, that belongs to a disabled user, or that does not exist returns 401 `invalid_credentials`. "+
			"The rate limit of sign-ins applies to invalid invitations, by network. A rejected password leaves the invitation unchanged. "+
			"Requests from a page of another site or origin are rejected.").
		With(httpapi.Contract{
			ID: "acceptInvitation", Success: signedIn, Otherwise: "The password is set; a second factor is required. The reply sets no cookie.",
			Body: acceptanceBody{exampleSecret, "nine green bottles standing"}, Responses: arrivalErrors("InvitationRefused"),
		})
	httpapi.Open(r, http.MethodPost, "/session/invitation/check", h.checkInvitation).
		Doc("Get an invitation's user", "Returns the user of the invitation, and changes nothing. Invalid invitations are rejected as at acceptance.").
		With(httpapi.Contract{
			ID: "checkInvitation", Success: "The invited user.", Body: shownInvitationBody{exampleSecret}, Responses: arrivalErrors("InvitationRefused"),
		})
	httpapi.Act(r, http.MethodPost, "/session/step-up", "", h.stepUp).
		Doc("Verify the second factor again", "Operations and parameters with `x-step-up` return 403 `step_up_required` if the user of the session has a second factor "+
			"that was not verified within the last five minutes. After this operation the same request can be repeated with the same idempotency key. "+
			"The session receives a new cookie and a new CSRF token, and the old ones become invalid; its expiry does not change. "+
			"A wrong code or a passkey that cannot be verified counts as a wrong password. A passkey signs the challenge of `POST /session/step-up/challenge`. "+
			"Requires a session; 403 for an API token.").
		With(httpapi.Contract{
			ID: "stepUp", Success: "The current session. The reply sets the cookie.", Body: map[string]any{"method": "totp", "code": "492039"},
			Responses: map[string]string{"401": "FactorRefused", "429": "TooManyAttempts"},
		})
	httpapi.Act(r, http.MethodPost, "/session/step-up/challenge", "", h.beginStepUp).
		Doc("Create a step-up challenge", "Returns the second factors of the session's user, and the browser's options for using a passkey. "+
			"The challenge is valid for five minutes and one `POST /session/step-up` of this session; codes need no challenge. "+
			"A session has at most ten challenges. 422 for a user without a second factor; 403 for an API token.").
		With(httpapi.Contract{ID: "beginStepUp", Success: "The challenge.", Responses: map[string]string{"422": "ValidationFailed"}})
	httpapi.Get(r, "/session", "", h.session).
		Doc("Get the current session", "Returns the caller's user and permissions, the tenant, the currency of all amounts with its decimals, and the CSRF token "+
			"of the session. A page reads it after a reload. For an API token `csrfToken` is empty, because tokens need none.").
		With(httpapi.Contract{ID: "getSession", Success: "The caller."})
	httpapi.Mutation(r, http.MethodDelete, "/session", "", h.signOut).
		Doc("Sign out", "Ends the session on the server and clears the cookie. Copies of the cookie become invalid. Returns 401 for an API token, which has no session.").
		With(httpapi.Contract{ID: "signOut", Responses: map[string]string{"204": "SignedOut"}})
	httpapi.Get(r, "/permissions", ReadPermission, h.permissions).
		Doc("List permissions", "All permissions that a role or a token can have. A grant is one of these names, `<resource>:*`, or `*`.").
		With(httpapi.Contract{Success: "All permissions on one page."})
}

// exampleSecret is a secret in examples.
const exampleSecret = "9yA1oWmS0kG3x5uQ2bL7c4dN6eR8tV0wXzJhPqYiF1M"

// arrivalErrors are the error responses of the routes on which callers sign in.
func arrivalErrors(unauthenticated string) map[string]string {
	return map[string]string{"401": unauthenticated, "403": "CrossSite", "429": "TooManyAttempts"}
}

// Reasons to reject a change of users or roles.
var (
	noManager    = httpapi.Rejection{Code: apperr.InUse, Cause: "no enabled user who can sign in would have `access:*`; grant it to another user first"}
	onlySignIn   = httpapi.Rejection{Code: apperr.InUse, Cause: "it is the only sign-in method of a user without a password, or no enabled user who can sign in would have `access:*`"}
	usernameUsed = httpapi.Rejection{Code: apperr.AlreadyExists, Cause: "another user has this username"}
	roleNameUsed = httpapi.Rejection{Code: apperr.AlreadyExists, Cause: "another role has this name"}
)

func (h handler) userRoutes(r *httpapi.Router) {
	r = r.About(httpapi.Resource{Tag: "Access", Noun: "user", Example: userExample})
	fresh := r.SteppedUp()
	byID := httpapi.Numbered("user", h.service.User)
	httpapi.Get(r, "/users", ReadUsersPermission, h.users).
		Doc("List users", "").With(httpapi.Contract{Sorts: userSorts})
	httpapi.Mutation(fresh, http.MethodPost, "/users", writeUsersPermission, h.createUser).
		Doc("Create a user", "403 if the roles contain a permission that you lack. The roles must exist. A user without a password is invited to choose one: "+
			"the reply contains an `invitation`, once, which is valid for seven days and one acceptance. A repeat with the same idempotency key returns "+
			"the same user, with `secretShownOnce` instead of the token and path of the invitation; `POST /users/{id}/invite` then creates another invitation.").
		With(httpapi.Contract{
			Body:       map[string]any{"username": "li", "displayName": "Li Wei", "roles": []string{"support"}},
			Rejections: []httpapi.Rejection{{Code: apperr.AlreadyExists}},
		})
	httpapi.GetOf(r, "/users/:id", ReadUsersPermission, byID, h.user).Doc("Get a user", "")
	httpapi.MutationOf(fresh, http.MethodPatch, "/users/:id", writeUsersPermission, byID, h.editUser).
		Doc("Update a user", "`roles` is a set: an array replaces it, and `{\"add\":[…],\"remove\":[…]}` adds and removes the names listed. "+
			"Edits of one set conflict only if they contain the same name; conflicts and `merged` report it as `/roles/<name>`. "+
			"With `?merge=disjoint` two admins who grant different roles both succeed.\n\n"+
			"403 if a granted role has a permission that you lack, and for a user with a permission that you lack.").
		With(httpapi.Contract{
			Body:       map[string]any{"displayName": "Li", "roles": map[string]any{"add": []string{"approver"}, "remove": []string{}}},
			Rejections: []httpapi.Rejection{noManager, usernameUsed},
		})
	httpapi.GetOf(r, "/users/:id/history", ReadUsersPermission, byID, h.userHistory).
		Doc("List the versions of a user", "The newest first. Every version is retained, without the password.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/disable", writeUsersPermission, byID, h.disableUser).
		Doc("Disable a user", "The user's sessions, tokens and event streams end within a second, on every server. A user who is already disabled is unchanged.").
		With(httpapi.Contract{Rejections: []httpapi.Rejection{noManager}})
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/enable", writeUsersPermission, byID, h.enableUser).
		Doc("Enable a user", "403 for a user with a permission that you lack. Tokens that were not revoked become valid again; sessions do not.")
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/reset-password", writeUsersPermission, byID, h.resetPassword).
		Doc("Reset a user's password", "Ends the user's sessions and lifts a lock-out; with `endTokens` revokes the user's API tokens. "+
			"Ends the credentials added since the previous invitation or reset, like `POST /users/{id}/invite`. 403 for a user with a permission that you lack.").
		With(httpapi.Contract{ID: "resetUserPassword", Body: map[string]any{"password": "nine green bottles standing"}})
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/invite", writeUsersPermission, byID, h.inviteUser).
		Doc("Invite a user", "Voids the user's password, all links and any earlier invitation, ends the user's sessions, and creates an invitation, "+
			"which only this reply contains: only the user will know the new password. It is valid for seven days and one acceptance "+
			"(`POST /session/invitation`). It ends the credentials added since the user's previous invitation or reset, because an impostor can have added them: "+
			"API tokens that the user created, and second factors. The reply and the audit log count them. Earlier credentials remain; all of them remain "+
			"if there was no earlier invitation or reset. 403 for a user with a permission that you lack. A repeat with the same idempotency key returns "+
			"`secretShownOnce` instead of the token and path of the invitation; then invite again with another key.").
		With(httpapi.Contract{Rejections: []httpapi.Rejection{noManager}})
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/reset-factors", writeUsersPermission, byID, h.resetFactors).
		Doc("Delete a user's second factors", "For a user who lost the factors. Deletes the recovery codes too, and ends the user's sessions. "+
			"A user without factors is unchanged. 403 for a user with a permission that you lack.").
		With(httpapi.Contract{ID: "resetUserFactors"})
	httpapi.GetOf(r, "/users/:id/links", ReadUsersPermission, byID, h.links).
		Doc("List a user's sign-on links", "").With(httpapi.Contract{Success: allLinks})
	httpapi.MutationOf(fresh, http.MethodDelete, "/users/:id/links/:linkId", writeUsersPermission, byID, h.removeLink).
		Doc("Delete a user's sign-on link", "Ends the user's sessions. Disable or invite a user instead of deleting the only sign-in method.").
		With(httpapi.Contract{ID: "deleteUserLink", Rejections: []httpapi.Rejection{onlySignIn}})
}

func (h handler) roleRoutes(r *httpapi.Router) {
	r = r.About(httpapi.Resource{Tag: "Access", Noun: "role", Example: roleExample})
	fresh := r.SteppedUp()
	byID := httpapi.Numbered("role", h.service.Role)
	httpapi.Get(r, "/roles", ReadPermission, h.roles).
		Doc("List roles", "").With(httpapi.Contract{Sorts: roleSorts})
	httpapi.Mutation(fresh, http.MethodPost, "/roles", writePermission, h.createRole).
		Doc("Create a role", "`permissions` contains names of `GET /permissions`, `<resource>:*` or `*`. 403 for a permission that you lack.").
		With(httpapi.Contract{Body: roleCreate{"support", []string{"orders:*", "coupons:read"}}, Rejections: []httpapi.Rejection{{Code: apperr.AlreadyExists}}})
	httpapi.GetOf(r, "/roles/:id", ReadPermission, byID, h.role).Doc("Get a role", "")
	httpapi.MutationOf(fresh, http.MethodPatch, "/roles/:id", writePermission, byID, h.editRole).
		Doc("Update a role", "`permissions` is a set: an array replaces it, and `{\"add\":[…],\"remove\":[…]}` adds and removes the names listed. "+
			"Edits of one set conflict only if they contain the same name; conflicts and `merged` report it as `/permissions/<name>`. "+
			"With `?merge=disjoint` two admins who add different permissions both succeed. The change applies to the users with the role within a second, "+
			"on every server. 403 if you lack an added permission.").
		With(httpapi.Contract{
			Body:       map[string]any{"permissions": map[string]any{"add": []string{"configs:read"}, "remove": []string{}}},
			Rejections: []httpapi.Rejection{noManager, roleNameUsed},
		})
	httpapi.MutationOf(fresh, http.MethodDelete, "/roles/:id", writePermission, byID, h.deleteRole).
		Doc("Delete a role", "409 `in_use` while a user has the role.").With(httpapi.Contract{Rejections: []httpapi.Rejection{{Code: apperr.InUse}}})
	httpapi.GetOf(r, "/roles/:id/history", ReadPermission, byID, h.roleHistory).
		Doc("List the versions of a role", "The newest first. Every version is retained.").With(httpapi.Contract{Sorts: change.HistorySorts})
}

func (h handler) tokenRoutes(r *httpapi.Router) {
	r = r.About(httpapi.Resource{Tag: "Access", Noun: "token", Example: tokenExample})
	fresh := r.SteppedUp()
	byID := httpapi.Numbered("token", h.service.Token)
	httpapi.Get(r, "/tokens", readTokensPermission, h.tokens).
		Doc("List API tokens", "Returns the caller's tokens, and with `users:write` those of all users. The secret of a token is never returned again.").
		With(httpapi.Contract{Sorts: tokenSorts})
	httpapi.Mutation(fresh, http.MethodPost, "/tokens", makeTokensPermission, h.createToken).
		Doc("Create an API token", "`token` in the reply is the secret; it is returned once and stored only as a digest. The token acts as its user "+
			"(`userId`, or else the caller), with the permissions that both its scopes and its user's roles allow at the time of each request. "+
			"Without `scopes` it has all permissions of its user; an empty list is rejected, because it would grant all permissions. "+
			"It expires at `expiresTime`, by default after 90 days.\n\n"+
			"A token of another user needs `scopes`, which both you and that user have, and none of them a permission that decides on requests of others "+
			"(`decides` in `GET /permissions`): 422. You are its `createdBy`: where two users have to agree, the token counts as yours too. "+
			"Such a token cannot create tokens: 403.\n\n"+
			"403 for a token of another user without `users:write`, and for a token with a permission that you lack. A repeat with the same idempotency key "+
			"returns the same token with `secretShownOnce` instead of the secret; then revoke it, and create another one with another key.").
		With(httpapi.Contract{Body: map[string]any{"name": "till", "scopes": []string{"orders:*"}}, MayMiss: true})
	httpapi.GetOf(r, "/tokens/:id", readTokensPermission, byID, h.token).
		Doc("Get an API token", "Returns the token without its secret. A token of another user returns 404 without `users:write`.")
	httpapi.MutationOf(fresh, http.MethodDelete, "/tokens/:id", makeTokensPermission, byID, h.deleteToken).
		Doc("Revoke an API token", "The token becomes invalid and its event streams end, within a second on every server. The audit log retains a record of it.").
		With(httpapi.Contract{ID: "revokeToken"})
}

type handler struct{ service *Service }

// sessionCredential is the session token in the request's cookie.
type sessionCredential struct {
	PlainSession string `cookie:"interlock_session"`
	HostSession  string `cookie:"__Host-interlock_session"`
	Secure       httpapi.Secure
}

// token returns the session token, "" without one.
func (c sessionCredential) token() string {
	return sessionToken(c.Secure, c.PlainSession, c.HostSession)
}

func sessionToken(secure httpapi.Secure, plain, host string) string {
	if secure {
		return host
	}
	return plain
}

// cookie returns the session cookie, Secure if the connection is TLS. It ends with the browser;
// the expiry of the session is stored with the session. A maxAge of -1 deletes it.
func (c sessionCredential) cookie(token string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: nameOfSessionCookie(bool(c.Secure)), Value: token, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: bool(c.Secure),
	}
}

// Names of the device cookie, without and with TLS. Browsers accept a __Host- cookie from no
// other host and no insecure page (RFC 6265bis, 4.1.3.2).
const (
	deviceCookie     = "interlock_device"
	hostDeviceCookie = "__Host-" + deviceCookie
)

// deviceCredential is the cookie of a known device; see devices.
type deviceCredential struct {
	Plain string `cookie:"interlock_device"`
	Host  string `cookie:"__Host-interlock_device"`
}

func (d deviceCredential) shown(secure httpapi.Secure) string {
	if secure {
		return d.Host
	}
	return d.Plain
}

// rememberDevice returns the device cookie, which outlives the session and the browser.
func rememberDevice(value string, secure httpapi.Secure) *http.Cookie {
	name := deviceCookie
	if secure {
		name = hostDeviceCookie
	}
	return &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(deviceLifetime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: bool(secure),
	}
}

type signInRequest struct {
	sessionCredential
	deviceCredential
	arrivingPage
	Agent   string `header:"User-Agent"`
	HTTP    *http.Request
	Address httpapi.Address
	Body    credentialsBody
}

type credentialsBody struct {
	Username string `json:"username" validate:"required,max=64"`
	Password string `json:"password" validate:"required,max=1024"`
	// The user's tenant; absent or empty for the default one.
	Tenant string `json:"tenant" validate:"max=63"`
}

// signInReply is the reply to a sign-in that started a session.
type signInReply = httpapi.WithCookies[httpapi.Created[sessionView]]

// arrivalReply is a session or, if a second factor is required, a challenge.
type arrivalReply = httpapi.Either[signInReply, httpapi.Accepted[challengeView]]

func (h handler) signIn(ctx context.Context, in signInRequest) (arrivalReply, error) {
	if err := in.arrivingPage.check(in.HTTP); err != nil {
		return arrivalReply{}, err
	}
	signedIn, err := h.service.SignIn(ctx, SignIn{
		Tenant: in.Body.Tenant, Username: in.Body.Username, Password: in.Body.Password,
		Replaces: in.token(), Address: string(in.Address), UserAgent: in.Agent, Device: in.shown(in.Secure),
	})
	if err != nil {
		return arrivalReply{}, err
	}
	return h.answered(in.sessionCredential, signedIn), nil
}

// answered is the reply for a started session or a challenge.
func (h handler) answered(c sessionCredential, signedIn SignedIn) arrivalReply {
	if challenge := signedIn.Challenge; challenge != nil {
		return arrivalReply{Second: &httpapi.Accepted[challengeView]{Location: "/session/factor", Body: challengeViewOf(*challenge)}}
	}
	begun := h.begun(c, signedIn)
	return arrivalReply{First: &begun}
}

// begun is the reply for a started session.
func (h handler) begun(c sessionCredential, signedIn SignedIn) signInReply {
	reply := signInReply{
		Out:     httpapi.Created[sessionView]{Location: "/session", Body: sessionViewOf(signedIn.Session)},
		Cookies: []*http.Cookie{c.cookie(signedIn.Token, 0)},
	}
	if signedIn.Device != "" {
		reply.Cookies = append(reply.Cookies, rememberDevice(signedIn.Device, c.Secure))
	}
	return reply
}

type sessionRequest struct{ sessionCredential }

func (h handler) session(ctx context.Context, in sessionRequest) (sessionView, error) {
	session, err := h.service.Current(ctx, in.token())
	return sessionViewOf(session), err
}

type signOutReply = httpapi.WithCookies[httpapi.None]

func (h handler) signOut(ctx context.Context, u *uow.Unit, in sessionRequest) (signOutReply, error) {
	caller, _ := principal.From(ctx)
	if in.token() == "" || caller.Kind != principal.Admin {
		return signOutReply{}, apperr.New(apperr.Unauthenticated, "There is no session to end: you called with an API token.")
	}
	if err := h.service.SignOut(ctx, u, in.token()); err != nil {
		return signOutReply{}, err
	}
	return signOutReply{Cookies: []*http.Cookie{in.cookie("", -1)}, ClearCache: true}, nil
}

type permissionView struct{ principal.Grant }

func (h handler) permissions(context.Context, httpapi.None) (httpapi.List[permissionView], error) {
	list := httpapi.List[permissionView]{TotalIsExact: true}
	for _, grant := range h.service.Catalogue() {
		list.Items = append(list.Items, permissionView{grant})
	}
	list.Total = int64(len(list.Items))
	return list, nil
}
