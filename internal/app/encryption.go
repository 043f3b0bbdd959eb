package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"

	"interlock/internal/base/encryption"
	"interlock/internal/base/storage"
	"interlock/internal/settings"
	"interlock/internal/views/engines"
)

// noKeys is the warning about a server without encryption keys. The server cannot create a key if
// the database is shared, because other processes could not decrypt its values.
const noKeys = "no encryption keys are set: stored replies and the secrets of second factors are in clear in the database, and no config can be secret. " +
	"Set INTERLOCK_ENCRYPTION_KEYS, for every process the same, to an id and 32 random bytes, such as from `echo main:$(openssl rand -base64 32)`, and store a copy; " +
	"or set it to none to accept this"

// requireKeys rejects a start without keys if a database server contains encrypted values: this
// process could not decrypt them, and would store others in clear. If the database contains no
// encrypted values, requireKeys logs a warning. The setting "none" permits the start in both cases;
// openCipher has logged the values that it cannot decrypt.
func (sv *Services) requireKeys(ctx context.Context, s settings.Storage) error {
	set, err := s.SetKeys()
	if _, embedded := s.KeyFile(); err != nil || embedded || len(set) > 0 {
		return err
	}
	if len(sv.lostKeys) > 0 {
		return fmt.Errorf("values in the database are encrypted with the key %s, and INTERLOCK_ENCRYPTION_KEYS is not set: set it to the keys of the other processes", strings.Join(sv.lostKeys, ", "))
	}
	slog.WarnContext(ctx, "encryption: no keys are set", "detail", noKeys)
	return nil
}

// openCipher returns the cipher of the values in the database. For an embedded database without
// encrypted values it creates a key if the settings have none.
func (sv *Services) openCipher(ctx context.Context, s settings.Storage, canMake bool) (encryption.Cipher, error) {
	keys, err := keysOf(s)
	if err != nil {
		return encryption.Cipher{}, err
	}
	if path, embedded := s.KeyFile(); embedded && len(keys) == 0 && canMake {
		if keys, err = sv.makeKeys(ctx, path); err != nil {
			return encryption.Cipher{}, err
		}
	}
	c, err := encryption.New(keys)
	if err != nil {
		return c, fmt.Errorf("INTERLOCK_ENCRYPTION_KEYS: %w", err)
	}
	used, err := encryption.Register(ctx, sv.DB, c, sv.Clock.Now())
	sv.lostKeys = used.Lost
	if len(used.Lost) > 0 {
		slog.WarnContext(ctx, "encryption: keys are missing; the values they encrypt are unreadable", "keys", used.Lost)
	}
	return c, err
}

// keysOf returns the keys of the settings, followed by the generated ones of an embedded database,
// which still decrypt older values.
func keysOf(s settings.Storage) ([]string, error) {
	keys, err := s.SetKeys()
	path, embedded := s.KeyFile()
	if err != nil || !embedded {
		return keys, err
	}
	made, err := encryption.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, key := range made {
		if !slices.Contains(keys, key) {
			keys = append(slices.Clip(keys), key)
		}
	}
	return keys, nil
}

// makeKeys creates the key file of an embedded database that has no keys. If the database already
// contains encrypted values, their key was lost or not restored: makeKeys then returns an error,
// because a new key would hide the loss.
func (sv *Services) makeKeys(ctx context.Context, path string) ([]string, error) {
	used, err := encryption.Check(ctx, sv.DB, encryption.Cipher{})
	if err != nil {
		return nil, err
	}
	if len(used.Lost) == 0 {
		return encryption.MakeFile(path)
	}
	// Another process may have created the key and used it since the lookup.
	if keys, err := encryption.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
		return keys, err
	}
	return nil, fmt.Errorf("values in the database are encrypted with the key %s, and %s does not exist: restore its copy. "+
		"To continue without those values, set INTERLOCK_ENCRYPTION_KEYS to a new key, such as from `echo new:$(openssl rand -base64 32)`",
		strings.Join(used.Lost, ", "), path)
}

// encryptionFinding reports the encrypting key, and whether all needed keys are present.
func encryptionFinding(ctx context.Context, db *storage.DB, s settings.Storage) engines.Finding {
	about := func(level engines.Level, says string, values ...any) engines.Finding {
		return engines.Finding{Engine: engines.Database, Name: "encryption", Level: level, Says: fmt.Sprintf(says, values...)}
	}
	keys, err := keysOf(s)
	if err != nil {
		return about(engines.Broken, "The keys cannot be read: %v.", err)
	}
	c, err := encryption.New(keys)
	if err != nil {
		return about(engines.Broken, "The keys cannot be used: %v.", err)
	}
	used, err := encryption.Check(ctx, db, c)
	switch {
	case err != nil:
		return about(engines.Broken, "%s.", strings.ToUpper(err.Error()[:1])+err.Error()[1:])
	case len(used.Lost) > 0:
		return about(engines.Broken, "Values are encrypted with the key %s, which is missing: they are unreadable. Add it after the current key.", strings.Join(used.Lost, ", "))
	}
	older, err := olderKeys(ctx, db, c)
	if err != nil {
		return about(engines.Unknown, "Values are encrypted with the key %q. The older keys in use cannot be read: %v.", c.Current(), err)
	}
	path, embedded := s.KeyFile()
	switch set, _ := s.SetKeys(); {
	case c.Current() == "" && len(keys) > 0:
		return about(engines.Risk, "Stored replies and the secrets of second factors are in clear, because INTERLOCK_ENCRYPTION_KEYS is none.")
	case len(keys) == 0 && embedded:
		return about(engines.OK, "The next start creates a key in %s.", path)
	case len(keys) == 0:
		return about(engines.Risk, "%s.", strings.ToUpper(noKeys[:1])+noKeys[1:])
	case len(set) > 0:
		return about(engines.OK, "Values are encrypted with the key %q of the settings. Store a copy apart from the backups of the database.%s", c.Current(), older)
	}
	return about(engines.OK, "Values are encrypted with the key %q in %s. Store a copy of that file apart from the backups of the database.%s", c.Current(), path, older)
}

// olderKeys reports which of the older keys are still needed and which can be removed; "" if there
// is only one key.
func olderKeys(ctx context.Context, db *storage.DB, c encryption.Cipher) (says string, err error) {
	known, err := encryption.Known(ctx, db, c)
	older := slices.DeleteFunc(known, func(k encryption.KnownKey) bool { return !k.Here || k.Current })
	if err != nil || len(older) == 0 || c.Current() == "" {
		return "", err
	}
	counts, err := encryption.Count(ctx, db, Encrypted())
	if err != nil {
		return "", err
	}
	byKey := counts.ByKey()
	var needed, free []string
	for _, key := range older {
		if len(byKey[key.ID]) > 0 {
			needed = append(needed, key.ID)
		} else {
			free = append(free, key.ID)
		}
	}
	if len(needed) > 0 {
		says += fmt.Sprintf(" Older values still need: %s (`admin keys list` shows them, `admin keys reencrypt` encrypts them again).", strings.Join(needed, ", "))
	}
	if len(free) > 0 {
		says += fmt.Sprintf(" No values need: %s. Remove them once `admin keys reencrypt` confirms it and every server has the current key first.", strings.Join(free, ", "))
	}
	return says, nil
}

// MissingKeys returns the finding about encryption if values in the database cannot be decrypted,
// and "" otherwise.
func MissingKeys(ctx context.Context, s settings.Storage) (string, error) {
	db, err := storage.Open(ctx, s.Options())
	if err != nil {
		return "", err
	}
	defer db.Close()
	if finding := encryptionFinding(ctx, db, s); finding.Level == engines.Broken {
		return finding.Says, nil
	}
	return "", nil
}
