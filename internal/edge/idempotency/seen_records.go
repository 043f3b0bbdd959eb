package idempotency

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
)

const (
	// maxSeenRecords bounds how many records one check queries. It exceeds the usual number of
	// commits of a process between two checks. If there are more, every other record is dropped.
	maxSeenRecords = 1024
	// seenRecordsAfterCheck is how many of the found records the next check queries again.
	seenRecordsAfterCheck = 8
	// maxMargin bounds how early a record may be deleted by a process with a fast clock.
	maxMargin = 5 * time.Minute
)

// seenRecord identifies a committed record that this process has seen. A database that was restored
// from a backup lacks its last commits: if it contains the newest seen records, it contains all
// cached ones. The id alone does not identify a record, because the database assigns the id of a
// lost record again.
type seenRecord struct {
	id          int64
	key         string
	fingerprint fingerprint
	created     time.Time
	// until is the time from which the record may be deleted because of its age.
	until time.Time
}

// asSeen returns the identity of the record.
func (r *Record) asSeen() seenRecord {
	margin := min(maxMargin, r.ExpiresTime.Sub(r.CreatedTime)/10)
	return seenRecord{id: r.ID, key: r.IdempotencyKey, fingerprint: fingerprint(r.Fingerprint), created: r.CreatedTime, until: r.ExpiresTime.Add(-margin)}
}

// seenRecords is unordered.
type seenRecords []seenRecord

func (s *seenRecords) add(one seenRecord) {
	*s = append(*s, one)
	if len(*s) > maxSeenRecords {
		half := (*s)[:0]
		for i := (len(*s) - 1) % 2; i < len(*s); i += 2 {
			half = append(half, (*s)[i])
		}
		*s = half
	}
}

// prune drops found records, except the newest ones and the one that expires last, which can still be
// missed after the others have expired.
func (s *seenRecords) prune(found []seenRecord) {
	if len(found) <= seenRecordsAfterCheck {
		return
	}
	slices.SortFunc(found, func(a, b seenRecord) int {
		return cmp.Or(b.created.Compare(a.created), cmp.Compare(b.id, a.id))
	})
	longest := slices.MaxFunc(found, func(a, b seenRecord) int { return a.until.Compare(b.until) })
	dropped := make(map[seenRecord]bool, len(found))
	for _, one := range found[seenRecordsAfterCheck:] {
		dropped[one] = one != longest
	}
	*s = slices.DeleteFunc(*s, func(one seenRecord) bool { return dropped[one] })
}

// Missing is the epoch.Witness of this process's cache of replies. It describes a seen record that
// the database no longer contains; "" if it contains all.
func (k *ReplyStore) Missing(ctx context.Context, of epoch.Epoch) (string, error) {
	seen := k.memory.seen(of, k.clock.Now())
	missing, err := k.store.findMissing(ctx, seen)
	switch {
	case err != nil:
		return "", err
	case missing != nil:
		return fmt.Sprintf("The reply that was recorded at %s (record %d of the idempotency keys) no longer exists.",
			missing.created.Format(time.RFC3339Nano), missing.id), nil
	}
	k.memory.pruneSeen(of, seen)
	return "", nil
}

// findMissing returns one of the seen records that the database no longer has, or nil. If a plain
// read misses one, it queries again with FOR UPDATE, which a read-only replica rejects.
func (s store) findMissing(ctx context.Context, seen []seenRecord) (*seenRecord, error) {
	if len(seen) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(seen))
	for i, one := range seen {
		ids[i] = one.id
	}
	ctx = storage.AcrossTenants(ctx)
	missing, err := firstMissing(s.db.Read(ctx), ids, seen)
	if err != nil || missing == nil {
		return nil, err
	}
	return firstMissing(s.db.Write(ctx).Clauses(clause.Locking{Strength: "UPDATE"}), ids, seen) //nolint:forbidigo // nothing is written, so it guards nothing
}

// firstMissing returns the first seen record that the database lacks or has with other contents.
//
//	SELECT id, idempotency_key, fingerprint, created_time FROM idempotency_keys WHERE id IN (…)
func firstMissing(db *gorm.DB, ids []int64, seen []seenRecord) (*seenRecord, error) {
	var records []Record
	if err := db.Select("id", "idempotency_key", "fingerprint", "created_time").Where("id IN ?", ids).Find(&records).Error; err != nil {
		return nil, fmt.Errorf("find seen idempotency keys: %w", err)
	}
	for _, one := range seen {
		if !slices.ContainsFunc(records, one.isOf) {
			return &one, nil
		}
	}
	return nil, nil
}

// isOf reports whether r is the record that was seen.
func (s seenRecord) isOf(r Record) bool {
	return r.ID == s.id && r.IdempotencyKey == s.key && r.CreatedTime.Equal(s.created) && bytes.Equal(r.Fingerprint, s.fingerprint[:])
}
