package encryption

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRenewalIsDeterministicUnderTheCurrentKey(t *testing.T) {
	old, first := newCipher(t, key("old", 1)), newCipher(t, key("new", 2), key("old", 1))
	sealed, _ := old.Encrypt(secret, "here")
	renewed, err := first.Renew(sealed, "old", "here")
	require.NoError(t, err)
	again, err := newCipher(t, key("new", 2), key("older", 3), key("old", 1)).Renew(sealed, "old", "here")
	require.NoError(t, err)
	require.Equal(t, renewed, again)
	stays, err := first.Renew(renewed, "new", "here")
	require.NoError(t, err)
	require.Equal(t, renewed, stays)
	plain, err := newCipher(t, key("new", 2)).Decrypt(renewed, "new", "here")
	require.NoError(t, err)
	require.Equal(t, secret, plain)
	_, err = newCipher(t, key("new", 2)).Decrypt(renewed, "new", "elsewhere")
	require.ErrorIs(t, err, ErrUnreadable)

	// Two values that were encrypted separately stay different, even with the same text.
	other, _ := old.Encrypt(secret, "here")
	apart, err := first.Renew(other, "old", "here")
	require.NoError(t, err)
	require.NotEqual(t, renewed, apart)
	require.NotEqual(t, renewed[:12], apart[:12], "a nonce is of one value")

	clear, err := first.Renew(secret, "", "here")
	require.NoError(t, err)
	plain, err = first.Decrypt(clear, "new", "here")
	require.NoError(t, err)
	require.Equal(t, secret, plain)
	for _, c := range []Cipher{newCipher(t, key("new", 2)), newCipher(t, None, key("old", 1)), {}} {
		_, err = c.Renew(sealed, "old", "here")
		require.ErrorIs(t, err, ErrUnreadable)
	}
	_, err = first.Renew(sealed, "old", "elsewhere")
	require.ErrorIs(t, err, ErrUnreadable)
}

func TestCodeDependsOnKeyAndPurpose(t *testing.T) {
	c := newCipher(t, key("now", 1), key("old", 2))
	code := c.MAC("here", secret)
	require.Len(t, code, 32)
	require.Equal(t, code, newCipher(t, key("now", 1)).MAC("here", secret))
	require.NotEqual(t, code, c.MAC("there", secret))
	require.NotEqual(t, code, newCipher(t, key("old", 2)).MAC("here", secret))
	require.Nil(t, newCipher(t, None, key("old", 2)).MAC("here", secret))
}

func TestNoneStoresPlaintextAndReadsOlderValues(t *testing.T) {
	sealed, id := newCipher(t, key("old", 1)).Encrypt(secret, "here")
	c := newCipher(t, None, key("old", 1))
	plain, err := c.Decrypt(sealed, id, "here")
	require.NoError(t, err)
	require.Equal(t, secret, plain)
	_, id = c.Encrypt(secret, "here")
	require.Empty(t, id)
	_, err = New([]string{key("old", 1), None})
	require.Error(t, err, "with a current key no value stays in clear")
}
