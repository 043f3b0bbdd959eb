package coupons_test

import (
	"bytes"
	"crypto/rand"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/coupons"
)

func TestAPercentageIsRoundedHalfUpAndNeverBeyondTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.OneOf(rapid.Int64Range(0, 1000), rapid.Int64Range(0, math.MaxInt64)).Draw(t, "total")
		percent := rapid.Int64Range(1, 100).Draw(t, "percent")
		exact := new(big.Int).Mul(big.NewInt(total), big.NewInt(percent))
		exact.Add(exact, big.NewInt(50)).Div(exact, big.NewInt(100))
		got := coupons.Terms{Kind: coupons.Percent, Value: percent}.Discount(total)
		require.Equal(t, exact.Int64(), got)
		require.LessOrEqual(t, got, total)
	})
}

func TestAnAmountIsTakenOffAsFarAsTheTotalReaches(t *testing.T) {
	terms := coupons.Terms{Kind: coupons.FixedAmount, Value: 500}
	require.EqualValues(t, 500, terms.Discount(501))
	require.EqualValues(t, 500, terms.Discount(500))
	require.EqualValues(t, 499, terms.Discount(499))
	require.EqualValues(t, 0, terms.Discount(0))
}

func TestACodeIsDrawnFairlyFromCharactersThatNobodyMixesUp(t *testing.T) {
	code, err := coupons.DrawCode(rand.Reader)
	require.NoError(t, err)
	require.Regexp(t, `^[2-9A-HJKMNP-Z]{5}(-[2-9A-HJKMNP-Z]{5}){3}$`, code)

	// 248 and above would favour the first characters, so they are passed over.
	unfair := bytes.Repeat([]byte{255, 248}, 20)
	fair := append(bytes.Repeat([]byte{247}, 10), bytes.Repeat([]byte{31}, 30)...)
	code, err = coupons.DrawCode(bytes.NewReader(append(unfair, fair...)))
	require.NoError(t, err)
	require.Equal(t, "ZZZZZ-ZZZZZ-22222-22222", code)

	_, err = coupons.DrawCode(strings.NewReader("too little"))
	require.Error(t, err)
}
