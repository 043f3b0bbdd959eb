package currency_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/currency"
)

func TestMinorDigitsFollowISO4217(t *testing.T) {
	for code, want := range map[string]int{
		"CNY": 2, "EUR": 2, "JPY": 0, "KWD": 3, "CLF": 4,
		// CLDR has 0 digits for these.
		"IQD": 3, "HUF": 2, "IRR": 2, "LBP": 2, "AFN": 2,
		// Newer than the CLDR version of golang.org/x/text.
		"SLE": 2, "VED": 2, "XCG": 2, "ZWG": 2,
	} {
		digits, ok := currency.MinorDigits(code)
		require.True(t, ok, code)
		require.Equal(t, want, digits, code)
	}
	for _, code := range []string{"", "cny", "XYZ", "DEM", "XXX", "XAU", "C", "CNY ", "EUR FJD", "\tCO"} {
		_, ok := currency.MinorDigits(code)
		require.False(t, ok, code)
	}
	digits, ok := currency.MinorDigits(currency.Default)
	require.True(t, ok)
	require.Equal(t, 2, digits)
}
