package encryption

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/storage"
)

// checkText is the text that each key encrypts once, so that the database can detect
// another key under the same id.
const checkText = "interlock"

func associatedData(id string) string { return "encryption_keys\x00" + id }

// registered is a key that has encrypted values of a database.
type registered struct {
	ID    string
	Check []byte `gorm:"column:check_value"`
	// RetiredTime is when the last value of the key was re-encrypted; nil before that.
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

// Usage lists the keys that have encrypted values of a database.
type Usage struct {
	// Lost contains the ids of unretired keys that the cipher does not have, oldest first.
	Lost []string
	// entered is true if the current key is registered and not retired.
	entered bool
}

// Check compares the registered keys of a database with those of a cipher. Errors: a key
// differs from the registered key with the same id.
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
		if plain, err := c.Decrypt(row.Check, row.ID, associatedData(row.ID)); err != nil || string(plain) != checkText {
			return usage, fmt.Errorf("the encryption key %q differs from the one that encrypted values in the database under this id; give each key its own id, and restore the former key", row.ID)
		}
	}
	return usage, nil
}

// Register registers the current key in the database before it encrypts anything there. If
// several processes concurrently register different keys under one id, the primary key
// admits one, and Check rejects the others.
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
	check, id := c.Encrypt([]byte(checkText), associatedData(c.current))
	// A retired key becomes active again.
	err = db.Write(storage.AcrossTenants(ctx)).Exec("UPDATE encryption_keys SET retired_time = NULL WHERE id = ? AND retired_time IS NOT NULL", id).Error
	if err != nil {
		return usage, fmt.Errorf("register the encryption key %q: %w", id, err)
	}
	err = db.Write(storage.AcrossTenants(ctx)).
		Exec("INSERT INTO encryption_keys (id, check_value, created_time) VALUES (?, ?, ?)", id, check, now).Error
	if err != nil && !storage.Is(err, storage.DuplicateKey) {
		return usage, fmt.Errorf("enter the encryption key %q into the database: %w", id, err)
	}
	return Check(ctx, db, c)
}
