package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

const homePrefix = "interlock-services-"

// The folders in a home for the command.
const sharedFolder, temporaryFolder = "shared", "tmp"

// memory is the folder in which Linux stores files in memory. The temporary files of all
// test packages need at most memoryNeeded bytes there.
const memory, memoryNeeded = "/dev/shm", 8 << 30

// hasRoom reports whether that many bytes fit into a folder whose files are in memory.
func hasRoom(path string, bytes uint64) bool {
	var folder syscall.Statfs_t
	if err := syscall.Statfs(path, &folder); err != nil || folder.Bavail*uint64(folder.Bsize) < bytes {
		return false
	}
	content, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(content), "MemAvailable:")
	var kib uint64
	_, err = fmt.Sscan(after, &kib)
	return err == nil && kib<<10 >= bytes
}

// home is the directory with the servers' data. A lock on it shows that its runner is
// alive: the kernel releases the lock however the runner ends.
type home struct {
	path string
	lock *os.File
}

// placeOf returns a number derived from the working directory and the versions of the
// servers. Homes and ports are derived from it, so that all runs in one folder provide the
// same environment to their tests and Go's test cache works across runs: a test that passed
// runs again only after its code or a server has changed.
func placeOf(programs programs) uint32 {
	sum := fnv.New32a()
	folder, _ := os.Getwd()
	fmt.Fprintln(sum, folder)
	for _, path := range []string{programs.mariadbd, programs.redisServer} {
		version, _ := exec.Command(path, "--version").Output()
		fmt.Fprintf(sum, "%s %s\n", path, version)
	}
	return sum.Sum32()
}

// openHome creates the home directory of a slot under parent, or another one while a runner uses it.
// It removes the directories of killed runners.
func openHome(parent string, place uint32) (home, error) {
	removeAbandoned(parent)
	// The directory is locked under a unique name and then renamed, so that a runner that
	// starts concurrently never finds it unlocked.
	unnamed, err := os.MkdirTemp(parent, "."+homePrefix)
	if err != nil {
		return home{}, fmt.Errorf("make a directory for the servers' data: %w", err)
	}
	lock, err := lockDirectory(unnamed)
	if err != nil {
		return home{}, fmt.Errorf("lock %s: %w", unnamed, err)
	}
	// mariadbd, and servers that tests start, run as another user and must traverse this
	// directory. A directory with folders in it cannot be the target of another runner's
	// rename.
	err = errors.Join(os.Chmod(unnamed, 0o711),
		os.Mkdir(filepath.Join(unnamed, sharedFolder), 0o700), os.Mkdir(filepath.Join(unnamed, temporaryFolder), 0o711))
	if err != nil {
		return home{}, fmt.Errorf("make the folders of the command: %w", err)
	}
	path := filepath.Join(parent, fmt.Sprintf("%s%08x", homePrefix, place))
	err = os.Rename(unnamed, path)
	if errors.Is(err, fs.ErrExist) {
		path = filepath.Join(parent, strings.TrimPrefix(filepath.Base(unnamed), "."))
		err = os.Rename(unnamed, path)
	}
	if err != nil {
		return home{}, fmt.Errorf("name the directory of the servers' data: %w", err)
	}
	return home{path: path, lock: lock}, nil
}

func (h home) remove() {
	_ = os.RemoveAll(h.path)
	_ = h.lock.Close()
}

func removeAbandoned(parent string) {
	candidates, err := filepath.Glob(filepath.Join(parent, homePrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range candidates {
		lock, err := lockDirectory(path)
		if err != nil {
			continue
		}
		home{path: path, lock: lock}.remove()
	}
}

func lockDirectory(path string) (*os.File, error) {
	directory, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(directory.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = directory.Close()
		return nil, err
	}
	return directory, nil
}
