package storagetest

import (
	"syscall"
	"time"
)

// pause sleeps to within some 60 µs; time.Sleep takes a millisecond at least when nothing
// else is to be done.
func pause(d time.Duration) {
	left := syscall.NsecToTimespec(d.Nanoseconds())
	_ = syscall.Nanosleep(&left, nil)
}
