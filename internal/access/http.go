package access

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers this domain's routes. The currency, by its code in ISO 4217, is
// what a page needs to show money; the session's replies carry it.
func Routes(r *httpapi.Router, s *Service, currency string) {
	sessions := sessionHandler{s, currency}
	r.Public(http.MethodPost, "/session", sessions.post)
	r.Query("/session", "", sessions.get)
	r.Mutation(http.MethodDelete, "/session", "", s.deleteSession)
	r.Query("/permissions", "access:read", s.getPermissions)
}

type signInRequest struct {
	Username string `json:"username" validate:"required,max=64"`
	Password string `json:"password" validate:"required,max=1024"`
	Tenant   string `json:"tenant" validate:"max=63"`
}

type sessionReply struct {
	User      User   `json:"user"`
	Tenant    string `json:"tenant"`
	Currency  string `json:"currency"`
	CSRFToken string `json:"csrfToken"`
}

type sessionHandler struct {
	*Service
	currency string
}

func (s sessionHandler) reply(session Session) sessionReply {
	return sessionReply{User: session.User, Tenant: session.Tenant, Currency: s.currency, CSRFToken: session.CSRFToken}
}

func (s sessionHandler) post(c echo.Context) (httpapi.Reply, error) {
	// A page of another site must not sign its visitor in as somebody else.
	if c.Request().Header.Get("Sec-Fetch-Site") == "cross-site" {
		return httpapi.Reply{}, apperr.New(apperr.CSRFFailed, "Signing in from a page of another site is not allowed.")
	}
	var request signInRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	in := SignIn{Tenant: request.Tenant, Username: request.Username, Password: request.Password, Address: c.RealIP()}
	if cookie, err := c.Cookie(sessionCookie); err == nil {
		in.Replaces = cookie.Value
	}
	token, session, err := s.SignIn(c.Request().Context(), in)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Created(httpapi.Base+"/session", s.reply(session)).
		With(echo.HeaderSetCookie, cookie(c, token, 0)), nil
}

func (s sessionHandler) get(c echo.Context) (httpapi.Reply, error) {
	session, err := s.Current(c.Request())
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(s.reply(session)), nil
}

func (s *Service) deleteSession(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	sent, err := c.Cookie(sessionCookie)
	if caller, ok := principal.From(c.Request().Context()); err != nil || !ok || caller.Kind != principal.Admin {
		return httpapi.Reply{}, apperr.New(apperr.Unauthenticated, "There is no session to end; an API token is no session.")
	}
	if err := s.SignOut(c.Request().Context(), u, sent.Value); err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.NoContent().With(echo.HeaderSetCookie, cookie(c, "", -1)), nil
}

func (s *Service) getPermissions(echo.Context) (httpapi.Reply, error) {
	grants := s.Catalogue()
	return httpapi.OK(httpapi.List[principal.Grant]{Items: grants, Total: int64(len(grants))}), nil
}

// cookie is the session's cookie. It ends with the browser; the session's own end
// is kept here. A maxAge of -1 removes it.
func cookie(c echo.Context, token string, maxAge int) string {
	return (&http.Cookie{
		Name: sessionCookie, Value: token, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: c.Scheme() == "https",
	}).String()
}
