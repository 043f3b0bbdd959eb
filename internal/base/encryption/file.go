package encryption

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"interlock/internal/base/storage"
)

// largestFile is in bytes; one with more has no keys.
const largestFile = 64 << 10

// ReadFile returns the keys that a file has, one in a line, as New takes them. Empty lines and
// those that begin with # are left out. Errors: fs.ErrNotExist.
func ReadFile(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > largestFile {
		err = errors.New("it is too large to have keys")
	}
	if err != nil {
		return nil, fmt.Errorf("read the encryption keys in %s: %w", path, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the encryption keys: %w", err)
	}
	var keys []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			keys = append(keys, line)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s has no encryption key; it must have one in each line, as ID:BASE64 of 32 bytes", path)
	}
	return keys, nil
}

// MakeFile makes a file with one new key, for its owner alone, and returns the keys of the file
// that is there then. Of several processes that make it at once one does, and all have its key.
//
// The key is on the disk before it is returned: link(2) names a file that is whole and synced,
// and fails where the name is taken, so nothing is ever overwritten. A process that dies before
// leaves a file of another name whose key has encrypted nothing.
func MakeFile(path string) ([]string, error) {
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return nil, fmt.Errorf("make an encryption key: %w", err)
	}
	defer os.Remove(part.Name())
	_, err = part.WriteString(headOfFile + NewKey() + "\n")
	if err = errors.Join(err, storage.GiveToOwner(part), part.Sync(), part.Close()); err != nil {
		return nil, fmt.Errorf("make an encryption key: %w", err)
	}
	if err := os.Link(part.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make an encryption key: %w", err)
	}
	if err := storage.SyncFolder(path); err != nil {
		return nil, fmt.Errorf("make an encryption key: %w", err)
	}
	return ReadFile(path)
}

const headOfFile = `# Keys that values in the database are encrypted with: the first one encrypts, all of them decrypt.
# Keep a copy apart from the backups of the database. Without it nobody can read those values.
`

// NewKey returns a new key under an id of its own, as New takes it.
func NewKey() string {
	// It ends the program rather than return an error (crypto/rand).
	secret, id := make([]byte, 32), make([]byte, 4)
	_, _ = rand.Read(secret)
	_, _ = rand.Read(id)
	return hex.EncodeToString(id) + ":" + base64.StdEncoding.EncodeToString(secret)
}
