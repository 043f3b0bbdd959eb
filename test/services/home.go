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

// The folders of the command in a home.
const sharedFolder, temporaryFolder = "shared", "tmp"

// memory is where Linux keeps files in memory. What the tests of all packages leave there until
// they end takes memoryNeeded bytes at most.
const memory, memoryNeeded = "/dev/shm", 8 << 30

// hasRoom reports whether so many bytes fit into a folder whose files are in memory.
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

// home is the directory that holds the servers' data. A lock on it says that its
// runner lives: the kernel lets go of the lock however the runner ends.
type home struct {
	path string
	lock *os.File
}

// placeOf returns a number that stands for the working directory and the versions of the servers.
// Homes and ports follow from it, so that all runs in one folder give their tests the same
// environment, and what Go's cache knows of one serves the next: a test that passed is run again
// once its code, or a server, is another.
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

// openHome makes the home of a place under parent, or another while a runner has that one, and
// removes those whose runner was killed.
func openHome(parent string, place uint32) (home, error) {
	removeAbandoned(parent)
	// Locked under a name that nobody removes, then named: a runner that starts
	// at the same time never sees it unlocked.
	unnamed, err := os.MkdirTemp(parent, "."+homePrefix)
	if err != nil {
		return home{}, fmt.Errorf("make a directory for the servers' data: %w", err)
	}
	lock, err := lockDirectory(unnamed)
	if err != nil {
		return home{}, fmt.Errorf("lock %s: %w", unnamed, err)
	}
	// mariadbd, and servers that tests start, run as another user and have to pass through. With
	// folders in it, nobody can give the name of this one to another.
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
