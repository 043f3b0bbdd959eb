package mq

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

// sqlQueue is a Queue of table rows.
type sqlQueue struct {
	broker *SQL
	name   string
	waker  *waker
}

// Name implements Queue.
func (q *sqlQueue) Name() string { return q.name }

func (q *sqlQueue) arrivals() <-chan struct{} { return q.waker.signal }

// Enqueue implements Queue.
func (q *sqlQueue) Enqueue(ctx context.Context, messages ...Message) error {
	if len(messages) == 0 {
		return nil
	}
	if err := q.broker.register(ctx, q.name); err != nil {
		return err
	}
	err := q.broker.atomically(ctx, func(tx *gorm.DB) error {
		return q.broker.insert(tx, q.name, messages)
	})
	if err != nil {
		return err
	}
	q.broker.Enqueued(q.name, len(messages))
	return nil
}

// Claim implements Queue.
func (q *sqlQueue) Claim(ctx context.Context, limit int, lease time.Duration) (*Batch, error) {
	return q.ClaimPaced(ctx, limit, lease, 0)
}

// ClaimPaced implements Queue. It queries a reading connection first, so that consumers
// that are idle or must wait do not block the writer. If other consumers win every attempt,
// it returns no batch.
func (q *sqlQueue) ClaimPaced(ctx context.Context, limit int, lease time.Duration, rate float64) (*Batch, error) {
	s := q.broker
	if err := s.register(ctx, q.name); err != nil {
		return nil, err
	}
	due, err := exists(q.waiting(s.read(ctx)))
	if err != nil {
		return nil, fmt.Errorf("find messages of %s: %w", q.name, err)
	}
	limit = min(max(limit, 1), maxBatch)
	if due && rate > 0 {
		if _, _, err := q.allowed(s.read(ctx), rate, limit); err != nil {
			return nil, fmt.Errorf("claim from %s: %w", q.name, err)
		}
	}
	var b *Batch
	for again := due; again && b == nil; {
		err = s.atomically(ctx, func(tx *gorm.DB) (err error) {
			b, again, err = q.claim(tx, limit, lease, rate)
			return err
		})
		if errors.Is(err, errTaken) {
			// Other consumers claimed the messages each time. The next poll tries again.
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("claim from %s: %w", q.name, err)
		}
	}
	return b, nil
}

// waiting selects the messages that can be claimed now.
func (q *sqlQueue) waiting(tx *gorm.DB) *gorm.DB {
	return tx.Model(&messageRow{}).
		Where("queue = ? AND state = ? AND due_time <= ?", q.name, rowWaiting, q.broker.clock.Now())
}

// errTaken means that another transaction claimed rows that this one had read. The UPDATE
// of their state decides which transaction gets them, whatever the engine does on FOR
// UPDATE.
var errTaken = fmt.Errorf("mq: another transaction claimed the messages first: %w", storage.ErrRunAgain)

// claim claims the first messages that no other transaction is claiming:
//
//	SELECT … WHERE queue = ? AND state = 0 AND due_time <= ? ORDER BY due_time, id LIMIT ? FOR UPDATE SKIP LOCKED
//	INSERT INTO mq_batches …
//	UPDATE mq_messages SET state = 1, batch_id = ? WHERE id IN (?, …) AND state = 0
//
// again is true if all selected messages were undecodable; they are now dead. Errors: errTaken;
// *PacedError when the rate allows none.
func (q *sqlQueue) claim(tx *gorm.DB, limit int, lease time.Duration, rate float64) (b *Batch, again bool, err error) {
	var rateBucket bucket
	if rate > 0 {
		if rateBucket, limit, err = q.allowed(tx, rate, limit); err != nil {
			return nil, false, err
		}
	}
	var rows []messageRow
	err = q.broker.selectSkipLocked(tx, func(tx *gorm.DB) error {
		return q.waiting(tx).Order("due_time, id").Limit(limit).Find(&rows).Error
	})
	if err != nil {
		return nil, false, err
	}
	b = &Batch{ID: newBatchID()}
	now := q.broker.clock.Now()
	var broken settlement
	for _, row := range q.withoutSuspects(rows) {
		m, err := row.message()
		if err != nil {
			broken.add(row.ID, rowDead, row.Attempts, now, err.Error())
			continue
		}
		b.Messages, b.rows = append(b.Messages, m), append(b.rows, row.ID)
	}
	if err := broken.run(tx, rowWaiting); err != nil {
		return nil, false, err
	}
	if len(b.rows) == 0 {
		return nil, len(broken.ids) > 0, nil
	}
	if err := tx.Create(&batchRow{ID: b.ID, Queue: q.name, LeaseTime: now.Add(lease)}).Error; err != nil {
		return nil, false, err
	}
	result := tx.Exec("UPDATE mq_messages SET state = ?, batch_id = ? WHERE id IN ? AND state = ?", rowClaimed, b.ID, b.rows, rowWaiting)
	if result.Error == nil && result.RowsAffected != int64(len(b.rows)) {
		return nil, false, errTaken
	}
	if result.Error == nil && rate > 0 {
		return b, false, q.spend(tx, rateBucket, len(b.rows))
	}
	return b, false, result.Error
}

// allowed returns the bucket of the queue's rate and the number of messages that it allows for a
// claim. Error: *PacedError.
func (q *sqlQueue) allowed(tx *gorm.DB, rate float64, limit int) (bucket, int, error) {
	var row queueRow
	if err := tx.Where("name = ?", q.name).Take(&row).Error; err != nil {
		return bucket{}, 0, fmt.Errorf("read the rate of %s: %w", q.name, err)
	}
	b := newBucket(rate, row.RateUsed, q.broker.clock.Now().UnixMicro())
	n, wait := b.allowed(limit)
	if n == 0 {
		return b, 0, &PacedError{wait}
	}
	return b, n, nil
}

// spend deducts a claim from the bucket, unless another claim has changed the bucket since
// it was read:
//
//	UPDATE mq_queues SET rate_used = ? WHERE name = ? AND rate_used = ?
//
// Error: errTaken.
func (q *sqlQueue) spend(tx *gorm.DB, b bucket, n int) error {
	result := tx.Exec("UPDATE mq_queues SET rate_used = ? WHERE name = ? AND rate_used = ?", b.spend(n), q.name, b.read)
	if result.Error == nil && result.RowsAffected != 1 {
		return errTaken
	}
	return result.Error
}

// withoutSuspects returns the rows before the first suspect row. If the first row is suspect, it
// returns only that row.
func (q *sqlQueue) withoutSuspects(rows []messageRow) []messageRow {
	for i, row := range rows {
		if row.Attempts+row.Crashes >= q.broker.options.Limits.Suspect {
			return rows[:max(i, 1)]
		}
	}
	return rows
}

// Extend implements Queue:
//
//	UPDATE mq_batches SET lease_time = ? WHERE id = ? AND NOT settled
func (q *sqlQueue) Extend(ctx context.Context, b *Batch, lease time.Duration) error {
	result := q.broker.db.Write(storage.AcrossTenants(ctx)).
		Exec("UPDATE mq_batches SET lease_time = ? WHERE id = ? AND NOT settled", q.broker.clock.Now().Add(lease), b.ID)
	if result.Error != nil {
		return fmt.Errorf("extend a lease of %s: %w", q.name, result.Error)
	}
	if result.RowsAffected != 1 {
		return fmt.Errorf("extend batch %s of %s: %w", b.ID, q.name, ErrLeaseLost)
	}
	return nil
}

// errSettled means that the batch was settled before.
var errSettled = errors.New("the batch was settled before")

// Settle implements Queue. The guard that lets exactly one of Settle and Reap win is
//
//	UPDATE mq_batches SET settled = 1 WHERE id = ? AND NOT settled
func (q *sqlQueue) Settle(ctx context.Context, b *Batch, outcomes []Outcome) error {
	if len(outcomes) != len(b.Messages) {
		return fmt.Errorf("settle batch %s of %s: %w: %d for %d", b.ID, q.name, ErrOutcomes, len(outcomes), len(b.Messages))
	}
	err := q.broker.atomically(ctx, func(tx *gorm.DB) error {
		if err := q.endLease(tx, b); err != nil {
			return err
		}
		return q.place(tx, b, outcomes)
	})
	if errors.Is(err, errSettled) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("settle batch %s of %s: %w", b.ID, q.name, err)
	}
	q.broker.options.Observer.settled(q.name, tally(outcomes))
	return nil
}

func (q *sqlQueue) endLease(tx *gorm.DB, b *Batch) error {
	result := tx.Exec("UPDATE mq_batches SET settled = ?, lease_time = ? WHERE id = ? AND NOT settled",
		true, q.broker.clock.Now().Add(settledTTL), b.ID)
	if result.Error != nil || result.RowsAffected == 1 {
		return result.Error
	}
	settled, err := exists(tx.Model(&batchRow{}).Where("id = ? AND settled", b.ID))
	switch {
	case err != nil:
		return err
	case settled:
		return errSettled
	default:
		return ErrLeaseLost
	}
}

func (q *sqlQueue) place(tx *gorm.DB, b *Batch, outcomes []Outcome) error {
	now := q.broker.clock.Now()
	// Each message has its own time, which preserves their order.
	at := func(i int) time.Time { return now.Add(time.Duration(i+1-len(outcomes)) * time.Microsecond) }
	var handled []int64
	var rest settlement
	var head []int64
	for i, o := range outcomes {
		attempts := o.apply(b.Messages[i]).Attempts
		switch {
		case o.kind == done:
			handled = append(handled, b.rows[i])
		case o.kind == dead:
			rest.add(b.rows[i], rowDead, attempts, at(i), o.text())
		case o.kind == postpone && o.after <= 0:
			head = append(head, b.rows[i])
		default:
			rest.add(b.rows[i], rowWaiting, attempts, at(i).Add(max(o.after, 0)), o.text())
		}
	}
	if len(handled) > 0 {
		if err := tx.Exec("DELETE FROM mq_messages WHERE id IN ? AND batch_id = ?", handled, b.ID).Error; err != nil {
			return err
		}
	}
	if len(head) > 0 {
		// A message with an unchanged due time has the same position as before.
		if err := tx.Exec("UPDATE mq_messages SET batch_id = '', state = ? WHERE id IN ? AND batch_id = ?", rowWaiting, head, b.ID).Error; err != nil {
			return err
		}
	}
	return rest.run(tx, rowClaimed)
}

// Reap implements Queue. Due messages need no step: Claim checks the due time.
func (q *sqlQueue) Reap(ctx context.Context) (Reaped, error) {
	s := q.broker
	if err := s.register(ctx, q.name); err != nil {
		return Reaped{}, err
	}
	ended, err := exists(q.ended(s.read(ctx)))
	if err != nil {
		return Reaped{}, fmt.Errorf("reap %s: %w", q.name, err)
	}
	var returned, died int
	if ended {
		err = s.atomically(ctx, func(tx *gorm.DB) (err error) {
			returned, died, err = q.reap(tx)
			return err
		})
		if err != nil {
			return Reaped{}, fmt.Errorf("reap %s: %w", q.name, err)
		}
	}
	s.options.Observer.reaped(q.name, returned, died)
	if returned > 0 {
		q.waker.wake()
	}
	var held int64
	if err := s.read(ctx).Model(&batchRow{}).Where("queue = ? AND NOT settled", q.name).Count(&held).Error; err != nil {
		return Reaped{}, fmt.Errorf("count the leases of %s: %w", q.name, err)
	}
	return Reaped{Returned: returned, Held: int(held)}, nil
}

// ended selects the batches with an expired lease or settled mark.
func (q *sqlQueue) ended(tx *gorm.DB) *gorm.DB {
	return tx.Model(&batchRow{}).Where("queue = ? AND lease_time <= ?", q.name, q.broker.clock.Now())
}

// reap deletes the ended batches, each by a guarded statement that exactly one of Reap,
// Settle and Extend wins:
//
//	DELETE FROM mq_batches WHERE id = ? AND lease_time <= ?
//
// Messages of a settled batch no longer refer to it.
func (q *sqlQueue) reap(tx *gorm.DB) (returned, died int, err error) {
	var ids []string
	err = q.broker.selectSkipLocked(tx, func(tx *gorm.DB) error {
		return q.ended(tx).Order("lease_time").Limit(maxBatch).Pluck("id", &ids).Error
	})
	if err != nil {
		return 0, 0, err
	}
	now := q.broker.clock.Now()
	for _, id := range ids {
		ended := tx.Exec("DELETE FROM mq_batches WHERE id = ? AND lease_time <= ?", id, now)
		if ended.Error != nil {
			return 0, 0, ended.Error
		}
		if ended.RowsAffected == 0 {
			continue
		}
		buried := tx.Exec("UPDATE mq_messages SET state = ?, due_time = ?, error = ?, crashes = crashes + 1, batch_id = '' WHERE batch_id = ? AND crashes >= ?",
			rowDead, now, crashError, id, q.broker.options.Limits.CrashLimit-1)
		if buried.Error != nil {
			return 0, 0, buried.Error
		}
		back := tx.Exec("UPDATE mq_messages SET state = ?, crashes = crashes + 1, batch_id = '' WHERE batch_id = ?", rowWaiting, id)
		if back.Error != nil {
			return 0, 0, back.Error
		}
		died, returned = died+int(buried.RowsAffected), returned+int(back.RowsAffected)
	}
	return returned, died, nil
}

// Stats implements Queue. One statement counts all sizes, so they are of one point in time.
func (q *sqlQueue) Stats(ctx context.Context) (Stats, error) {
	s, tx := Stats{}, q.broker.read(ctx)
	now := q.broker.clock.Now()
	err := tx.Raw(`SELECT COALESCE(SUM(state = 0 AND due_time <= ?), 0) AS pending, COALESCE(SUM(state = 1), 0) AS claimed,
		COALESCE(SUM(state = 0 AND due_time > ?), 0) AS `+"`delayed`"+`, COALESCE(SUM(state = 2), 0) AS dead
		FROM mq_messages WHERE queue = ?`, now, now, q.name).Row().Scan(&s.Pending, &s.Claimed, &s.Delayed, &s.Dead)
	if err != nil {
		return Stats{}, fmt.Errorf("measure %s: %w", q.name, err)
	}
	var oldest []messageRow
	if err := q.waiting(tx).Select("enqueued_time").Order("due_time, id").Limit(1).Find(&oldest).Error; err != nil {
		return Stats{}, fmt.Errorf("measure %s: %w", q.name, err)
	}
	if len(oldest) == 1 {
		s.OldestAge = max(0, now.Sub(oldest[0].EnqueuedTime))
	}
	return s, nil
}

// Dead implements Queue. Its cursor consists of dead time and row id.
func (q *sqlQueue) Dead(ctx context.Context, after string, limit int) ([]DeadMessage, string, error) {
	limit = min(max(limit, 1), MaxListed)
	tx := q.broker.read(ctx).Where("queue = ? AND state = ?", q.name, rowDead)
	if after != "" {
		since, row, err := sqlCursor(after)
		if err != nil {
			return nil, "", err
		}
		tx = tx.Where("(due_time, id) > (?, ?)", since, row)
	}
	var rows []messageRow
	if err := tx.Order("due_time, id").Limit(limit + 1).Find(&rows).Error; err != nil {
		return nil, "", fmt.Errorf("list dead messages of %s: %w", q.name, err)
	}
	next := ""
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		next = strconv.FormatInt(last.DueTime.UnixMicro(), 10) + "." + strconv.FormatInt(last.ID, 10)
	}
	list := make([]DeadMessage, len(rows))
	for i, row := range rows {
		// A message with an unreadable trace is listed without it.
		m, _ := row.message()
		list[i] = DeadMessage{Message: m, Error: row.Error, DeadTime: row.DueTime.UTC()}
	}
	return list, next, nil
}

// sqlCursor parses the dead time and the row id after which a page of dead messages starts.
// Error: ErrCursor.
func sqlCursor(after string) (since time.Time, row int64, err error) {
	micros, id, _ := strings.Cut(after, ".")
	at, err := cursorNumber(micros)
	if err != nil {
		return since, 0, err
	}
	if since = time.UnixMicro(at).UTC(); !clock.Storable(since) {
		return since, 0, fmt.Errorf("list after %q: %w", after, ErrCursor)
	}
	row, err = cursorNumber(id)
	return since, row, err
}

// exists reports whether the query returns a row.
func exists(query *gorm.DB) (bool, error) {
	var one []int
	err := query.Select("1").Limit(1).Scan(&one).Error
	return len(one) == 1, err
}
