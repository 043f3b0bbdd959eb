// Package encryption encrypts values at rest with AES-256-GCM, so that an attacker with the
// database but without the keys cannot read them. Keys can be rotated while the program
// runs.
//
// Invariants:
//
//   - Keys are a list. The first one encrypts, all of them decrypt, and each value stores
//     the id of its key.
//   - An id belongs to one key for the lifetime of the database: the database stores a
//     value encrypted by each key (register.go), and another key under that id is
//     rejected.
//   - A key generated here is on disk before it encrypts anything, and its file is never
//     overwritten (file.go).
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

// Cipher encrypts values at rest. The zero Cipher leaves them in clear.
type Cipher struct {
	// current is the id of the key that encrypts new values.
	current string
	byID    map[string]cipher.AEAD
	// blocks are the block ciphers of byID.
	blocks map[string]cipher.Block
	// macKeys are derived from the keys, by id.
	macKeys map[string][]byte
}

// None is the entry of a key list that leaves values in clear.
const None = "none"

// New parses keys as "id:base64 of 32 bytes": first the current key, then the keys that
// only decrypt older values. None in the first position leaves new values in clear.
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
		// The nonce is random and part of the stored value.
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

// Encrypt encrypts a value with data as associated data, and returns the id of the key; ""
// if the value stays in clear.
func (c Cipher) Encrypt(plain []byte, data string) (sealed []byte, keyID string) {
	if c.current == "" {
		return plain, ""
	}
	return c.byID[c.current].Seal(nil, nil, plain, []byte(data)), c.current
}

// ErrUnreadable means that a value cannot be decrypted: its key is missing, it is damaged,
// or its associated data differ.
var ErrUnreadable = errors.New("the value cannot be decrypted")

// Decrypt decrypts a value that was encrypted with data. Errors: ErrUnreadable.
func (c Cipher) Decrypt(sealed []byte, keyID, data string) ([]byte, error) {
	if keyID == "" {
		return sealed, nil
	}
	key := c.byID[keyID]
	if key == nil {
		return nil, fmt.Errorf("%w: the encryption key %q is missing", ErrUnreadable, keyID)
	}
	plain, err := key.Open(nil, nil, sealed, []byte(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return plain, nil
}

// Renew returns a value encrypted with the current key: it re-encrypts values of other keys
// and encrypts values in clear. It is deterministic: two rows with equal stored values
// still have equal values, whichever is renewed first. Errors: ErrUnreadable, also if there
// is no current key.
func (c Cipher) Renew(sealed []byte, keyID, data string) ([]byte, error) {
	if c.current == "" {
		return nil, fmt.Errorf("%w and encrypted again: there is no current key", ErrUnreadable)
	}
	if keyID == c.current {
		return sealed, nil
	}
	plain, err := c.Decrypt(sealed, keyID, data)
	if err != nil {
		return nil, err
	}
	sealer, err := cipher.NewGCM(c.blocks[c.current])
	if err != nil {
		return nil, fmt.Errorf("use the encryption key %q: %w", c.current, err)
	}
	// The nonce depends on all inputs and nothing else: equal nonces belong to equal values
	// with the same associated data (compare SIV, RFC 5297).
	nonce := mac(c.macKeys[c.current], "nonce of a renewed value", data, keyID, string(sealed))[:sealer.NonceSize()]
	return sealer.Seal(nonce, nonce, plain, []byte(data)), nil
}

// MAC returns a code of data that only the current key can compute, so that it does not
// help to guess the data; it is deterministic. It is nil without a current key. Each
// purpose has separate codes.
func (c Cipher) MAC(purpose string, data []byte) []byte {
	if c.current == "" {
		return nil
	}
	return mac(c.macKeys[c.current], purpose, string(data))
}

// mac returns the HMAC-SHA256 (RFC 2104) of length-prefixed parts.
func mac(key []byte, parts ...string) []byte {
	code := hmac.New(sha256.New, key)
	for _, part := range parts {
		code.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		code.Write([]byte(part))
	}
	return code.Sum(nil)
}

// Current returns the id of the key that encrypts new values, "" for none.
func (c Cipher) Current() string { return c.current }
