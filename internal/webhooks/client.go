package webhooks

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"
)

// schemeHTTP is allowed for addresses of listed networks only.
const schemeHTTP = "http"

const (
	// attemptTimeout bounds one attempt, from the connection to the end of the reply.
	attemptTimeout = 10 * time.Second
	dialTimeout    = 5 * time.Second
	// maxReply is the number of bytes of a reply's body that are read, and maxStored those that are
	// stored.
	maxReply, maxStored = 64 << 10, 1 << 10
	maxReplyHeader      = 64 << 10
	idleConnections     = 256
	idleTimeout         = time.Minute
)

// special are further networks that are not public or that embed an IPv4 address (IANA
// special-purpose address registries), in addition to those that package netip classifies.
var special = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// isPublic reports whether an address is in the public Internet.
func isPublic(ip netip.Addr) bool {
	return ip.IsGlobalUnicast() && !ip.IsPrivate() && !within(special, ip)
}

func within(networks []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// network decides which addresses may be connected to.
type network struct {
	// listed are the networks of the setting.
	listed []netip.Prefix
}

// check returns an error unless a connection with the scheme to the address is allowed.
func (n network) check(scheme string, ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	switch {
	case within(n.listed, ip):
		return nil
	case scheme == schemeHTTP:
		return fmt.Errorf("%s is in no network of INTERLOCK_WEBHOOK_NETWORKS, so the URL must use https", ip)
	case !isPublic(ip):
		return fmt.Errorf("%s is not a public address, and in no network of INTERLOCK_WEBHOOK_NETWORKS", ip)
	}
	return nil
}

// checkURL returns the reason why a URL cannot receive messages. The addresses of its host are
// checked only when a connection is opened, because they can change.
func (n network) checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != schemeHTTP && u.Scheme != "https":
		return errors.New("must be an https:// URL")
	case u.Scheme == schemeHTTP && len(n.listed) == 0:
		return errors.New("must use https, because INTERLOCK_WEBHOOK_NETWORKS lists no network")
	case u.User != nil:
		return errors.New("must have no user and password; a receiver verifies the signature instead")
	case u.Fragment != "":
		return errors.New("must have no fragment")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		return n.check(u.Scheme, ip)
	}
	return nil
}

// client returns an HTTP client that connects only to allowed addresses, through no proxy, and
// follows no redirect.
func (n network) client() *http.Client {
	return &http.Client{
		Transport:     byScheme{http: n.transport(schemeHTTP), https: n.transport("https")},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// transport returns the transport for one scheme. The check runs after the name was resolved, for
// each address that is tried, so a name cannot change to a private address after a check.
func (n network) transport(scheme string) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("read the address to connect to: %w", err)
		}
		return n.check(scheme, to.Addr())
	}}
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableCompression: true,
		TLSHandshakeTimeout: dialTimeout, MaxResponseHeaderBytes: maxReplyHeader,
		MaxIdleConns: idleConnections, MaxIdleConnsPerHost: maxInFlight, IdleConnTimeout: idleTimeout,
	}
}

// byScheme has a transport for each scheme.
type byScheme struct{ http, https *http.Transport }

// RoundTrip implements http.RoundTripper.
func (b byScheme) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == schemeHTTP {
		return b.http.RoundTrip(r)
	}
	return b.https.RoundTrip(r)
}

// CloseIdleConnections closes the connections that no request uses.
func (b byScheme) CloseIdleConnections() {
	b.http.CloseIdleConnections()
	b.https.CloseIdleConnections()
}
