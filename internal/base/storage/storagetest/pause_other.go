//go:build !linux

package storagetest

import "time"

func pause(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // it simulates the delay of a link
