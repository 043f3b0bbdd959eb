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

// noKeys is what is lost by a server without keys on a database that several processes can share.
// A key that each of them made for itself would leave the others unable to read what it keeps.
const noKeys = "no encryption keys are set: what is kept for repeats and the secrets of second factors stay in the database in clear, and no config can be secret. " +
	"Set INTERLOCK_ENCRYPTION_KEYS, for every process the same, to an id and 32 random bytes, such as from `echo main:$(openssl rand -base64 32)`, and keep a copy; " +
	"or set it to none, if that is what is wanted"

// requireKeys refuses to serve without keys where a database on a server has values that are
// encrypted: this process could read none of them, and would keep others in clear beside them.
// Where it has none yet, the log says what that means. Keys that are set to none are what somebody
// wants: such a process serves, and openCipher has told the log of what it cannot read.
func (sv *Services) requireKeys(ctx context.Context, s settings.Storage) error {
	set, err := s.SetKeys()
	if _, embedded := s.KeyFile(); err != nil || embedded || len(set) > 0 {
		return err
	}
	if len(sv.lostKeys) > 0 {
		return fmt.Errorf("values in the database are encrypted with the key %s, and INTERLOCK_ENCRYPTION_KEYS is not set: give this process the keys of the others", strings.Join(sv.lostKeys, ", "))
	}
	slog.WarnContext(ctx, noKeys)
	return nil
}

// openCipher returns the cipher of the values in the database. On an embedded one it can make a
// key where nothing says which to use and nothing was ever encrypted.
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
		slog.WarnContext(ctx, "encryption keys that values in the database were encrypted with are not there; nobody can read what they encrypted", "keys", used.Lost)
	}
	return c, err
}

// keysOf returns the keys of the settings, and behind them those that were made for an embedded
// database, which go on to decrypt what they encrypted. It returns none when there are none.
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

// makeKeys makes a key for an embedded database that has no value of any yet. One that has was
// restored without its keys, or they are gone: another key would make that look well.
func (sv *Services) makeKeys(ctx context.Context, path string) ([]string, error) {
	used, err := encryption.Check(ctx, sv.DB, encryption.Cipher{})
	if err != nil {
		return nil, err
	}
	if len(used.Lost) == 0 {
		return encryption.MakeFile(path)
	}
	// Another process may have made and used it since it was looked for.
	if keys, err := encryption.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
		return keys, err
	}
	return nil, fmt.Errorf("values in the database are encrypted with the key %s, and %s is not there: put it back from where its copy is kept. "+
		"To go on without those values, set INTERLOCK_ENCRYPTION_KEYS to a new key, such as from `echo new:$(openssl rand -base64 32)`",
		strings.Join(used.Lost, ", "), path)
}

// encryptionFinding says which key encrypts, and whether those are there that have encrypted.
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
		return about(engines.Broken, "Values were encrypted with the key %s, which is not there: nobody can read them. Put it back, behind the one that encrypts now.", strings.Join(used.Lost, ", "))
	}
	older, err := olderKeys(ctx, db, c)
	if err != nil {
		return about(engines.Unknown, "Values are encrypted with the key %q. Which older keys are needed cannot be read: %v.", c.Current(), err)
	}
	path, embedded := s.KeyFile()
	switch set, _ := s.SetKeys(); {
	case c.Current() == "" && len(keys) > 0:
		return about(engines.Risk, "Kept replies and the secrets of second factors stay in clear, as INTERLOCK_ENCRYPTION_KEYS says.")
	case len(keys) == 0 && embedded:
		return about(engines.OK, "The next start makes a key in %s.", path)
	case len(keys) == 0:
		return about(engines.Risk, "%s.", strings.ToUpper(noKeys[:1])+noKeys[1:])
	case len(set) > 0:
		return about(engines.OK, "Values are encrypted with the key %q of the settings. Keep a copy apart from the backups of the database.%s", c.Current(), older)
	}
	return about(engines.OK, "Values are encrypted with the key %q in %s. Keep a copy of that file apart from the backups of the database.%s", c.Current(), path, older)
}

// olderKeys says which keys beside the current one are needed still, and which may go; "" where there
// is one key alone, and then nothing is looked at but its registration.
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
		says += fmt.Sprintf(" Also needed, for what is encrypted with them still: %s (`admin keys list` says what, `admin keys reencrypt` changes it).", strings.Join(needed, ", "))
	}
	if len(free) > 0 {
		says += fmt.Sprintf(" Nothing is encrypted with: %s. Once `admin keys reencrypt` says so too, and every server runs with the current key first, take them out.", strings.Join(free, ", "))
	}
	return says, nil
}

// MissingKeys returns what the doctor says of encryption when values in the database cannot be
// read, and "" when they can.
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
