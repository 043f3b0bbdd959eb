package settings

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"interlock/internal/base/oidc"
	"interlock/internal/base/strictjson"
)

// OIDCProvider is a provider of single sign-on.
type OIDCProvider struct {
	// Name is part of URLs, including the redirect URL at the provider.
	Name string `json:"name"`
	// DisplayName is the label of the button; "" means Name.
	DisplayName string `json:"displayName"`
	Issuer      string `json:"issuer"`
	ClientID    string `json:"clientId"`
	// ClientSecret is "" for a public client.
	ClientSecret     string `json:"clientSecret"`
	ClientSecretFile string `json:"clientSecretFile"`
	// Scopes are requested in addition to openid.
	Scopes []string `json:"scopes"`
	// Tenant is the only tenant for which it signs users in; "" for any.
	Tenant string `json:"tenant"`
	// GroupsClaim is the claim of ID tokens that lists groups, and GroupRoles maps groups to roles.
	GroupsClaim string            `json:"groupsClaim"`
	GroupRoles  map[string]string `json:"groupRoles"`
}

var (
	providerNames = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)
	scopeNames    = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]+$`)
)

// maxIssuer is in bytes. Links of accounts store the issuer.
const maxIssuer = 255

// Providers returns the providers of single sign-on with their secrets, none if unset. It does not
// call the providers: an unavailable one does not prevent the start.
func (s Serve) Providers() ([]OIDCProvider, error) {
	const variable = "INTERLOCK_OIDC_PROVIDERS"
	text, err := secret(variable, s.OIDCProviders, s.OIDCProvidersFile)
	if err != nil || text == "" {
		return nil, err
	}
	var providers []OIDCProvider
	if err := strictjson.Decode([]byte(text), &providers); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", variable, err)
	}
	names, issuers := map[string]bool{}, map[string]bool{}
	for i := range providers {
		p := &providers[i]
		if err := p.complete(); err != nil {
			return nil, fmt.Errorf("%s: provider %d (%.64q): %w", variable, i+1, p.Name, err)
		}
		if names[p.Name] || issuers[p.Issuer] {
			return nil, fmt.Errorf("%s: provider %d (%.64q): another provider has the same name or issuer", variable, i+1, p.Name)
		}
		names[p.Name], issuers[p.Issuer] = true, true
	}
	if len(providers) > 0 && s.PublicURL == "" && !s.listensHere() {
		return nil, errors.New("INTERLOCK_PUBLIC_URL must be the URL of the web admin in browsers, because providers of single sign-on redirect to it")
	}
	return providers, nil
}

// complete validates a provider, and fills in defaults.
func (p *OIDCProvider) complete() (err error) {
	if p.DisplayName == "" {
		p.DisplayName = p.Name
	}
	switch {
	case !providerNames.MatchString(p.Name):
		return errors.New("name must have at most 63 lower-case letters, digits and hyphens")
	case !oidc.Safe(p.Issuer) || len(p.Issuer) > maxIssuer || strings.ContainsAny(p.Issuer, "?#"):
		return errors.New("issuer must be an https:// URL, or http:// on this machine, because a modified response could sign in any user")
	case p.ClientID == "":
		return errors.New("clientId is missing")
	case (p.GroupsClaim == "") != (len(p.GroupRoles) == 0):
		return errors.New("groupsClaim and groupRoles must both be set, or neither")
	case len(p.GroupRoles) > 0 && p.Tenant == "":
		return errors.New("groupRoles needs tenant, because roles of other tenants can have the same names")
	case len([]rune(p.DisplayName)) > 64:
		return errors.New("displayName must have at most 64 characters")
	}
	for _, scope := range p.Scopes {
		if !scopeNames.MatchString(scope) {
			return fmt.Errorf("%.64q is not a scope", scope)
		}
	}
	p.ClientSecret, err = secretFrom("clientSecret", "clientSecretFile", p.ClientSecret, p.ClientSecretFile)
	return err
}

// listensHere reports whether the service listens only on a loopback address.
func (s Serve) listensHere() bool {
	host, _, err := net.SplitHostPort(s.Addr)
	return err == nil && oidc.IsLoopback(host)
}

func (s Serve) checkPublicURL() error {
	if s.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(s.PublicURL)
	if err != nil || !oidc.Safe(s.PublicURL) || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("--public-url (INTERLOCK_PUBLIC_URL) is %q; want an https:// URL without a path, such as https://admin.example.com, or an http:// URL of this machine", s.PublicURL)
	}
	return nil
}
