// Package secrets makes the secrets of sessions, tokens and links, and the digests under which they are
// stored.
package secrets

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
)

// secretBytes is the entropy of every secret that the service makes.
const secretBytes = 32

// Length is the length of a secret as text.
const Length = 43

// New returns a random secret as base64url text.
func New() string {
	raw := make([]byte, secretBytes)
	// crypto/rand crashes the program instead of returning an error.
	_, _ = rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// Digest is the SHA-256 of a secret, under which it is stored. A plain hash suffices, because 32
// random bytes cannot be guessed.
type Digest [sha256.Size]byte

// DigestOf returns the digest of a secret.
func DigestOf(secret string) Digest {
	// The array is on the stack, because every request computes a digest.
	var text [2 * Length]byte
	return sha256.Sum256(text[:copy(text[:], secret)])
}

// String returns the digest as it is stored, in the format in which scs hashes session tokens.
func (d Digest) String() string { return base64.RawURLEncoding.EncodeToString(d[:]) }

// ParseDigest is the inverse of digest.String.
func ParseDigest(text string) (d Digest, err error) {
	if _, err := base64.RawURLEncoding.Strict().Decode(d[:], []byte(text)); err != nil {
		return d, fmt.Errorf("read a digest: %w", err)
	}
	return d, nil
}

// Same compares a presented secret with the expected one in constant time. No secret is the
// same as "".
func Same(a, b string) bool {
	return b != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// tokenPrefix lets people and secret scanners recognise a token.
const tokenPrefix = "ilk_"

// NewToken returns the secret of an API token.
func NewToken() string { return tokenPrefix + New() }

// IsToken reports whether text has the form of a token's secret.
func IsToken(text string) bool {
	return len(text) == len(tokenPrefix)+Length && strings.HasPrefix(text, tokenPrefix)
}
