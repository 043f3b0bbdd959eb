package app

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks the whole file for this process, or fails at once.
func lockFile(file *os.File) error {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}
