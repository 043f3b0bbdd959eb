package ratelimit

import "net/netip"

// Network returns the key by which anonymous callers are limited: the IPv4 address, or the
// first 64 bits of an IPv6 address, which a provider assigns to one customer. All invalid
// addresses share the key "".
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
