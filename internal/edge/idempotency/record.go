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
	// largestReply is the largest sealed reply that is kept, in bytes. The repeat of
	// a larger one is answered with where to read it.
	largestReply = 256 << 10
	// longestPath bounds the path and location that are kept, in bytes.
	longestPath = 1024
)

// fingerprint tells requests apart that use one key.
type fingerprint [sha256.Size]byte

// fingerprintOf covers method, path, query (in any order of its parameters) and
// body (in its canonical form, if it is JSON). Each part is preceded by its length, so that no two requests share one by
// moving bytes from part to part.
func fingerprintOf(r httpapi.KeyedRequest) fingerprint {
	hash := sha256.New()
	head := make([]byte, 0, 256)
	for _, part := range []string{r.Method, r.Path, canonical(r.Query)} {
		head = binary.BigEndian.AppendUint64(head, uint64(len(part)))
		head = append(head, part...)
	}
	body, err := strictjson.Canonical(r.Body)
	if err != nil {
		body = r.Body
	}
	hash.Write(binary.BigEndian.AppendUint64(head, uint64(len(body))))
	hash.Write(body)
	var fingerprint fingerprint
	hash.Sum(fingerprint[:0])
	return fingerprint
}

// canonical sorts a query by name. One that cannot be parsed stands for itself.
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

// The kinds of holders of keys, with which their scopes begin: see principal.Principal.KeyScope.
const (
	user     = "user"
	customer = "customer"
)

// Record is a reply that is kept under a key.
type Record struct {
	ID             int64
	TenantID       int64
	Scope          string
	IdempotencyKey string
	// Fingerprint tells the record from others. Without a key that encrypts it is the request's
	// fingerprint; with one it is random, and SealedFingerprint has the request's: who has the
	// database could try by it what the secret in a request is.
	Fingerprint       []byte
	SealedFingerprint []byte
	Method            string
	Path              string
	// RequestID is of the request that had the effect.
	RequestID  string
	ActorKind  string
	ActorID    string
	ActorName  string
	OnBehalfOf *principal.CustomerID
	// Status is the reply's.
	Status int
	// Reply is the sealed header and body; nil when it was too large to keep.
	Reply []byte
	// Location is where a reply that is too large can be read.
	Location string
	// CipherKey is the id of the key that Reply and SealedFingerprint are sealed with; "" for none.
	CipherKey string `gorm:"column:seal_key"`
	// DurationUS is how long the request took until its reply was recorded, in
	// microseconds.
	DurationUS int64 `gorm:"column:duration_us"`
	Replays    int64
	// LastReplayTime is nil while there was none.
	LastReplayTime *time.Time
	CreatedTime    time.Time
	ExpiresTime    time.Time
}

// TableName implements gorm's Tabler.
func (Record) TableName() string { return "idempotency_keys" }

// nameOf names a key for the lease and the cache: at a bounded length, and with nothing
// of the caller's own text in it. The digest has one length and comes last, so a scope
// cannot pass for another one with the beginning of a digest.
func nameOf(tenantID int64, scope, key string) string {
	digest := sha256.Sum256([]byte(key))
	name := make([]byte, 0, 128)
	name = strconv.AppendInt(append(name, "idempotency:{"...), tenantID, 10)
	name = append(append(append(name, "}:"...), scope...), ':')
	return string(base64.RawURLEncoding.AppendEncode(name, digest[:]))
}

// errTaken says that the key was recorded by somebody else meanwhile.
var errTaken = errors.New("the idempotency key was taken meanwhile")

// store reads and writes records.
type store struct{ db *storage.DB }

// find returns what is recorded under a key, expired or not. Errors:
// gorm.ErrRecordNotFound.
func (s store) find(ctx context.Context, scope, key string) (Record, error) {
	var record Record
	err := s.db.Read(ctx).Where("scope = ? AND idempotency_key = ?", scope, key).Take(&record).Error
	if err != nil {
		return Record{}, fmt.Errorf("read the idempotency key: %w", err)
	}
	return record, nil
}

// insert adds records in the given transaction, with one statement. Errors: errTaken.
func insert(tx *gorm.DB, records ...*Record) error {
	err := tx.Create(records).Error
	switch {
	case storage.IsDuplicate(err, "uq_idempotency_keys_key"):
		return errTaken
	case err != nil:
		return fmt.Errorf("record the reply under its idempotency key: %w", err)
	}
	return nil
}
