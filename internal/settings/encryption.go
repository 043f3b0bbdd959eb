package settings

import (
	"errors"

	"interlock/internal/base/encryption"
)

// SetKeys returns the encryption keys of the settings, nil for none.
func (e Encryption) SetKeys() ([]string, error) {
	switch {
	case e.EncryptionKeysFile == "":
		return e.EncryptionKeys, nil
	case len(e.EncryptionKeys) > 0:
		return nil, errors.New("INTERLOCK_ENCRYPTION_KEYS and INTERLOCK_ENCRYPTION_KEYS_FILE are both set; choose one")
	}
	return encryption.ReadFile(e.EncryptionKeysFile)
}

// KeyFile returns the file next to an embedded database with the generated keys, and false for a
// database on a server: its processes share no folder.
func (s Storage) KeyFile() (string, bool) {
	path, embedded := s.SQLitePath()
	return path + ".keys", embedded
}
