package access

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"interlock/internal/access/users"
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

// callbackPath returns the path of a provider's callback.
func callbackPath(provider string) string {
	return httpapi.Base + "/session/oidc/" + url.PathEscape(provider) + "/callback"
}

// singleSignOnRoutes registers the redirections of single sign-on, which api/base.yaml describes.
func (h handler) singleSignOnRoutes(r *httpapi.Router) {
	provider := httpapi.Named("provider", h.service.Provider)
	httpapi.Navigate(r, "/session/oidc/:provider", provider, h.beginSingleSignOn, ssoFailed)
	httpapi.Navigate(r, "/session/oidc/:provider/callback", provider, h.finishSingleSignOn, ssoFailed)
}

const (
	allLinks = "All links, oldest first."
	onward   = "The address that the browser opens."
)

// linkRoutes registers the routes of providers and of the caller's links. Routes that start a link
// or accept an invitation run outside the router's unit, so no reply of theirs is stored under an
// idempotency key.
func (h handler) linkRoutes(r *httpapi.Router) {
	fresh := r.SteppedUp()
	httpapi.Open(r, http.MethodGet, "/session/providers", h.listProviders).
		Doc("List single sign-on providers", "The providers that users of a tenant can sign in with, in the order of the settings. "+
			"The list does not depend on whether a provider is reachable.").
		With(httpapi.Contract{ID: "listProviders", Success: "All providers."})
	httpapi.Open(r, http.MethodPost, "/session/invitation/provider", h.acceptByProvider).
		Doc("Accept an invitation by provider", "Links the invited user to the provider's account instead of setting a password. The browser opens `location`; "+
			"the invitation is accepted when the browser returns, and stays valid until then. Invalid invitations are rejected as at acceptance.").
		With(httpapi.Contract{
			ID: "acceptInvitationByProvider", Success: onward, Body: invitationToProviderBody{exampleSecret, "corp"},
			Responses: signInErrors("InvitationRefused"),
		})
	httpapi.GetOf(r, "/me/links", "", h.service.Users.MeInSession, h.links).
		Doc("List your single sign-on links", "The accounts at providers that identify you. Requires a session; 403 for an API token.").
		With(httpapi.Contract{ID: "listLinks", Success: allLinks, Responses: forUsers})
	httpapi.ActOf(fresh, http.MethodPost, "/me/links", "", h.service.Users.MeInSession, h.beginLink).
		Doc("Link a single sign-on provider", "The browser opens `location`; the link is created when the browser returns, if the session that started it is still open. "+
			"All other sessions of the user then end. Requires a session. A user without a second factor sends the password; a wrong one returns 422 at `/password`, "+
			"and counts as a failed sign-in. A user without a password must have signed in within the last five minutes. "+
			"A user with a second factor must have verified it again (`x-step-up`). A user has at most ten links.").
		With(httpapi.Contract{
			ID: "beginLink", Success: onward, Body: linkBeginBody{"corp", "nine green bottles standing"}, Responses: map[string]string{"429": "TooManyAttempts"},
		})
	httpapi.MutationOf(fresh, http.MethodDelete, "/me/links/:id", "", h.service.Users.MeInSession, h.removeOwnLink).
		Doc("Delete your link", "Ends all other sessions of the user. Requires a session.").
		With(httpapi.Contract{ID: "deleteLink", Rejections: []httpapi.Rejection{onlySignIn}})
}

// userLinkRoutes registers the routes of users' links.
func (h handler) userLinkRoutes(r *httpapi.Router) {
	r = r.About(httpapi.Resource{Tag: "Access", Noun: "user", Example: users.UserExample})
	fresh := r.SteppedUp()
	byID := httpapi.Numbered("user", h.service.Users.User)
	httpapi.GetOf(r, "/users/:id/links", users.ReadUsersPermission, byID, h.links).
		Doc("List a user's sign-on links", "").With(httpapi.Contract{Success: allLinks})
	httpapi.MutationOf(fresh, http.MethodDelete, "/users/:id/links/:linkId", users.WriteUsersPermission, byID, h.removeLink).
		Doc("Delete a user's sign-on link", "Ends the user's sessions. 403 if the user has a permission that you lack. Disable or invite a user instead of deleting the only sign-in method.").
		With(httpapi.Contract{ID: "deleteUserLink", Rejections: []httpapi.Rejection{onlySignIn}})
}

// onlySignIn is a reason to reject the removal of a link.
var onlySignIn = httpapi.Rejection{Code: apperr.InUse, Cause: "it is the only sign-in method of a user without a password, or no enabled user who can sign in would have `access:*`"}

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
	Name string `json:"name" pattern:"^[a-z0-9][a-z0-9-]{0,62}$"`
	// The label of the button.
	DisplayName string `json:"displayName" validate:"name=64"`
}

type providersRequest struct {
	// The tenant's name; `default` if absent. The list does not reveal whether the tenant exists.
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
	begun := h.sessionReply(sessionCredential{Secure: in.Secure}, arrived.SignedIn)
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

// ssoFailed returns the address of the page with the reason of an error.
func ssoFailed(ctx context.Context, err error) string {
	return ssoTo(url.Values{"failure": {reasonOf(err)}, "request": {principal.Request(ctx)}}).To
}

type journeyView struct {
	// The provider's page, which the browser opens.
	Location string `json:"location" validate:"uri"`
}

type journeyReply = httpapi.WithCookies[journeyView]

type acceptByProviderRequest struct {
	traveller
	arrivingPage
	Body invitationToProviderBody
}

type invitationToProviderBody struct {
	Invitation string `json:"invitation" validate:"required,max=64"`
	// The name of the provider.
	Provider string `json:"provider" validate:"required,max=64"`
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
	// The label of the provider's button; null if the settings no longer contain the provider, so that the link admits
	// no sign-in.
	Provider *string `json:"provider"`
	Issuer   string  `json:"issuer" validate:"uri"`
	// The provider's id of the user.
	Subject      string     `json:"subject" validate:"required,max=255"`
	LastUsedTime *time.Time `json:"lastUsedTime"`
	CreatedTime  time.Time  `json:"createdTime"`
}

// SchemaName returns the name of the type in the contract.
func (linkView) SchemaName() string { return "Link" }

func (h handler) links(ctx context.Context, user *users.User, _ httpapi.None) (httpapi.List[linkView], error) {
	links, err := h.service.Users.Links(ctx, user)
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
	Body         linkBeginBody
}

type linkBeginBody struct {
	// The name of the provider.
	Provider string `json:"provider" validate:"required,max=64"`
	// Your password; required without a second factor.
	Password string `json:"password" validate:"max=1024"`
}

func (h handler) beginLink(ctx context.Context, user *users.User, in beginLinkRequest) (journeyReply, error) {
	return h.journey(ctx, in.traveller, in.Body.Provider, func(by Traveller) (Journey, error) {
		return h.service.BeginLink(ctx, user, LinkBeginning{Traveller: by, Password: in.Body.Password, Session: sessionToken(in.Secure, in.PlainSession, in.HostSession)})
	})
}

type removeOwnLinkRequest struct {
	sessionCredential
	ID int64 `path:"id" of:"link"`
}

func (h handler) removeOwnLink(ctx context.Context, u *uow.Unit, user *users.User, in removeOwnLinkRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.Users.RemoveLink(ctx, u, user, in.ID, in.token())
}

type removeLinkRequest struct {
	LinkID int64 `path:"linkId" of:"link"`
}

func (h handler) removeLink(ctx context.Context, u *uow.Unit, user *users.User, in removeLinkRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.Users.RemoveLink(ctx, u, user, in.LinkID, "")
}
