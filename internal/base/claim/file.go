package claim

import (
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

// File claims the embedded database at path for this server by a lock on a file next to it.
// The kernel releases the lock when the process ends, however it ends; such a claim is
// never lost earlier.
func File(path, role string, clk clock.Clock) (*Claim, error) {
	file, err := os.OpenFile(path+".serve", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("claim the data: %w", err)
	}
	if err := storage.AssignToOwner(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("claim the data: %w", err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer file.Close()
		return nil, fmt.Errorf("another `admin serve` is running on %s%s; stop it, or give this one its own INTERLOCK_DATA_DIR", path, holderIn(file))
	}
	if err := note(file, Holder{Role: role, Process: Self(), Since: clk.Now()}); err != nil {
		file.Close()
		return nil, fmt.Errorf("claim the data: %w", err)
	}
	return &Claim{lost: make(chan struct{}), release: func() { file.Close() }}, nil
}

// note writes the holder into the locked file, for the error of rejected servers.
func note(file *os.File, holder Holder) error {
	text, err := json.Marshal(holder)
	if err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt(text, 0)
	return err
}

// holderIn describes the holder that the file names, in brackets. It returns "" while a
// process that has just locked the file has not written its name.
func holderIn(file *os.File) string {
	var holder Holder
	if err := json.NewDecoder(file).Decode(&holder); err != nil || holder.PID == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", holder)
}
