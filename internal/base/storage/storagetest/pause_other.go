//go:build !linux

package storagetest

import "time"

func pause(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // it is what it is for
