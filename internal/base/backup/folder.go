package backup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

// dated is the format of the names of WriteInto, in UTC. They sort by time.
const dated = "interlock-20060102T150405Z.backup"

// WriteInto calls Write with a new file in folder, with the time in its name. Then it deletes the
// oldest files with such names until at most keep remain; zero retains all.
func WriteInto(ctx context.Context, o storage.Options, folder string, keep int) (path string, content Content, err error) {
	path = filepath.Join(folder, clock.System{}.Now().UTC().Format(dated))
	if content, err = Write(ctx, o, path); err != nil || keep == 0 {
		return path, content, err
	}
	backups, err := filepath.Glob(filepath.Join(folder, "interlock-????????T??????Z.backup"))
	if err != nil {
		return path, content, err
	}
	for _, old := range backups[:max(0, len(backups)-keep)] {
		if err := os.Remove(old); err != nil {
			return path, content, fmt.Errorf("the backup is written; delete an older one: %w", err)
		}
	}
	return path, content, nil
}
