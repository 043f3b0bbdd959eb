package ratelimit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/ratelimit"
)

func TestNetworkIsAnAddressOrAPrefix(t *testing.T) {
	for address, network := range map[string]string{
		"203.0.113.7": "203.0.113.7", "::ffff:203.0.113.7": "203.0.113.7",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64", "": "", "nonsense": "",
	} {
		require.Equal(t, network, ratelimit.Network(address), address)
	}
}
