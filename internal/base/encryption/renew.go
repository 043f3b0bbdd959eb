package encryption

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/storage"
)

const (
	// renewedAtOnce is the maximum number of rows per transaction, and renewedBytes the
	// approximate maximum of bytes: the embedded database has one writer.
	renewedAtOnce = 50
	renewedBytes  = 1 << 20
	// renewalTimeout bounds one transaction.
	renewalTimeout = 30 * time.Second
	// maxPasses bounds the passes over the tables to find concurrently written rows.
	maxPasses = 5
)

// Table describes a table with encrypted values, as declared by the package that writes it.
// All values of a row use one key, or Keys returns their keys.
type Table struct {
	Name string
	// KeyColumn is the column with the id of the row's key; "" if Keys returns it.
	KeyColumn string
	// Keys returns the ids of the keys of a row's values; nil for KeyColumn.
	Keys func(Row) []string
	// Condition is the SQL condition of rows with values to encrypt or re-encrypt.
	Condition string
	// Reads lists the columns that Renewed needs in addition to KeyColumn.
	Reads []string
	// Renewed returns the changed columns of a row with renewed values (Cipher.Renew).
	Renewed func(c Cipher, r Row) (map[string]any, error)
	// Unless is an SQL condition of rows to skip for now; "" for none.
	Unless string
	// Along updates dependent rows in the transaction of the row; nil for none.
	Along func(tx *gorm.DB, r Row, set map[string]any) error
}

// Row is a row of a Table.
type Row struct {
	ID, TenantID int64
	// KeyID is the value of KeyColumn.
	KeyID string
	cells map[string]any
}

// Text returns a column as text, "" for null.
func (r Row) Text(column string) string {
	switch value := r.cells[column].(type) {
	case nil:
		return ""
	case []byte:
		return string(value)
	case string:
		return value
	default:
		return fmt.Sprint(value)
	}
}

// Bytes returns a column as bytes, nil for null.
func (r Row) Bytes(column string) []byte {
	switch value := r.cells[column].(type) {
	case []byte:
		return value
	case string:
		return []byte(value)
	}
	return nil
}

// Number returns a column as a number, 0 for none.
func (r Row) Number(column string) int64 {
	number, _ := strconv.ParseInt(r.Text(column), 10, 64)
	return number
}

func (r Row) size() (bytes int) {
	for column := range r.cells {
		bytes += len(r.Text(column))
	}
	return bytes
}

func (t Table) keysOf(r Row) []string {
	if t.Keys != nil {
		return t.Keys(r)
	}
	return []string{r.KeyID}
}

// Counts are the numbers of rows by tenant, table and id of the key; the id "" is for
// values in clear that a key could encrypt.
type Counts map[int64]map[string]map[string]int

func (c Counts) add(tenant int64, table, key string, rows int) {
	if c[tenant] == nil {
		c[tenant] = map[string]map[string]int{}
	}
	if c[tenant][table] == nil {
		c[tenant][table] = map[string]int{}
	}
	c[tenant][table][key] += rows
}

// Without returns the counts of all keys except one.
func (c Counts) Without(key string) Counts {
	others := Counts{}
	for tenant, tables := range c {
		for table, keys := range tables {
			for id, rows := range keys {
				if id != key {
					others.add(tenant, table, id, rows)
				}
			}
		}
	}
	return others
}

// ByKey returns the number of rows of all tenants by key and table.
func (c Counts) ByKey() map[string]map[string]int {
	by := map[string]map[string]int{}
	for _, tables := range c {
		for table, keys := range tables {
			for id, rows := range keys {
				if by[id] == nil {
					by[id] = map[string]int{}
				}
				by[id][table] += rows
			}
		}
	}
	return by
}

// Rows returns the total number of rows.
func (c Counts) Rows() (rows int) {
	for _, tables := range c.ByKey() {
		for _, n := range tables {
			rows += n
		}
	}
	return rows
}

// Count counts the rows of tables by key.
//
//	SELECT tenant_id, key, COUNT(*) FROM t WHERE … GROUP BY tenant_id, key
func Count(ctx context.Context, db *storage.DB, tables []Table) (Counts, error) {
	counts := Counts{}
	for _, t := range tables {
		if t.Keys != nil {
			err := t.each(ctx, db, "", func(some []Row) error {
				for _, r := range some {
					for _, key := range t.Keys(r) {
						counts.add(r.TenantID, t.Name, key, 1)
					}
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			continue
		}
		var found []struct {
			TenantID int64
			KeyID    string
			N        int
		}
		err := db.Read(storage.AcrossTenants(ctx)).Raw("SELECT tenant_id, " + t.KeyColumn + " AS key_id, COUNT(*) AS n FROM " + t.Name +
			" WHERE " + t.Condition + " GROUP BY tenant_id, " + t.KeyColumn).Scan(&found).Error
		if err != nil {
			return nil, fmt.Errorf("count by which keys %s is encrypted: %w", t.Name, err)
		}
		for _, f := range found {
			counts.add(f.TenantID, t.Name, f.KeyID, f.N)
		}
	}
	return counts, nil
}

// each reads the rows of a table with values that have a key other than current, or any key if current
// is "". It reads the rows in the order of their ids.
func (t Table) each(ctx context.Context, db *storage.DB, current string, do func([]Row) error) error {
	columns := append([]string{"id", "tenant_id"}, t.Reads...)
	condition, values := t.Condition, []any{}
	if t.KeyColumn != "" {
		columns = append(columns, t.KeyColumn)
		condition, values = condition+" AND "+t.KeyColumn+" <> ?", append(values, current)
	}
	return storage.Walk(ctx, func(after []any) ([]any, error) {
		if after == nil {
			after = []any{int64(0)}
		}
		var found []map[string]any
		statement := "SELECT `" + strings.Join(columns, "`, `") + "` FROM " + t.Name + " WHERE id > ? AND " + condition + " ORDER BY id LIMIT ?"
		err := db.Read(storage.AcrossTenants(ctx)).Raw(statement, slices.Concat(after, values, []any{renewedAtOnce})...).Scan(&found).Error
		if err != nil {
			return nil, fmt.Errorf("read the encrypted values of %s: %w", t.Name, err)
		}
		rows := make([]Row, len(found))
		for i, cells := range found {
			rows[i] = Row{cells: cells}
			rows[i].ID, rows[i].TenantID = rows[i].Number("id"), rows[i].Number("tenant_id")
			if t.KeyColumn != "" {
				rows[i].KeyID = rows[i].Text(t.KeyColumn)
			}
		}
		if err := do(rows); err != nil || len(rows) < renewedAtOnce {
			return nil, err
		}
		return []any{rows[len(rows)-1].ID}, nil
	})
}

// Renewal is the result of Renew.
type Renewal struct {
	// Renewed is the number of re-encrypted rows by table.
	Renewed map[string]int
	// Unreadable is the number of rows by table that could not be decrypted.
	Unreadable map[string]int
	// Left are the rows that still have values of other keys.
	Left Counts
	// Retired contains the ids of the keys without values.
	Retired []string
}

// Renew encrypts with the current key all values in the tables that are in clear or
// encrypted with another key. It changes only the encrypted columns, and no version.
//
// A row is written only if it is unchanged since the read: a concurrent writer wins, and
// the next pass finds the new value. So Renew can run concurrently with servers and with
// itself, and can be interrupted anywhere: at any time each value is encrypted with the key
// that its row names.
//
//	UPDATE t SET value = ?, key = ? WHERE tenant_id = ? AND id = ? AND key = ? AND value = ?
//
// Then Renew marks the keys without values as retired. Errors: ErrUnreadable if there is no
// current key.
func Renew(ctx context.Context, db *storage.DB, c Cipher, tables []Table, now time.Time) (Renewal, error) {
	done := Renewal{Renewed: map[string]int{}}
	if c.current == "" {
		return done, fmt.Errorf("%w and encrypted again: there is no current key", ErrUnreadable)
	}
	for range maxPasses {
		done.Unreadable = map[string]int{}
		before := total(done.Renewed)
		for _, t := range tables {
			if err := t.renew(ctx, db, c, &done); err != nil {
				return done, err
			}
		}
		if total(done.Renewed) == before {
			break
		}
	}
	counts, err := Count(ctx, db, tables)
	if err != nil {
		return done, err
	}
	done.Left = counts.Without(c.current)
	done.Retired, err = retire(ctx, db, c, done.Left.ByKey(), now)
	return done, err
}

func total(byTable map[string]int) (rows int) {
	for _, n := range byTable {
		rows += n
	}
	return rows
}

// change is one row with its new values.
type change struct {
	row Row
	set map[string]any
}

// renew makes one pass over a table.
func (t Table) renew(ctx context.Context, db *storage.DB, c Cipher, done *Renewal) error {
	return t.each(ctx, db, c.current, func(rows []Row) error {
		var changes []change
		bytes := 0
		flush := func() error {
			renewed, err := t.write(ctx, db, changes)
			done.Renewed[t.Name] += renewed
			changes, bytes = nil, 0
			return err
		}
		for _, r := range rows {
			if !slices.ContainsFunc(t.keysOf(r), func(id string) bool { return id != c.current }) {
				continue
			}
			set, err := t.Renewed(c, r)
			if errors.Is(err, ErrUnreadable) {
				done.Unreadable[t.Name]++
				continue
			}
			if err != nil {
				return fmt.Errorf("re-encrypt row %d of %s: %w", r.ID, t.Name, err)
			}
			changes = append(changes, change{r, set})
			if bytes += r.size(); bytes > renewedBytes {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return flush()
	})
}

// write issues the guarded UPDATEs of some rows in one transaction, and returns the number
// of rows that were unchanged since the read.
func (t Table) write(ctx context.Context, db *storage.DB, changes []change) (renewed int, err error) {
	if len(changes) == 0 {
		return 0, nil
	}
	err = db.TransactRepeatable(storage.AcrossTenants(ctx), renewalTimeout, func(tx *gorm.DB) error {
		renewed = 0
		for _, one := range changes {
			written, err := t.writeOne(tx, one)
			if err != nil {
				return fmt.Errorf("re-encrypt row %d of %s: %w", one.row.ID, t.Name, err)
			}
			if written {
				renewed++
			}
		}
		return nil
	})
	return renewed, err
}

func (t Table) writeOne(tx *gorm.DB, one change) (bool, error) {
	var sets, conditions []string
	var values, were []any
	for _, column := range slices.Sorted(maps.Keys(one.set)) {
		sets, values = append(sets, column+" = ?"), append(values, one.set[column])
		if was := one.row.cells[column]; was != nil {
			conditions, were = append(conditions, column+" = ?"), append(were, was)
		}
	}
	statement := "UPDATE " + t.Name + " SET " + strings.Join(sets, ", ") + " WHERE tenant_id = ? AND id = ? AND " + strings.Join(conditions, " AND ")
	if t.Unless != "" {
		statement += " AND NOT (" + t.Unless + ")"
	}
	result := tx.Exec(statement, slices.Concat(values, []any{one.row.TenantID, one.row.ID}, were)...)
	if result.Error != nil || result.RowsAffected == 0 || t.Along == nil {
		return result.RowsAffected > 0, result.Error
	}
	return true, t.Along(tx, one.row, one.set)
}

// retire marks the keys without values as retired, and returns all retired keys.
//
//	UPDATE encryption_keys SET retired_time = ? WHERE id = ? AND retired_time IS NULL
func retire(ctx context.Context, db *storage.DB, c Cipher, used map[string]map[string]int, now time.Time) (retired []string, err error) {
	known, err := Known(ctx, db, c)
	if err != nil {
		return nil, err
	}
	for _, key := range known {
		if key.ID == c.current || len(used[key.ID]) > 0 {
			continue
		}
		retired = append(retired, key.ID)
		if key.Retired {
			continue
		}
		err := db.Write(storage.AcrossTenants(ctx)).Exec("UPDATE encryption_keys SET retired_time = ? WHERE id = ? AND retired_time IS NULL", now, key.ID).Error
		if err != nil {
			return nil, fmt.Errorf("note that the encryption key %q is retired: %w", key.ID, err)
		}
	}
	return retired, nil
}

// KnownKey is a key that has encrypted values of a database.
type KnownKey struct {
	ID string
	// Here is true if the cipher has the key, and Current if the key encrypts new values.
	Here, Current bool
	// Retired is true if the key had no values at the end of Renew, and has not been
	// registered again since.
	Retired bool
}

// Known returns the registered keys of a database, oldest first.
func Known(ctx context.Context, db *storage.DB, c Cipher) ([]KnownKey, error) {
	rows, err := registeredKeys(ctx, db)
	if err != nil {
		return nil, err
	}
	keys := make([]KnownKey, len(rows))
	for i, row := range rows {
		keys[i] = KnownKey{ID: row.ID, Here: c.byID[row.ID] != nil, Current: row.ID == c.current, Retired: row.RetiredTime != nil}
	}
	return keys, nil
}
