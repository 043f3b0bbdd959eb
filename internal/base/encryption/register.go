package encryption

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/storage"
)

// checkText is what each key encrypts once, so that the database can tell it from another one
// under its id.
const checkText = "interlock"

func checkPlace(id string) string { return "encryption_keys\x00" + id }

// registered is a key that has encrypted values of a database.
type registered struct {
	ID    string
	Check []byte `gorm:"column:check_value"`
	// RetiredTime is when nothing was encrypted with it any more; nil before that.
	RetiredTime *time.Time
}

func registeredKeys(ctx context.Context, db *storage.DB) ([]registered, error) {
	var rows []registered
	err := db.Read(storage.AcrossTenants(ctx)).Raw("SELECT id, check_value, retired_time FROM encryption_keys ORDER BY created_time, id").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read which encryption keys were used: %w", err)
	}
	return rows, nil
}

// Usage is which keys have encrypted values of a database.
type Usage struct {
	// Lost are the ids of those that a cipher does not have and that are not retired, oldest first.
	Lost []string
	// entered is true when the one that encrypts now is among them all, and not retired.
	entered bool
}

// Check compares the keys that have encrypted values of a database with those of a cipher.
// Errors: a key is another one than the one that the database knows by its id.
func Check(ctx context.Context, db *storage.DB, c Cipher) (Usage, error) {
	rows, err := registeredKeys(ctx, db)
	if err != nil {
		return Usage{}, err
	}
	var usage Usage
	for _, row := range rows {
		usage.entered = usage.entered || row.ID == c.current && row.RetiredTime == nil
		if c.byID[row.ID] == nil {
			if row.RetiredTime == nil {
				usage.Lost = append(usage.Lost, row.ID)
			}
			continue
		}
		if plain, err := c.Decrypt(row.Check, row.ID, checkPlace(row.ID)); err != nil || string(plain) != checkText {
			return usage, fmt.Errorf("the encryption key %q is another one than the one that values in the database were encrypted with; give each key an id of its own, and put the former one back", row.ID)
		}
	}
	return usage, nil
}

// Register enters the key that encrypts into the database before it encrypts anything there. Of
// several processes that come at once with different keys under one id the primary key lets one
// in, and Check refuses the others.
//
//	UPDATE encryption_keys SET retired_time = NULL WHERE id = ? AND retired_time IS NOT NULL
//	INSERT INTO encryption_keys (id, check_value, created_time) VALUES (?, ?, ?)
//
// Errors: those of Check.
func Register(ctx context.Context, db *storage.DB, c Cipher, now time.Time) (Usage, error) {
	usage, err := Check(ctx, db, c)
	if err != nil || c.current == "" || usage.entered {
		return usage, err
	}
	check, id := c.Encrypt([]byte(checkText), checkPlace(c.current))
	// One that was retired encrypts again.
	err = db.Write(storage.AcrossTenants(ctx)).Exec("UPDATE encryption_keys SET retired_time = NULL WHERE id = ? AND retired_time IS NOT NULL", id).Error
	if err != nil {
		return usage, fmt.Errorf("enter the encryption key %q into the database: %w", id, err)
	}
	err = db.Write(storage.AcrossTenants(ctx)).
		Exec("INSERT INTO encryption_keys (id, check_value, created_time) VALUES (?, ?, ?)", id, check, now).Error
	if err != nil && !storage.Is(err, storage.DuplicateKey) {
		return usage, fmt.Errorf("enter the encryption key %q into the database: %w", id, err)
	}
	return Check(ctx, db, c)
}
