package ratelimit

import "net/netip"

// Network returns what callers without a name are held by: an IPv4 address itself, and the
// first 64 bits of an IPv6 address, which are one customer's of a provider. What is no
// address is a network of its own.
func Network(address string) string {
	at, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	if at = at.Unmap().WithZone(""); at.Is4() {
		return at.String()
	}
	return netip.PrefixFrom(at, 64).Masked().String()
}
