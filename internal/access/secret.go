package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// secretBytes is the entropy of every secret that the service makes.
const secretBytes = 32

// secretLength is the length of a secret as text.
const secretLength = 43

// newSecret returns a random secret as base64url text.
func newSecret() string {
	raw := make([]byte, secretBytes)
	// crypto/rand crashes the program instead of returning an error.
	_, _ = rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// digest is the SHA-256 of a secret, under which it is stored. A plain hash suffices, because 32
// random bytes cannot be guessed.
type digest [sha256.Size]byte

func digestOf(secret string) digest {
	// The array is on the stack, because every request computes a digest.
	var text [2 * secretLength]byte
	return sha256.Sum256(text[:copy(text[:], secret)])
}

// String returns the digest as it is stored, in the format in which scs hashes session tokens.
func (d digest) String() string { return base64.RawURLEncoding.EncodeToString(d[:]) }
