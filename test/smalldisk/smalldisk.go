// Package smalldisk creates small file systems that tests fill.
package smalldisk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Disk is a separate file system, mounted at Path.
type Disk struct{ Path string }

// New mounts a file system of that size until the test ends. It is in memory (tmpfs), and
// mounting it requires root.
func New(t *testing.T, size string) *Disk {
	t.Helper()
	path, err := os.MkdirTemp("", "interlock-disk-")
	require.NoError(t, err)
	err = syscall.Mount("tmpfs", path, "tmpfs", 0, "size="+size+",mode=0755")
	if err != nil {
		_ = os.Remove(path)
		require.FailNow(t, "a small file system cannot be mounted",
			"this test fills a separate file system, and mounting one needs root (CAP_SYS_ADMIN): %v", err)
	}
	t.Cleanup(func() {
		// A process with an open file, such as a server that is being stopped, keeps the
		// file system until it ends.
		require.NoError(t, syscall.Unmount(path, syscall.MNT_DETACH))
		require.NoError(t, os.Remove(path))
	})
	return &Disk{Path: path}
}

func (d *Disk) ballast() string { return filepath.Join(d.Path, "ballast") }

// Fill writes until the file system has no space left.
func (d *Disk) Fill(t *testing.T) {
	t.Helper()
	file, err := os.OpenFile(d.ballast(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	defer file.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		n, err := file.Write(block)
		switch {
		case n > 0 && err == nil:
		case errors.Is(err, syscall.ENOSPC):
			block = block[:len(block)/2]
		default:
			require.NoError(t, err)
		}
	}
}

// Free deletes the file that Fill wrote.
func (d *Disk) Free(t *testing.T) {
	t.Helper()
	require.NoError(t, os.Remove(d.ballast()))
}
