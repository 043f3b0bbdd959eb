package client

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// stateFile stores the last good state of followed configs. Its first line is the SHA-256 of the
// rest, a storedState as JSON.
type stateFile struct {
	disk         disk
	path         string
	owner        storedOwner
	storeSecrets bool
}

// storedState is the content of a file.
type storedState struct {
	storedOwner
	ConfigSnapshot
	// Omitted is the number of secret configs of the state that the file does not contain.
	Omitted int `json:"omitted"`
}

// storedOwner identifies the followers that may read a file.
type storedOwner struct {
	Server string `json:"server"`
	// Credential is a digest of the token. It binds the file to a tenant, because a token belongs to
	// one tenant.
	Credential string `json:"credential"`
	Subject    string `json:"subject"`
}

func newStateFile(c *Client, of subject, o FollowOptions) *stateFile {
	sum := sha256.Sum256([]byte("interlock configs\n" + c.token))
	name := "prefix " + of.prefix
	if of.one {
		name = "key " + of.prefix
	}
	return &stateFile{
		disk: systemDisk{}, path: o.File, storeSecrets: o.StoreSecrets,
		owner: storedOwner{Server: c.base, Credential: hex.EncodeToString(sum[:]), Subject: name},
	}
}

// load returns the stored state; it is empty if the file does not exist. Errors: the file is
// damaged, or belongs to another server, credential or subject; with the state, it lacks secret
// configs.
func (f *stateFile) load() (ConfigSnapshot, error) {
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return ConfigSnapshot{}, nil
	}
	if err != nil {
		return ConfigSnapshot{}, fmt.Errorf("read the stored configs: %w", err)
	}
	sum, content, _ := bytes.Cut(text, []byte("\n"))
	if string(sum) != checksum(content) {
		return ConfigSnapshot{}, fmt.Errorf("the stored configs in %s do not match their checksum; they are ignored until the service is reached", f.path)
	}
	var stored storedState
	if err := json.Unmarshal(content, &stored); err != nil {
		return ConfigSnapshot{}, fmt.Errorf("read the stored configs in %s: %w", f.path, err)
	}
	if stored.storedOwner != f.owner {
		return ConfigSnapshot{}, fmt.Errorf("the stored configs in %s are of another server, token, key or prefix; use a separate file for each", f.path)
	}
	if stored.Omitted > 0 {
		return stored.ConfigSnapshot, fmt.Errorf("the stored state in %s lacks its secret configs (%d), because StoreSecrets is not set; it is ignored until the service is reached", f.path, stored.Omitted)
	}
	return stored.ConfigSnapshot, nil
}

// save replaces the file. After a crash it contains the old or the new state.
func (f *stateFile) save(state ConfigSnapshot) error {
	stored := storedState{storedOwner: f.owner, ConfigSnapshot: state}
	if !f.storeSecrets {
		stored.Items = slices.DeleteFunc(slices.Clone(state.Items), isConfidential)
		stored.Omitted = len(state.Items) - len(stored.Items)
	}
	content, err := encode(stored)
	if err == nil {
		err = replaceFile(f.disk, f.path, append([]byte(checksum(content)+"\n"), content...))
	}
	if err != nil {
		return fmt.Errorf("store the configs in %s: %w", f.path, err)
	}
	return nil
}

func checksum(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// replaceFile writes a temporary file durably and renames it.
func replaceFile(on disk, path string, text []byte) error {
	temporary := path + ".new"
	file, err := on.open(temporary)
	if err != nil {
		return err
	}
	err = writeWhole(file, text)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := on.rename(temporary, path); err != nil {
		return err
	}
	return on.syncDirectory(filepath.Dir(path))
}

// writeWhole makes text the durable content of a file.
func writeWhole(file diskFile, text []byte) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	if _, err := file.WriteAt(text, 0); err != nil {
		return err
	}
	return file.Sync()
}
