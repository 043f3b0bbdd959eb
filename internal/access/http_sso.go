package access

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/oidc"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// ssoPage is the page of the web admin to which the callback redirects. The result is in the
// fragment, which servers do not log. A failure is only a code, so that a crafted address cannot
// display text on the page.
const ssoPage = "/single-sign-on"

// callbackPath is the path of a provider's callback.
func callbackPath(provider string) string {
	return httpapi.Base + "/session/oidc/" + url.PathEscape(provider) + "/callback"
}

// ssoRoutes registers the routes of single sign-on and of links. Routes that start a link or accept
// an invitation run outside the router's unit, so no reply of theirs is stored under an
// idempotency key.
func (h handler) ssoRoutes(r *httpapi.Router) {
	fresh := r.SteppedUp()
	provider := httpapi.Named("provider", h.service.Provider)
	httpapi.Open(r, http.MethodGet, "/session/providers", h.listProviders)
	httpapi.Navigate(r, "/session/oidc/:provider", provider, h.beginSingleSignOn, ssoFailed)
	httpapi.Navigate(r, "/session/oidc/:provider/callback", provider, h.finishSingleSignOn, ssoFailed)
	httpapi.Open(r, http.MethodPost, "/session/invitation/provider", h.acceptByProvider)
	httpapi.GetOf(r, "/me/links", "", h.findOwner, h.links)
	httpapi.ActOf(fresh, http.MethodPost, "/me/links", "", h.findOwner, h.beginLink)
	httpapi.MutationOf(fresh, http.MethodDelete, "/me/links/:id", "", h.findOwner, h.removeOwnLink)
	byID := httpapi.Numbered("user", h.service.User)
	httpapi.GetOf(r, "/users/:id/links", ReadUsersPermission, byID, h.links)
	httpapi.MutationOf(fresh, http.MethodDelete, "/users/:id/links/:linkId", writeUsersPermission, byID, h.removeLink)
}

// Names of the cookie of a single sign-on in progress, without and with TLS. The callback comes
// from the provider's site, so browsers would not send a cookie with SameSite=Strict.
const (
	journeyCookie     = "interlock_sign_in"
	hostJourneyCookie = "__Host-" + journeyCookie
)

type traveller struct {
	Plain   string `cookie:"interlock_sign_in"`
	Host    string `cookie:"__Host-interlock_sign_in"`
	Agent   string `header:"User-Agent"`
	HTTP    *http.Request
	Address httpapi.Address
	Secure  httpapi.Secure
}

// by converts the request to the service's Traveller.
func (t traveller) by(s *Service, p Provider) (Traveller, error) {
	callback, err := s.CallbackURL(t.HTTP, bool(t.Secure), p.Name)
	browser := t.Plain
	if t.Secure {
		browser = t.Host
	}
	return Traveller{Provider: p, Browser: browser, Callback: callback, Address: string(t.Address), UserAgent: t.Agent}, err
}

// cookie returns the cookie of a journey.
func (t traveller) cookie(j Journey) *http.Cookie {
	name := journeyCookie
	if t.Secure {
		name = hostJourneyCookie
	}
	return &http.Cookie{
		Name: name, Value: j.Browser, Path: "/", MaxAge: int(flowTime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: bool(t.Secure),
	}
}

type providerView struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
}

type providersRequest struct {
	Tenant string `query:"tenant"`
}

func (h handler) listProviders(_ context.Context, in providersRequest) (httpapi.List[providerView], error) {
	list := httpapi.List[providerView]{Items: []providerView{}, TotalIsExact: true}
	for _, p := range h.service.Providers(in.Tenant) {
		list.Items = append(list.Items, providerView{p.Name, p.DisplayName})
	}
	list.Total = int64(len(list.Items))
	return list, nil
}

type ssoReply = httpapi.WithCookies[httpapi.Redirect]

type beginSSORequest struct {
	traveller
	PlainSession string `cookie:"interlock_session"`
	HostSession  string `cookie:"__Host-interlock_session"`
	Tenant       string `query:"tenant"`
	Site         string `header:"Sec-Fetch-Site"`
}

// beginSingleSignOn redirects a browser to a provider, from the admin or a typed address.
func (h handler) beginSingleSignOn(ctx context.Context, p Provider, in beginSSORequest) (ssoReply, error) {
	if in.Site != "" && in.Site != "same-origin" && in.Site != "none" {
		return ssoReply{}, apperr.New(apperr.CSRFFailed, "Signing in from a page of another site is not allowed.")
	}
	by, err := in.by(h.service, p)
	if err != nil {
		return ssoReply{}, err
	}
	to, err := h.service.BeginSingleSignOn(ctx, by, in.Tenant, sessionToken(in.Secure, in.PlainSession, in.HostSession))
	if err != nil {
		return ssoReply{}, err
	}
	return ssoReply{Out: httpapi.Redirect{To: to.Location}, Cookies: []*http.Cookie{in.cookie(to)}}, nil
}

type finishSSORequest struct {
	traveller
	Query url.Values
}

// Check rejects a callback with a repeated parameter (RFC 6749, 3.1).
func (in finishSSORequest) Check() error {
	for _, name := range []string{"state", "code", "error", "iss"} {
		if len(in.Query[name]) > 1 {
			return apperr.Malformed("?"+name, "was given more than once")
		}
	}
	return nil
}

// finishSingleSignOn handles a provider's callback. It ignores unknown parameters (RFC 6749, 4.1.2).
func (h handler) finishSingleSignOn(ctx context.Context, p Provider, in finishSSORequest) (ssoReply, error) {
	by, err := in.by(h.service, p)
	if err != nil {
		return ssoReply{}, err
	}
	arrived, err := h.service.FinishSingleSignOn(ctx, ProviderAnswer{
		Traveller: by, State: in.Query.Get("state"), Error: in.Query.Get("error"),
		Answer: oidc.Answer{Code: in.Query.Get("code"), Issuer: in.Query.Get("iss")},
	})
	if err != nil {
		return ssoReply{}, err
	}
	switch {
	case arrived.Linked:
		return ssoReply{Out: ssoTo(url.Values{"result": {"linked"}})}, nil
	case arrived.Challenge != nil:
		return ssoReply{Out: ssoTo(challengeParameters(*arrived.Challenge))}, nil
	}
	begun := h.begun(sessionCredential{Secure: in.Secure}, arrived.SignedIn)
	return ssoReply{Out: ssoTo(url.Values{"result": {"signed-in"}}), Cookies: begun.Cookies}, nil
}

// challengeParameters encodes a challenge for the page. The number of passkeys per user is limited,
// so the address stays within the limits of browsers and proxies.
func challengeParameters(c Challenge) url.Values {
	values := url.Values{"challenge": {c.Token}, "methods": {strings.Join(c.Methods, ",")}}
	if c.Passkey != nil {
		values.Set("passkey", string(c.Passkey))
	}
	return values
}

func ssoTo(result url.Values) httpapi.Redirect {
	return httpapi.Redirect{To: ssoPage + "#" + result.Encode()}
}

// ssoFailed is the address of the page with the reason of an error.
func ssoFailed(ctx context.Context, err error) string {
	return ssoTo(url.Values{"failure": {reasonOf(err)}, "request": {principal.Request(ctx)}}).To
}

// journeyView is the address to which the page redirects the browser.
type journeyView struct {
	Location string `json:"location"`
}

type journeyReply = httpapi.WithCookies[journeyView]

type acceptByProviderRequest struct {
	traveller
	arrivingPage
	Body struct {
		Invitation string `json:"invitation" validate:"required,max=64"`
		Provider   string `json:"provider" validate:"required,max=64"`
	}
}

func (h handler) acceptByProvider(ctx context.Context, in acceptByProviderRequest) (journeyReply, error) {
	if err := in.arrivingPage.check(in.HTTP); err != nil {
		return journeyReply{}, err
	}
	return h.journey(ctx, in.traveller, in.Body.Provider, func(by Traveller) (Journey, error) {
		return h.service.BeginAcceptance(ctx, by, in.Body.Invitation)
	})
}

// journey starts a single sign-on at the named provider. Errors: ValidationFailed at /provider.
func (h handler) journey(ctx context.Context, t traveller, provider string, begin func(Traveller) (Journey, error)) (journeyReply, error) {
	p, err := h.service.Provider(ctx, provider)
	if err != nil {
		return journeyReply{}, errNoProvider()
	}
	by, err := t.by(h.service, p)
	if err != nil {
		return journeyReply{}, unwrapFailure(err)
	}
	to, err := begin(by)
	if err != nil {
		return journeyReply{}, unwrapFailure(err)
	}
	return journeyReply{Out: journeyView{to.Location}, Cookies: []*http.Cookie{t.cookie(to)}}, nil
}

// unwrapFailure returns the error of a failure without its reason, which only the page uses.
func unwrapFailure(err error) error {
	var known *failure
	if errors.As(err, &known) {
		return known.err
	}
	return err
}

type linkView struct {
	ID int64 `json:"id"`
	// Provider is the display name; null if the settings no longer contain the provider, so that
	// the link permits no sign-in.
	Provider     *string    `json:"provider"`
	Issuer       string     `json:"issuer"`
	Subject      string     `json:"subject"`
	LastUsedTime *time.Time `json:"lastUsedTime"`
	CreatedTime  time.Time  `json:"createdTime"`
}

func (h handler) links(ctx context.Context, user *User, _ httpapi.None) (httpapi.List[linkView], error) {
	links, err := h.service.Links(ctx, user)
	list := httpapi.List[linkView]{Items: make([]linkView, len(links)), Total: int64(len(links)), TotalIsExact: true}
	for i, l := range links {
		list.Items[i] = linkView{
			ID: l.ID, Provider: httpapi.OrNull(h.service.providerOf(l.Issuer)), Issuer: l.Issuer, Subject: l.Subject,
			LastUsedTime: l.LastUsedTime, CreatedTime: l.CreatedTime,
		}
	}
	return list, err
}

type beginLinkRequest struct {
	traveller
	PlainSession string `cookie:"interlock_session"`
	HostSession  string `cookie:"__Host-interlock_session"`
	Body         struct {
		Provider string `json:"provider" validate:"required,max=64"`
		// Password is required of a user without a second factor.
		Password string `json:"password" validate:"max=1024"`
	}
}

func (h handler) beginLink(ctx context.Context, user *User, in beginLinkRequest) (journeyReply, error) {
	return h.journey(ctx, in.traveller, in.Body.Provider, func(by Traveller) (Journey, error) {
		return h.service.BeginLink(ctx, user, LinkBeginning{Traveller: by, Password: in.Body.Password, Session: sessionToken(in.Secure, in.PlainSession, in.HostSession)})
	})
}

type removeOwnLinkRequest struct {
	sessionCredential
	ID int64 `path:"id" of:"link"`
}

func (h handler) removeOwnLink(ctx context.Context, u *uow.Unit, user *User, in removeOwnLinkRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.RemoveLink(ctx, u, user, in.ID, in.token())
}

type removeLinkRequest struct {
	LinkID int64 `path:"linkId" of:"link"`
}

func (h handler) removeLink(ctx context.Context, u *uow.Unit, user *User, in removeLinkRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.RemoveLink(ctx, u, user, in.LinkID, "")
}
