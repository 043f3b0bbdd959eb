package access

import (
	"context"
	"net/http"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers this domain's routes.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	httpapi.Open(r, http.MethodPost, "/session", h.signIn)
	httpapi.Open(r, http.MethodPost, "/session/factor", h.finishSignIn)
	httpapi.Open(r, http.MethodPost, "/session/invitation", h.acceptInvitation)
	httpapi.Open(r, http.MethodPost, "/session/invitation/check", h.checkInvitation)
	httpapi.Act(r, http.MethodPost, "/session/step-up", "", h.stepUp)
	httpapi.Act(r, http.MethodPost, "/session/step-up/challenge", "", h.beginStepUp)
	httpapi.Get(r, "/session", "", h.session)
	httpapi.Mutation(r, http.MethodDelete, "/session", "", h.signOut)
	httpapi.Get(r, "/permissions", ReadPermission, h.permissions)
	h.meRoutes(r)
	h.factorRoutes(r)
	h.ssoRoutes(r)
	h.userRoutes(r)
	h.roleRoutes(r)
	h.menuRoutes(r)
	h.tokenRoutes(r)
	h.settingsRoutes(r)
}

func (h handler) userRoutes(r *httpapi.Router) {
	fresh := r.SteppedUp()
	byID := httpapi.Numbered("user", h.service.User)
	httpapi.Get(r, "/users", ReadUsersPermission, h.users)
	httpapi.Mutation(fresh, http.MethodPost, "/users", writeUsersPermission, h.createUser)
	httpapi.GetOf(r, "/users/:id", ReadUsersPermission, byID, h.user)
	httpapi.MutationOf(fresh, http.MethodPatch, "/users/:id", writeUsersPermission, byID, h.editUser)
	httpapi.GetOf(r, "/users/:id/history", ReadUsersPermission, byID, h.userHistory)
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/disable", writeUsersPermission, byID, h.disableUser)
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/enable", writeUsersPermission, byID, h.enableUser)
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/reset-password", writeUsersPermission, byID, h.resetPassword)
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/invite", writeUsersPermission, byID, h.inviteUser)
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/reset-factors", writeUsersPermission, byID, h.resetFactors)
}

func (h handler) roleRoutes(r *httpapi.Router) {
	fresh := r.SteppedUp()
	byID := httpapi.Numbered("role", h.service.Role)
	httpapi.Get(r, "/roles", ReadPermission, h.roles)
	httpapi.Mutation(fresh, http.MethodPost, "/roles", writePermission, h.createRole)
	httpapi.GetOf(r, "/roles/:id", ReadPermission, byID, h.role)
	httpapi.MutationOf(fresh, http.MethodPatch, "/roles/:id", writePermission, byID, h.editRole)
	httpapi.MutationOf(fresh, http.MethodDelete, "/roles/:id", writePermission, byID, h.deleteRole)
	httpapi.GetOf(r, "/roles/:id/history", ReadPermission, byID, h.roleHistory)
}

func (h handler) tokenRoutes(r *httpapi.Router) {
	fresh := r.SteppedUp()
	byID := httpapi.Numbered("token", h.service.Token)
	httpapi.Get(r, "/tokens", readTokensPermission, h.tokens)
	httpapi.Mutation(fresh, http.MethodPost, "/tokens", makeTokensPermission, h.createToken)
	httpapi.GetOf(r, "/tokens/:id", readTokensPermission, byID, h.token)
	httpapi.MutationOf(fresh, http.MethodDelete, "/tokens/:id", makeTokensPermission, byID, h.deleteToken)
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
	Body    struct {
		Username string `json:"username" validate:"required,max=64"`
		Password string `json:"password" validate:"required,max=1024"`
		Tenant   string `json:"tenant" validate:"max=63"`
	}
}

// signInReply is the reply to a sign-in that started a session.
type signInReply = httpapi.WithCookies[httpapi.Created[sessionView]]

// signIn returns a session or, if a second factor is required, a challenge.
func (h handler) signIn(ctx context.Context, in signInRequest) (any, error) {
	if err := in.arrivingPage.check(in.HTTP); err != nil {
		return nil, err
	}
	signedIn, err := h.service.SignIn(ctx, SignIn{
		Tenant: in.Body.Tenant, Username: in.Body.Username, Password: in.Body.Password,
		Replaces: in.token(), Address: string(in.Address), UserAgent: in.Agent, Device: in.shown(in.Secure),
	})
	if err != nil {
		return nil, err
	}
	return h.answered(in.sessionCredential, signedIn), nil
}

// answered is the reply for a started session or a challenge.
func (h handler) answered(c sessionCredential, signedIn SignedIn) any {
	if challenge := signedIn.Challenge; challenge != nil {
		return httpapi.Accepted[challengeView]{Location: "/session/factor", Body: challengeViewOf(*challenge)}
	}
	return h.begun(c, signedIn)
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

func (h handler) permissions(context.Context, httpapi.None) (httpapi.List[principal.Grant], error) {
	grants := h.service.Catalogue()
	return httpapi.List[principal.Grant]{Items: grants, Total: int64(len(grants)), TotalIsExact: true}, nil
}
