package idempotency

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/base/encryption"
	"interlock/internal/edge/httpapi"
)

func key(id string, fill byte) string {
	secret := make([]byte, 32)
	for i := range secret {
		secret[i] = fill
	}
	return id + ":" + base64.StdEncoding.EncodeToString(secret)
}

func newCipher(t *testing.T, keys ...string) encryption.Cipher {
	t.Helper()
	s, err := encryption.New(keys)
	require.NoError(t, err)
	return s
}

var reply = httpapi.StoredReply{Status: 201, Header: http.Header{"Etag": {`"1-a"`}}, Body: []byte(`{"secret":"of the tenant"}`)}

func TestDecryptedReplyEqualsTheOriginal(t *testing.T) {
	sealed := map[string]encryption.Cipher{"in clear": {}, "encrypted": newCipher(t, key("now", 1))}
	for name, s := range sealed {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				want := httpapi.StoredReply{
					Status: rapid.IntRange(100, 599).Draw(t, "status"),
					Header: http.Header{"X-A": rapid.SliceOfN(rapid.String(), 1, 3).Draw(t, "header")},
					Body:   rapid.SliceOfN(rapid.Byte(), 1, 200).Draw(t, "body"),
				}
				text, id, err := encryptReply(s, want, "here")
				require.NoError(t, err)
				got, err := decryptReply(s, text, id, "here")
				require.NoError(t, err)
				require.Equal(t, want, got)
			})
		})
	}
}

// Proves G3.14.
func TestEncryptedReplyOnlyDecryptsInItsRow(t *testing.T) {
	s := newCipher(t, key("now", 1))
	text, id, err := encryptReply(s, reply, associatedData(1, "user:7", "k"))
	require.NoError(t, err)
	require.Equal(t, "now", id)
	require.NotContains(t, string(text), "secret")
	for _, elsewhere := range []string{associatedData(2, "user:7", "k"), associatedData(1, "user:8", "k"), associatedData(1, "user:7", "K")} {
		_, err := decryptReply(s, text, id, elsewhere)
		require.ErrorIs(t, err, encryption.ErrUnreadable)
	}
	text[len(text)-1]++
	_, err = decryptReply(s, text, id, associatedData(1, "user:7", "k"))
	require.ErrorIs(t, err, encryption.ErrUnreadable)
}

func FuzzDamagedReplyReturnsError(f *testing.F) {
	packed, err := pack(reply)
	require.NoError(f, err)
	f.Add(packed)
	f.Add([]byte{})
	f.Add([]byte{200, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, packed []byte) {
		got, err := unpack(packed)
		if err == nil {
			require.NotNil(t, got.Header)
		}
	})
}

func TestDifferentRequestsHaveDifferentFingerprints(t *testing.T) {
	base := httpapi.KeyedRequest{Method: "POST", Path: "/a", Query: "x=1&y=2", Body: []byte(`{"a":1}`)}
	other := []httpapi.KeyedRequest{
		{Method: "PATCH", Path: "/a", Query: "x=1&y=2", Body: []byte(`{"a":1}`)},
		{Method: "POST", Path: "/b", Query: "x=1&y=2", Body: []byte(`{"a":1}`)},
		{Method: "POST", Path: "/a", Query: "x=1&y=3", Body: []byte(`{"a":1}`)},
		{Method: "POST", Path: "/a", Query: "", Body: []byte(`{"a":1}`)},
		{Method: "POST", Path: "/a", Query: "x=1&y=2", Body: []byte(`{"a":2}`)},
		{Method: "POST", Path: "/a", Query: "x=1&y=2{", Body: []byte(`"a":1}`)},
		{Method: "POST", Path: "/a", Query: "x=1&y=2", Body: nil},
	}
	for _, r := range other {
		require.NotEqual(t, fingerprintOf(base), fingerprintOf(r), "%+v", r)
	}
	base.Query = "y=2&x=1"
	require.Equal(t, fingerprintOf(httpapi.KeyedRequest{Method: "POST", Path: "/a", Query: "x=1&y=2", Body: []byte(`{"a":1}`)}), fingerprintOf(base))
}
