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
	// Name stands in addresses, also in that which the provider sends browsers back to.
	Name string `json:"name"`
	// DisplayName is what the button says; "" means the name.
	DisplayName string `json:"displayName"`
	Issuer      string `json:"issuer"`
	ClientID    string `json:"clientId"`
	// ClientSecret is "" for a public client.
	ClientSecret     string `json:"clientSecret"`
	ClientSecretFile string `json:"clientSecretFile"`
	// Scopes are asked for beside openid.
	Scopes []string `json:"scopes"`
	// Tenant is the only tenant whose users it signs in; "" for any.
	Tenant string `json:"tenant"`
	// GroupsClaim names the claim of ID tokens that lists groups, and GroupRoles the roles that
	// groups give.
	GroupsClaim string            `json:"groupsClaim"`
	GroupRoles  map[string]string `json:"groupRoles"`
}

var (
	providerNames = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)
	scopeNames    = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]+$`)
)

// longestIssuer is in bytes: what is linked is kept with it.
const longestIssuer = 255

// Providers returns the providers of single sign-on with their secrets, none when nothing is set.
// Nothing is asked of them: one that is down does not keep the service from starting.
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
			return nil, fmt.Errorf("%s: provider %d (%.64q): its name or its issuer is that of another one", variable, i+1, p.Name)
		}
		names[p.Name], issuers[p.Issuer] = true, true
	}
	if len(providers) > 0 && s.PublicURL == "" && !s.listensHere() {
		return nil, errors.New("INTERLOCK_PUBLIC_URL must say where browsers reach the web admin, since providers of single sign-on are set: they send browsers back to it")
	}
	return providers, nil
}

// complete checks a provider, and fills in what is left out.
func (p *OIDCProvider) complete() (err error) {
	if p.DisplayName == "" {
		p.DisplayName = p.Name
	}
	switch {
	case !providerNames.MatchString(p.Name):
		return errors.New("name must be of small letters, digits and hyphens, at most 63")
	case !oidc.Safe(p.Issuer) || len(p.Issuer) > longestIssuer || strings.ContainsAny(p.Issuer, "?#"):
		return errors.New("issuer must be an https:// address, or http:// on this machine: who can change what the provider says could sign in as everybody")
	case p.ClientID == "":
		return errors.New("clientId is missing")
	case (p.GroupsClaim == "") != (len(p.GroupRoles) == 0):
		return errors.New("groupsClaim and groupRoles need each other; one of them is not set")
	case len(p.GroupRoles) > 0 && p.Tenant == "":
		return errors.New("groupRoles needs tenant: a role of that name in another tenant may be another role")
	case len([]rune(p.DisplayName)) > 64:
		return errors.New("displayName must have at most 64 characters")
	}
	for _, scope := range p.Scopes {
		if !scopeNames.MatchString(scope) {
			return fmt.Errorf("%.64q is no scope", scope)
		}
	}
	p.ClientSecret, err = secretFrom("clientSecret", "clientSecretFile", p.ClientSecret, p.ClientSecretFile)
	return err
}

// listensHere reports whether only this machine reaches the service.
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
		return fmt.Errorf("--public-url (INTERLOCK_PUBLIC_URL) is %q; want an https:// address without a path, such as https://admin.example.com, or an http:// one of this machine", s.PublicURL)
	}
	return nil
}
