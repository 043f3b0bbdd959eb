package idempotency

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"interlock/internal/base/encryption"
	"interlock/internal/edge/httpapi"
)

// encryptReply packs and encrypts a reply for one row and returns the id of the encryption key. The
// associated data is tenant, scope and idempotency key, so a reply that is moved to another row
// cannot be decrypted.
func encryptReply(c encryption.Cipher, reply httpapi.StoredReply, data string) (sealed []byte, keyID string, err error) {
	plain, err := pack(reply)
	if err != nil {
		return nil, "", err
	}
	sealed, keyID = c.Encrypt(plain, data)
	return sealed, keyID, nil
}

// decryptReply returns the reply of one row. Errors: encryption.ErrUnreadable.
func decryptReply(c encryption.Cipher, sealed []byte, keyID, data string) (httpapi.StoredReply, error) {
	plain, err := c.Decrypt(sealed, keyID, data)
	if err != nil {
		return httpapi.StoredReply{}, fmt.Errorf("decrypt a stored reply: %w", err)
	}
	return unpack(plain)
}

// associatedData binds a reply to its record.
func associatedData(tenantID int64, scope, key string) string {
	return strconv.FormatInt(tenantID, 10) + "\x00" + scope + "\x00" + key
}

// encryptFingerprint returns a random recordTag, which identifies the record, and the encrypted
// fingerprint. Without an encryption key recordTag is the fingerprint.
func encryptFingerprint(c encryption.Cipher, tenantID int64, of fingerprint) (recordTag, sealed []byte) {
	if c.Current() == "" {
		return of[:], nil
	}
	recordTag = make([]byte, len(of))
	_, _ = rand.Read(recordTag) // rand.Read never returns an error; it ends the program.
	sealed, _ = c.Encrypt(of[:], fingerprintData(tenantID, recordTag))
	return recordTag, sealed
}

// decryptFingerprint returns the fingerprint of the request of a record. Errors:
// encryption.ErrUnreadable.
func decryptFingerprint(c encryption.Cipher, r Record) (fingerprint, error) {
	text := r.Fingerprint
	if r.SealedFingerprint != nil {
		var err error
		if text, err = c.Decrypt(r.SealedFingerprint, r.CipherKey, fingerprintData(r.TenantID, r.Fingerprint)); err != nil {
			return fingerprint{}, fmt.Errorf("decrypt the fingerprint of a request: %w", err)
		}
	}
	if len(text) != len(fingerprint{}) {
		return fingerprint{}, errFingerprint
	}
	return fingerprint(text), nil
}

// fingerprintData is the associated data of a fingerprint. It leaves out the scope, which Forget
// changes.
func fingerprintData(tenantID int64, recordTag []byte) string {
	return "fingerprints\x00" + strconv.FormatInt(tenantID, 10) + "\x00" + string(recordTag)
}

// pack writes a reply as its status, the length of its header, the header as JSON,
// and the body.
func pack(reply httpapi.StoredReply) ([]byte, error) {
	header, err := json.Marshal(reply.Header)
	if err != nil {
		return nil, fmt.Errorf("encode the header of a reply: %w", err)
	}
	packed := binary.AppendUvarint(make([]byte, 0, len(header)+len(reply.Body)+8), uint64(reply.Status))
	packed = binary.AppendUvarint(packed, uint64(len(header)))
	return append(append(packed, header...), reply.Body...), nil
}

// Errors of decrypted contents.
var (
	errPacked      = errors.New("a stored reply is damaged")
	errFingerprint = errors.New("the stored fingerprint of a request is damaged")
)

func unpack(packed []byte) (httpapi.StoredReply, error) {
	status, n := binary.Uvarint(packed)
	if n <= 0 || status < 100 || status > 599 {
		return httpapi.StoredReply{}, errPacked
	}
	packed = packed[n:]
	size, n := binary.Uvarint(packed)
	if n <= 0 || size > uint64(len(packed)-n) {
		return httpapi.StoredReply{}, errPacked
	}
	header, body := packed[n:n+int(size)], packed[n+int(size):]
	reply := httpapi.StoredReply{Status: int(status)}
	if err := json.Unmarshal(header, &reply.Header); err != nil {
		return httpapi.StoredReply{}, fmt.Errorf("%w: %w", errPacked, err)
	}
	if reply.Header == nil {
		reply.Header = http.Header{}
	}
	if len(body) > 0 {
		reply.Body = body
	}
	return reply, nil
}
