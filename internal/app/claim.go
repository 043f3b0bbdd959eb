package app

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// claimData takes the embedded database for this server; a second one on the same
// file is refused. The system frees the claim when the process ends, however it
// ends.
func claimData(path string) (release func(), err error) {
	file, err := os.OpenFile(path+".serve", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("claim the data: %w", err)
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("another `admin serve` is running on %s; stop it, or give this one its own INTERLOCK_DATA_DIR", path)
	}
	return func() { file.Close() }, nil
}

// lockFile locks the whole file for this process, or fails at once.
func lockFile(file *os.File) error {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}
