package access

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"interlock/internal/apperr"
	"interlock/internal/httpapi"
	"interlock/internal/principal"
	"interlock/internal/uow"
)

// Routes registers this domain's routes.
func Routes(r *httpapi.Router, s *Service) {
	r.Public(http.MethodPost, "/session", s.postSession)
	r.Query("/session", "", s.getSession)
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
	CSRFToken string `json:"csrfToken"`
}

func (s *Service) postSession(c echo.Context) (httpapi.Reply, error) {
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
	return httpapi.Created(httpapi.Base+"/session", sessionReply(session)).
		With(echo.HeaderSetCookie, cookie(c, token, 0)), nil
}

func (s *Service) getSession(c echo.Context) (httpapi.Reply, error) {
	session, err := s.Current(c.Request())
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(sessionReply(session)), nil
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
