package storagetest

import (
	"syscall"
	"time"
)

// pause sleeps with a precision of about 60 µs; time.Sleep needs at least a millisecond on
// an idle machine.
func pause(d time.Duration) {
	left := syscall.NsecToTimespec(d.Nanoseconds())
	_ = syscall.Nanosleep(&left, nil)
}
