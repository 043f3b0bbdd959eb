// Package encryption keeps what is at rest from being read by who has the database and not
// the keys: AES-256-GCM with keys that can be changed while the program is in use.
//
// What holds:
//
//   - Keys are a list. The first one encrypts, all of them decrypt, and each value says by the
//     id of its key which one it takes.
//   - An id is of one key for as long as the database lives: the database has a value that
//     each key encrypted (register.go), and who comes with another key under the id is refused.
//   - A key that was made here is on the disk before it encrypts anything, and its file is
//     never overwritten (file.go).
package encryption

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Cipher encrypts values at rest. The zero Cipher keeps them in clear.
type Cipher struct {
	// current is the id of the key that new values are encrypted with.
	current string
	byID    map[string]cipher.AEAD
	// blocks are what byID encrypts with.
	blocks map[string]cipher.Block
	// macKeys are derived from the keys, by their ids.
	macKeys map[string][]byte
}

// None stands in a list of keys for the one that leaves values in clear.
const None = "none"

// New reads keys as "id:base64 of 32 bytes", the current one first and then those that
// still decrypt older values. None in the first place keeps new values in clear.
func New(keys []string) (Cipher, error) {
	c := Cipher{byID: make(map[string]cipher.AEAD, len(keys)), blocks: make(map[string]cipher.Block, len(keys)), macKeys: make(map[string][]byte, len(keys))}
	for i, text := range keys {
		if text == None && i == 0 {
			continue
		}
		id, encoded, found := strings.Cut(text, ":")
		if !found || id == "" || len(id) > 64 {
			return Cipher{}, errors.New("an encryption key must be ID:BASE64, with an id of 1 to 64 characters")
		}
		if c.byID[id] != nil {
			return Cipher{}, fmt.Errorf("two encryption keys have the id %q", id)
		}
		secret, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(secret) != 32 {
			return Cipher{}, fmt.Errorf("the encryption key %q must be 32 bytes in base64", id)
		}
		block, err := aes.NewCipher(secret)
		if err != nil {
			return Cipher{}, fmt.Errorf("use the encryption key %q: %w", id, err)
		}
		// The nonce is random and part of what is kept.
		if c.byID[id], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return Cipher{}, fmt.Errorf("use the encryption key %q: %w", id, err)
		}
		c.blocks[id] = block
		c.macKeys[id] = mac(secret, "interlock: key of codes")
		if i == 0 {
			c.current = id
		}
	}
	return c, nil
}

// Encrypt encrypts a value for the place that the associated data names, and returns the id
// of the key that it used; "" when the value stays in clear.
func (c Cipher) Encrypt(plain []byte, place string) (kept []byte, keyID string) {
	if c.current == "" {
		return plain, ""
	}
	return c.byID[c.current].Seal(nil, nil, plain, []byte(place)), c.current
}

// ErrUnreadable is returned for what cannot be decrypted: its key is not there, it is damaged,
// or it belongs to another place.
var ErrUnreadable = errors.New("the value cannot be decrypted")

// Decrypt returns the value that was encrypted for a place. Errors: ErrUnreadable.
func (c Cipher) Decrypt(kept []byte, keyID, place string) ([]byte, error) {
	if keyID == "" {
		return kept, nil
	}
	key := c.byID[keyID]
	if key == nil {
		return nil, fmt.Errorf("%w: the encryption key %q is not there", ErrUnreadable, keyID)
	}
	plain, err := key.Open(nil, nil, kept, []byte(place))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return plain, nil
}

// Renew returns a value as the key that encrypts now has it: what is encrypted with another key is
// encrypted anew, and what is in clear is encrypted. The same value gives the same each time, whoever
// renews it: two rows with one value go on having one, whichever of them is renewed first. Errors:
// ErrUnreadable, also when there is no key that encrypts.
func (c Cipher) Renew(kept []byte, keyID, place string) ([]byte, error) {
	if c.current == "" {
		return nil, fmt.Errorf("%w anew: there is no key that encrypts", ErrUnreadable)
	}
	if keyID == c.current {
		return kept, nil
	}
	plain, err := c.Decrypt(kept, keyID, place)
	if err != nil {
		return nil, err
	}
	sealer, err := cipher.NewGCM(c.blocks[c.current])
	if err != nil {
		return nil, fmt.Errorf("use the encryption key %q: %w", c.current, err)
	}
	// The nonce is of all that goes in, and of nothing else: one that is there twice is of the same
	// value at the same place (compare SIV, RFC 5297).
	nonce := mac(c.macKeys[c.current], "nonce of a renewed value", place, keyID, string(kept))[:sealer.NonceSize()]
	return sealer.Seal(nonce, nonce, plain, []byte(place)), nil
}

// MAC returns a code of data that nobody can compute without the key that encrypts, so that it
// answers no guess of the data, and that is the same each time; nil when there is no such key.
// Each purpose has codes of its own.
func (c Cipher) MAC(purpose string, data []byte) []byte {
	if c.current == "" {
		return nil
	}
	return mac(c.macKeys[c.current], purpose, string(data))
}

// mac is HMAC-SHA256 (RFC 2104) of parts, each of which ends where it says.
func mac(key []byte, parts ...string) []byte {
	code := hmac.New(sha256.New, key)
	for _, part := range parts {
		code.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		code.Write([]byte(part))
	}
	return code.Sum(nil)
}

// Current is the id of the key that new values are encrypted with, "" for none.
func (c Cipher) Current() string { return c.current }
