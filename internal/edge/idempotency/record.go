package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/edge/httpapi"
)

const (
	// maxReply is the maximum size of a stored encrypted reply, in bytes. A repeat of a larger
	// one returns the location to read.
	maxReply = 256 << 10
	// maxPath is the maximum length of a stored path or location, in bytes.
	maxPath = 1024
)

// fingerprint identifies a request, to detect another request under the same key.
type fingerprint [sha256.Size]byte

// fingerprintOf covers method, path, query (in any order of its parameters) and body (in canonical
// form if it is JSON).
func fingerprintOf(r httpapi.KeyedRequest) fingerprint {
	body, err := strictjson.Canonical(r.Body)
	if err != nil {
		body = r.Body
	}
	return digestOf(r.Method, r.Path, canonical(r.Query), body)
}

// spellingOf covers the request without normalizing it. Requests with the same spelling have the same
// fingerprint, and the spelling needs no decoding of the body.
func spellingOf(r httpapi.KeyedRequest) fingerprint {
	return digestOf(r.Method, r.Path, r.Query, r.Body)
}

// digestOf writes the length of each part before it, so that requests that differ in the boundaries
// of their parts have different digests.
func digestOf(method, path, query string, body []byte) fingerprint {
	hash := sha256.New()
	head := make([]byte, 0, 256)
	for _, part := range []string{method, path, query} {
		head = binary.BigEndian.AppendUint64(head, uint64(len(part)))
		head = append(head, part...)
	}
	hash.Write(binary.BigEndian.AppendUint64(head, uint64(len(body))))
	hash.Write(body)
	var fingerprint fingerprint
	hash.Sum(fingerprint[:0])
	return fingerprint
}

// canonical sorts a query by name. It returns an unparsable query unchanged.
func canonical(query string) string {
	if query == "" {
		return ""
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return query
	}
	return values.Encode()
}

// Kinds of holders of keys, the prefixes of their scopes: see principal.Principal.KeyScope.
const (
	user     = "user"
	customer = "customer"
)

// Record is a reply that is stored under a key.
type Record struct {
	ID             int64
	TenantID       int64
	Scope          string
	IdempotencyKey string
	// Fingerprint identifies the record. Without an encryption key it is the fingerprint of the
	// request. With an encryption key it is random, and SealedFingerprint contains the encrypted
	// fingerprint of the request: with a plain fingerprint, a reader of the database could guess a
	// secret in the request and verify the guess.
	Fingerprint       []byte
	SealedFingerprint []byte
	Method            string
	Path              string
	// RequestID is the id of the request that had the effect.
	RequestID  string
	ActorKind  string
	ActorID    string
	ActorName  string
	OnBehalfOf *principal.CustomerID
	// Status is the HTTP status of the reply.
	Status int
	// Reply is the encrypted header and body; nil if it was too large to store.
	Reply []byte
	// Location is the path at which a reply that was too large can be read.
	Location string
	// CipherKey is the id of the key that encrypts Reply and SealedFingerprint; "" for none.
	CipherKey string `gorm:"column:seal_key"`
	// DurationUS is the time from the start of the request to the record of its reply, in
	// microseconds.
	DurationUS int64 `gorm:"column:duration_us"`
	Replays    int64
	// LastReplayTime is nil before the first replay.
	LastReplayTime *time.Time
	CreatedTime    time.Time
	ExpiresTime    time.Time
}

// TableName implements gorm's Tabler.
func (Record) TableName() string { return "idempotency_keys" }

// nameOf returns the name of a key for the lease, of bounded length and without text
// of the caller. The digest has a fixed length and is last, so a scope cannot imitate another scope
// followed by the start of a digest.
func nameOf(tenantID int64, scope, key string) string {
	digest := sha256.Sum256([]byte(key))
	name := make([]byte, 0, 128)
	name = strconv.AppendInt(append(name, "idempotency:{"...), tenantID, 10)
	name = append(append(append(name, "}:"...), scope...), ':')
	return string(base64.RawURLEncoding.AppendEncode(name, digest[:]))
}

// errKeyExists means that a concurrent attempt recorded the key first.
var errKeyExists = errors.New("another attempt recorded the idempotency key first")

// store reads and writes records.
type store struct{ db *storage.DB }

// find returns the record under a key, expired or not. Errors: gorm.ErrRecordNotFound.
func (s store) find(ctx context.Context, scope, key string) (Record, error) {
	var record Record
	err := s.db.Read(ctx).Where("scope = ? AND idempotency_key = ?", scope, key).Take(&record).Error
	if err != nil {
		return Record{}, fmt.Errorf("read the idempotency key: %w", err)
	}
	return record, nil
}

// insert adds records in tx with one statement. Errors: errKeyExists.
func insert(tx *gorm.DB, records ...*Record) error {
	err := tx.Create(records).Error
	switch {
	case storage.IsDuplicate(err, "uq_idempotency_keys_key"):
		return errKeyExists
	case err != nil:
		return fmt.Errorf("record the reply under its idempotency key: %w", err)
	}
	return nil
}
