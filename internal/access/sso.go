package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"interlock/internal/access/guesses"
	"interlock/internal/access/input"
	"interlock/internal/access/secrets"
	"interlock/internal/access/tenants"
	"interlock/internal/base/apperr"
	"interlock/internal/base/oidc"
	"interlock/internal/ratelimit"
)

// flowTime bounds the user's sign-in at the provider.
const flowTime = 10 * time.Minute

// Purposes of a single sign-on.
const (
	purposeSignIn     = "sign-in"
	purposeInvitation = "invitation"
	purposeLink       = "link"
)

// Provider is a provider of single sign-on in the settings.
type Provider struct {
	// Name is part of URLs, and DisplayName is the label of buttons.
	Name, DisplayName string
	// Tenant is the only tenant whose users can sign in with the provider; "" for any.
	Tenant string
	// GroupRoles maps the provider's group names to role names.
	GroupRoles map[string]string
	OIDC       *oidc.Provider
}

// Providers returns the providers of a tenant, in the order of the settings; "" means
// DefaultTenant.
func (s *Service) Providers(tenant string) []Provider {
	tenant = cmp.Or(tenant, tenants.DefaultTenant)
	return slices.DeleteFunc(slices.Clone(s.providers), func(p Provider) bool { return p.Tenant != "" && p.Tenant != tenant })
}

// Provider returns the provider with a name. Errors: NotFound.
func (s *Service) Provider(_ context.Context, name string) (Provider, error) {
	for _, p := range s.providers {
		if p.Name == name {
			return p, nil
		}
	}
	return Provider{}, apperr.MissingRow("provider of single sign-on", name)
}

// providerOf returns the display name of an issuer's provider, or "" if the settings no longer
// contain it.
func (s *Service) providerOf(issuer string) string {
	for _, p := range s.providers {
		if p.OIDC.Issuer() == issuer {
			return p.DisplayName
		}
	}
	return ""
}

// issuers returns the issuers whose links permit a sign-in in a tenant.
func (s *Service) issuers(tenant string) []string {
	issuers := []string{}
	for _, p := range s.Providers(tenant) {
		issuers = append(issuers, p.OIDC.Issuer())
	}
	return issuers
}

// Traveller is a browser that goes to a provider or returns from it.
type Traveller struct {
	Provider Provider
	// Browser is the value of the browser's journey cookie; "" without a cookie.
	Browser string
	// Callback is the URL to which the provider redirects.
	Callback string
	// Address and UserAgent are as in SignIn.
	Address, UserAgent string
}

// Journey is the redirect URL and the value of the browser's cookie. All journeys of a browser
// within flowTime share one value, so that concurrent tabs work.
type Journey struct{ Location, Browser string }

// BeginSingleSignOn starts a sign-in at a provider. The result does not reveal whether the tenant
// exists. replaces is as in SignIn. Errors: RateLimited, failures.
func (s *Service) BeginSingleSignOn(ctx context.Context, by Traveller, tenant, replaces string) (Journey, error) {
	tenant = cmp.Or(tenant, tenants.DefaultTenant)
	isName := input.TenantNames.MatchString(tenant)
	if _, err := s.signIns.Admit(ctx, ratelimit.Network(by.Address)); err != nil {
		if isName {
			s.countRefusal(tenant, by.Address, "", err)
		}
		return Journey{}, err
	}
	if !isName {
		return Journey{}, errNotLinked()
	}
	flow := flowRow{Purpose: purposeSignIn, Tenant: tenant}
	if replaces != "" {
		flow.ProofHash = secrets.DigestOf(replaces).String()
	}
	return s.ask(ctx, by, flow)
}

// BeginAcceptance starts a single sign-on that accepts an invitation by a link instead of a
// password. Errors: those of CheckInvitation, and failures.
func (s *Service) BeginAcceptance(ctx context.Context, by Traveller, invitation string) (Journey, error) {
	user, tenant, err := s.invited(ctx, invitation, by.Address)
	if err != nil {
		return Journey{}, err
	}
	return s.ask(ctx, by, flowRow{Purpose: purposeInvitation, Tenant: tenant, UserID: user.ID, ProofHash: *user.InvitationHash})
}

// ask stores a flow and returns the redirect to the provider. Errors: failures.
func (s *Service) ask(ctx context.Context, by Traveller, flow flowRow) (Journey, error) {
	if by.Provider.Tenant != "" && by.Provider.Tenant != flow.Tenant {
		if flow.Purpose == purposeSignIn {
			return Journey{}, errNotLinked()
		}
		return Journey{}, errNoProvider()
	}
	browser := by.Browser
	if len(browser) != secrets.Length {
		browser = secrets.New()
	}
	kept := oidc.FlowSecrets{State: secrets.New(), Nonce: secrets.New(), Verifier: secrets.New()}
	location, err := by.Provider.OIDC.AuthorizationURL(ctx, kept, by.Callback)
	if err != nil {
		return Journey{}, errProvider(ctx, by.Provider, err)
	}
	now := s.clock.Now()
	flow.StateHash, flow.BrowserHash = secrets.DigestOf(kept.State).String(), secrets.DigestOf(browser).String()
	flow.Provider, flow.Nonce, flow.Verifier = by.Provider.Name, kept.Nonce, kept.Verifier
	flow.CreatedTime, flow.ExpiresTime = now, now.Add(flowTime)
	if err := s.db.Write(ctx).Create(&flow).Error; err != nil {
		return Journey{}, fmt.Errorf("store a sign-in: %w", err)
	}
	return Journey{Location: location, Browser: browser}, nil
}

// ProviderAnswer is the content of a provider's callback.
type ProviderAnswer struct {
	Traveller
	State string
	// Error is the provider's error code; "" without an error.
	Error string
	oidc.Answer
}

// Arrived is the result of a callback: a session, a challenge or a link.
type Arrived struct {
	SignedIn
	// Linked is set if a link was added in a session, which continues.
	Linked bool
}

// FinishSingleSignOn handles a provider's callback, once: it deletes the flow before it sends the
// code to the provider, so that one of concurrent callbacks succeeds. Errors: RateLimited,
// failures.
func (s *Service) FinishSingleSignOn(ctx context.Context, in ProviderAnswer) (out Arrived, err error) {
	network := ratelimit.Network(in.Address)
	var tenant, who string
	defer func() { s.countRefusal(tenant, in.Address, who, err) }()
	if _, err := s.signIns.Admit(ctx, network); err != nil {
		return Arrived{}, err
	}
	flow, err := s.redeemFlow(ctx, in.Provider.Name, in.State, in.Browser, s.clock.Now())
	if err != nil {
		return Arrived{}, err
	}
	tenant = flow.Tenant
	if in.Error != "" {
		return Arrived{}, errFromProvider(ctx, in.Provider, in.Error)
	}
	kept := oidc.FlowSecrets{State: in.State, Nonce: flow.Nonce, Verifier: flow.Verifier}
	named, err := in.Provider.OIDC.Redeem(ctx, in.Answer, kept, in.Callback)
	if err != nil {
		return Arrived{}, errProvider(ctx, in.Provider, err)
	}
	out, err = s.arriveBy(ctx, verifiedResponse{in.Traveller, flow, in.Provider.OIDC.Issuer(), named}, &who)
	if err == nil {
		s.signIns.Release(guesses.SignInAttempt{At: guesses.Guess{Network: network}})
		if flow.Purpose == purposeSignIn {
			// The start of the flow was counted too.
			s.signIns.Release(guesses.SignInAttempt{At: guesses.Guess{Network: network}})
		}
	}
	return out, err
}

// CallbackURL returns the URL of the callback, which a client must not be able to choose. It is
// built from the public URL of the settings. Without a public URL it is built from the host of the
// request, which must then be this machine. Errors: failures.
func (s *Service) CallbackURL(request *http.Request, secure bool, provider string) (string, error) {
	base := s.publicURL
	if base == "" {
		host, _, err := net.SplitHostPort(request.Host)
		if err != nil {
			host = request.Host
		}
		if !oidc.IsLoopback(strings.Trim(host, "[]")) {
			return "", fail("unavailable", apperr.New(apperr.Unavailable, "Single sign-on is not set up for this address: INTERLOCK_PUBLIC_URL is not set.").
				Because(fmt.Errorf("the request came to the host %.100q", request.Host)))
		}
		base = "http://" + request.Host
		if secure {
			base = "https://" + request.Host
		}
	}
	return strings.TrimSuffix(base, "/") + callbackPath(provider), nil
}

// failure is a failed single sign-on, with a reason code that the page translates.
type failure struct {
	reason string
	err    *apperr.Error
}

// Error implements error.
func (f *failure) Error() string { return f.reason + ": " + f.err.Error() }

// Unwrap returns the error for API clients.
func (f *failure) Unwrap() error { return f.err }

func fail(reason string, err *apperr.Error) error { return &failure{reason, err} }

// reasonOf returns the reason code of a failed single sign-on.
func reasonOf(err error) string {
	var known *failure
	switch {
	case errors.As(err, &known):
		return known.reason
	case apperr.Has(err, apperr.RateLimited), apperr.Has(err, apperr.TooManyAttempts):
		return "too_many"
	}
	return "failed"
}

func errFlowEnded() error {
	return fail("over", apperr.New(apperr.InvalidCredentials, "This sign-in has ended, was finished already, or was started in another browser. Start again."))
}

func errNotLinked() error {
	return fail("not_linked", apperr.New(apperr.InvalidCredentials, "No user here is linked to this account of the provider. Request an invitation, or sign in another way and link it."))
}

// errNoProvider returns the error for a provider that the caller's tenant does not have.
func errNoProvider() error {
	return input.Invalid("/provider", "unknown", "must name an existing provider of single sign-on")
}

func errUserDisabled() error {
	return fail("disabled", apperr.New(apperr.InvalidCredentials, "This account is disabled."))
}

func errLinkedElsewhere() error {
	return fail("linked_elsewhere", apperr.New(apperr.AlreadyExists, "Another user here is linked to this account of the provider. Nothing was changed."))
}

// errFromProvider returns the error for a provider's error code (RFC 6749, 4.1.2.1).
func errFromProvider(ctx context.Context, p Provider, code string) error {
	if code == "access_denied" {
		return fail("cancelled", apperr.New(apperr.InvalidCredentials, "The sign-in was cancelled at the provider."))
	}
	return errProvider(ctx, p, fmt.Errorf("%w: it returned %.100q", oidc.ErrRefused, code))
}

// errProvider converts a provider's error to one for the user; the log contains the cause.
func errProvider(ctx context.Context, p Provider, err error) error {
	slog.WarnContext(ctx, "single sign-on: sign-in failed", "provider", p.Name, "error", err)
	switch {
	case errors.Is(err, oidc.ErrUnavailable):
		return fail("unavailable", apperr.New(apperr.Unavailable, "%s does not respond. Try again, or sign in with your password.", p.DisplayName).After(5*time.Second).Because(err))
	case errors.Is(err, oidc.ErrClock):
		return fail("clock", apperr.New(apperr.InvalidCredentials, "The clocks of %s and of this service differ by more than %s.", p.DisplayName, oidc.Skew).Because(err))
	}
	return fail("refused", apperr.New(apperr.InvalidCredentials, "The response of %s could not be verified. Start again.", p.DisplayName).Because(err))
}
