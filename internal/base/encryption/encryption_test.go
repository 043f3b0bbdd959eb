package encryption

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
)

func key(id string, fill byte) string {
	return id + ":" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{fill}, 32))
}

func newCipher(t *testing.T, keys ...string) Cipher {
	t.Helper()
	c, err := New(keys)
	require.NoError(t, err)
	return c
}

var secret = []byte("the secret of a tenant")

func TestEncryptedValueIsBoundToItsField(t *testing.T) {
	c := newCipher(t, key("now", 1))
	sealed, id := c.Encrypt(secret, "here")
	require.Equal(t, "now", id)
	require.NotContains(t, string(sealed), "secret")
	plain, err := c.Decrypt(sealed, id, "here")
	require.NoError(t, err)
	require.Equal(t, secret, plain)

	_, err = c.Decrypt(sealed, id, "elsewhere")
	require.ErrorIs(t, err, ErrUnreadable)
	sealed[len(sealed)-1]++
	_, err = c.Decrypt(sealed, id, "here")
	require.ErrorIs(t, err, ErrUnreadable)
}

func TestPlaintextValuesStayReadableWithAKey(t *testing.T) {
	sealed, id := Cipher{}.Encrypt(secret, "here")
	require.Empty(t, id)
	require.Equal(t, secret, sealed)
	plain, err := newCipher(t, key("now", 1)).Decrypt(sealed, id, "here")
	require.NoError(t, err)
	require.Equal(t, secret, plain)
}

// Proves G3.14.
func TestAfterARotationOlderValuesAreStillRead(t *testing.T) {
	sealed, _ := newCipher(t, key("old", 1)).Encrypt(secret, "here")
	rotated := newCipher(t, key("new", 2), key("old", 1))
	plain, err := rotated.Decrypt(sealed, "old", "here")
	require.NoError(t, err)
	require.Equal(t, secret, plain)
	_, id := rotated.Encrypt(secret, "here")
	require.Equal(t, "new", id)
	_, err = newCipher(t, key("new", 2)).Decrypt(sealed, "old", "here")
	require.ErrorContains(t, err, `"old" is missing`)
}

func TestInvalidKeysAreRejectedByName(t *testing.T) {
	for _, keys := range [][]string{
		{"no-colon"}, {":" + base64.StdEncoding.EncodeToString(make([]byte, 32))}, {"a:!!"},
		{"a:" + base64.StdEncoding.EncodeToString(make([]byte, 16))}, {key("a", 1), key("a", 2)},
	} {
		_, err := New(keys)
		require.Error(t, err, keys)
	}
}
