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

// largestFile is the maximum size of a key file, in bytes.
const largestFile = 64 << 10

// ReadFile returns the keys of a file, one per line, in the form that New accepts. Empty
// lines and lines that start with # are skipped. Errors: fs.ErrNotExist.
func ReadFile(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > largestFile {
		err = errors.New("it is too large for a key file")
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

// MakeFile creates a file with one new key, readable by its owner only, and returns the
// keys of the resulting file. If several processes create it concurrently, one succeeds and
// all return its key.
//
// The key is on disk before it is returned: link(2) names a complete and synced file and
// fails if the name exists, so nothing is ever overwritten. A process that dies earlier
// leaves a file of another name with an unused key.
func MakeFile(path string) ([]string, error) {
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return nil, fmt.Errorf("make an encryption key: %w", err)
	}
	defer os.Remove(part.Name())
	_, err = part.WriteString(headOfFile + NewKey() + "\n")
	if err = errors.Join(err, storage.AssignToOwner(part), part.Sync(), part.Close()); err != nil {
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

const headOfFile = `# Keys of encrypted values in the database: the first one encrypts, all of them decrypt.
# Store a copy apart from the backups of the database. Without it those values are unreadable.
`

// NewKey returns a new key under a new id, in the form that New accepts.
func NewKey() string {
	// crypto/rand ends the program instead of returning an error.
	secret, id := make([]byte, 32), make([]byte, 4)
	_, _ = rand.Read(secret)
	_, _ = rand.Read(id)
	return hex.EncodeToString(id) + ":" + base64.StdEncoding.EncodeToString(secret)
}
