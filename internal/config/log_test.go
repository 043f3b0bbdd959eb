package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLogOrdersVersionsOfOneConfig(t *testing.T) {
	ordered := inOrder([]version{{ID: 1, ConfigID: 7, Version: 3}, {ID: 2, ConfigID: 8, Version: 1}, {ID: 3, ConfigID: 7, Version: 2}})
	require.Equal(t, []version{{ID: 3, ConfigID: 7, Version: 2}, {ID: 2, ConfigID: 8, Version: 1}, {ID: 1, ConfigID: 7, Version: 3}}, ordered)
}

func TestRevisionTextRoundTrip(t *testing.T) {
	for text, want := range map[string]Revision{
		"0190f5c2-8f0a-17": {"0190f5c2-8f0a", 17},
		"ab12-0":           {"ab12", 0},
	} {
		var read Revision
		require.NoError(t, read.UnmarshalText([]byte(text)))
		require.Equal(t, want, read)
	}
	for _, text := range []string{"", "-", "811", "-811", "ab12-", "ab12-x", "-9223372036854775809", "ab12-1.5"} {
		require.Error(t, new(Revision).UnmarshalText([]byte(text)), text)
	}
}
