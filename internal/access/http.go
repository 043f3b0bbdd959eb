package access

import (
	"context"
	"net/http"

	"interlock/internal/access/guesses"
	"interlock/internal/access/menus"
	"interlock/internal/access/sessions"
	"interlock/internal/access/tenantsettings"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers this domain's routes.
func Routes(r *httpapi.Router, s *Service) {
	if s == nil {
		// The generator of the contract registers routes without a running program.
		s = &Service{}
	}
	h := handler{s}
	// These replies contain tokens next to text of the caller.
	secret := r.Uncompressed()
	session := secret.About(httpapi.Resource{Tag: "Session", Example: sessionExample})
	h.sessionRoutes(session)
	h.meRoutes(session)
	h.factorRoutes(session)
	h.linkRoutes(session)
	h.singleSignOnRoutes(secret)
	users.Routes(r, s.Users)
	h.userLinkRoutes(secret)
	menus.Routes(r, s.Menus)
	tenantsettings.Routes(secret, s.Settings)
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
			Body: map[string]any{"username": "admin", "password": "nine green bottles standing"}, Responses: signInErrors("InvalidCredentials"),
		})
	httpapi.Open(r, http.MethodPost, "/session/factor", h.finishSignIn).
		Doc("Sign in with a second factor", "Completes a sign-in that returned 202. The challenge opens one session, and each code is accepted once. "+
			"A wrong code or a passkey that cannot be verified returns 401 `invalid_credentials` and counts as a wrong password; the challenge stays valid. "+
			"A challenge that was used, expired or voided returns 401 `unauthenticated`: start again with the password. "+
			"A passkey with a counter that decreased may have been copied: it is rejected, and the audit log records the rejection.").
		With(httpapi.Contract{
			ID: "finishSignIn", Success: signedIn, Responses: signInErrors("FactorRefused"),
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
			Body: acceptanceBody{exampleSecret, "nine green bottles standing"}, Responses: signInErrors("InvitationRefused"),
		})
	httpapi.Open(r, http.MethodPost, "/session/invitation/check", h.checkInvitation).
		Doc("Get an invitation's user", "Returns the user of the invitation, and changes nothing. Invalid invitations are rejected as at acceptance.").
		With(httpapi.Contract{
			ID: "checkInvitation", Success: "The invited user.", Body: shownInvitationBody{exampleSecret}, Responses: signInErrors("InvitationRefused"),
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
}

// exampleSecret is a secret in examples.
const exampleSecret = "9yA1oWmS0kG3x5uQ2bL7c4dN6eR8tV0wXzJhPqYiF1M"

// signInErrors returns the error responses of the routes on which callers sign in.
func signInErrors(unauthenticated string) map[string]string {
	return map[string]string{"401": unauthenticated, "403": "CrossSite", "429": "TooManyAttempts"}
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
		Name: sessions.CookieName(bool(c.Secure)), Value: token, Path: "/", MaxAge: maxAge,
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
		Name: name, Value: value, Path: "/", MaxAge: int(guesses.DeviceLifetime.Seconds()),
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

// signInOutcome is a session or, if a second factor is required, a challenge.
type signInOutcome = httpapi.Either[signInReply, httpapi.Accepted[challengeView]]

func (h handler) signIn(ctx context.Context, in signInRequest) (signInOutcome, error) {
	if err := in.arrivingPage.check(in.HTTP); err != nil {
		return signInOutcome{}, err
	}
	signedIn, err := h.service.SignIn(ctx, SignIn{
		Tenant: in.Body.Tenant, Username: in.Body.Username, Password: in.Body.Password,
		Replaces: in.token(), Address: string(in.Address), UserAgent: in.Agent, Device: in.shown(in.Secure),
	})
	if err != nil {
		return signInOutcome{}, err
	}
	return h.signInReply(in.sessionCredential, signedIn), nil
}

// signInReply returns the reply for a started session or a challenge.
func (h handler) signInReply(c sessionCredential, signedIn SignedIn) signInOutcome {
	if challenge := signedIn.Challenge; challenge != nil {
		return signInOutcome{Second: &httpapi.Accepted[challengeView]{Location: "/session/factor", Body: challengeViewOf(*challenge)}}
	}
	sessionReply := h.sessionReply(c, signedIn)
	return signInOutcome{First: &sessionReply}
}

// sessionReply returns the reply for a started session.
func (h handler) sessionReply(c sessionCredential, signedIn SignedIn) signInReply {
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
