package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// secretBytes is the entropy of every secret that the service makes.
const secretBytes = 32

// secretLength is the length of such a secret as text.
const secretLength = 43

// newSecret returns a random secret as base64url text.
func newSecret() string {
	raw := make([]byte, secretBytes)
	// It ends the program rather than return an error (crypto/rand).
	_, _ = rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// digest is the SHA-256 of a secret, by which it is known and kept. A plain hash
// is enough: 32 random bytes cannot be guessed.
type digest [sha256.Size]byte

func digestOf(secret string) digest {
	// On the stack, because this is on every request's way.
	var text [2 * secretLength]byte
	return sha256.Sum256(text[:copy(text[:], secret)])
}

// String is the digest as the tables keep it, the same form in which scs hashes
// session tokens.
func (d digest) String() string { return base64.RawURLEncoding.EncodeToString(d[:]) }
