package idempotency

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"interlock/internal/edge/httpapi"
)

// Cipher encrypts the replies at rest with AES-256-GCM. The zero Cipher keeps them in
// clear.
//
// The associated data is tenant, scope and key, so a reply that is moved to another
// row does not open.
type Cipher struct {
	// current is the id of the key that new replies are sealed with.
	current string
	byID    map[string]cipher.AEAD
}

// NewCipher reads keys as "id:base64 of 32 bytes", the current one first and then
// those that still open older replies.
func NewCipher(keys []string) (Cipher, error) {
	c := Cipher{byID: make(map[string]cipher.AEAD, len(keys))}
	for _, text := range keys {
		id, encoded, found := strings.Cut(text, ":")
		if !found || id == "" || len(id) > 64 {
			return Cipher{}, errors.New("an idempotency encryption key must be ID:BASE64, with an id of 1 to 64 characters")
		}
		if c.byID[id] != nil {
			return Cipher{}, fmt.Errorf("two idempotency encryption keys have the id %q", id)
		}
		secret, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(secret) != 32 {
			return Cipher{}, fmt.Errorf("the idempotency encryption key %q must be 32 bytes in base64", id)
		}
		block, err := aes.NewCipher(secret)
		if err != nil {
			return Cipher{}, fmt.Errorf("use the idempotency encryption key %q: %w", id, err)
		}
		// The nonce is random and part of what is kept.
		if c.byID[id], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return Cipher{}, fmt.Errorf("use the idempotency encryption key %q: %w", id, err)
		}
		if c.current == "" {
			c.current = id
		}
	}
	return c, nil
}

// seal encrypts a reply for one row and returns the id of the key that it used.
func (c Cipher) seal(reply httpapi.Kept, data string) (sealed []byte, keyID string, err error) {
	plain, err := pack(reply)
	if err != nil || c.current == "" {
		return plain, "", err
	}
	return c.byID[c.current].Seal(nil, nil, plain, []byte(data)), c.current, nil
}

var errSealed = errors.New("the reply cannot be opened")

// open returns the reply of one row.
func (c Cipher) open(sealed []byte, keyID, data string) (httpapi.Kept, error) {
	if keyID == "" {
		return unpack(sealed)
	}
	key := c.byID[keyID]
	if key == nil {
		return httpapi.Kept{}, fmt.Errorf("%w: the encryption key %q is not among the settings", errSealed, keyID)
	}
	plain, err := key.Open(nil, nil, sealed, []byte(data))
	if err != nil {
		return httpapi.Kept{}, fmt.Errorf("%w: %w", errSealed, err)
	}
	return unpack(plain)
}

// associatedData binds a reply to its record.
func associatedData(tenantID int64, scope, key string) string {
	return strconv.FormatInt(tenantID, 10) + "\x00" + scope + "\x00" + key
}

// pack writes a reply as its status, the length of its header, the header as JSON,
// and the body.
func pack(reply httpapi.Kept) ([]byte, error) {
	header, err := json.Marshal(reply.Header)
	if err != nil {
		return nil, fmt.Errorf("encode the header of a reply: %w", err)
	}
	packed := binary.AppendUvarint(make([]byte, 0, len(header)+len(reply.Body)+8), uint64(reply.Status))
	packed = binary.AppendUvarint(packed, uint64(len(header)))
	return append(append(packed, header...), reply.Body...), nil
}

var errPacked = errors.New("a kept reply is damaged")

func unpack(packed []byte) (httpapi.Kept, error) {
	status, n := binary.Uvarint(packed)
	if n <= 0 || status < 100 || status > 599 {
		return httpapi.Kept{}, errPacked
	}
	packed = packed[n:]
	size, n := binary.Uvarint(packed)
	if n <= 0 || size > uint64(len(packed)-n) {
		return httpapi.Kept{}, errPacked
	}
	header, body := packed[n:n+int(size)], packed[n+int(size):]
	reply := httpapi.Kept{Status: int(status)}
	if err := json.Unmarshal(header, &reply.Header); err != nil {
		return httpapi.Kept{}, fmt.Errorf("%w: %w", errPacked, err)
	}
	if reply.Header == nil {
		reply.Header = http.Header{}
	}
	if len(body) > 0 {
		reply.Body = body
	}
	return reply, nil
}
