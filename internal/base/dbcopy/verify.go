package dbcopy

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"gorm.io/gorm"

	"interlock/internal/base/storage"
)

// digest identifies a set of rows, regardless of their order: the sums of two parts of the SHA-256 of
// each row.
type digest struct {
	rows        int64
	first, last uint64
}

// String implements fmt.Stringer.
func (d digest) String() string {
	return fmt.Sprintf("%d rows with the digest %016x%016x", d.rows, d.first, d.last)
}

// add adds a row. Each value has a tag and a length, so that different rows have different bytes.
func (d *digest) add(row []any) {
	var content []byte
	for _, value := range row {
		switch value := value.(type) {
		case nil:
			content = append(content, 0)
		case int64:
			content = binary.BigEndian.AppendUint64(append(content, 1), uint64(value))
		case time.Time:
			content = binary.BigEndian.AppendUint64(append(content, 2), uint64(value.UnixMicro()))
		case string:
			content = binary.AppendUvarint(append(content, 3), uint64(len(value)))
			content = append(content, value...)
		}
	}
	sum := sha256.Sum256(content)
	d.rows++
	d.first += binary.BigEndian.Uint64(sum[:8])
	d.last += binary.BigEndian.Uint64(sum[8:16])
}

// digestOf reads a whole table.
func digestOf(ctx context.Context, tx *gorm.DB, d storage.Dialect, t *table, read func(rows int)) (sum digest, err error) {
	err = storage.Walk(ctx, func(after []any) ([]any, error) {
		page, err := t.read(tx, d, after)
		if err != nil {
			return nil, fmt.Errorf("read %s on %s%s: %w", t.name, d, t.after(after), err)
		}
		for _, row := range page.rows {
			sum.add(row)
		}
		read(len(page.rows))
		if page.last {
			return nil, nil
		}
		return page.key, nil
	})
	return sum, err
}

// verify compares all tables on both sides.
func (r *run) verify(ctx context.Context, tables []*table) error {
	for _, t := range tables {
		meter := r.meter(Progress{Verifying: true, Table: t.name, Total: t.rows})
		var source, copied digest
		both, ctx := errgroup.WithContext(ctx)
		both.Go(func() (err error) {
			source, err = digestOf(ctx, r.from.tx, storage.SQLite, t, func(int) {})
			return err
		})
		both.Go(func() (err error) {
			copied, err = digestOf(ctx, r.to.db.Read(ctx), storage.MySQL, t, meter.add)
			return err
		})
		if err := both.Wait(); err != nil {
			return err
		}
		if source != copied {
			return fmt.Errorf("the copy of %s differs: the source has %s, the target has %s. The source was changed after the copy started, or the server altered values: %s",
				t.name, source, copied, emptyIt)
		}
		meter.end()
	}
	return r.to.verified(ctx)
}
