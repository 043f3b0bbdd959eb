package claim

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Process says where a program runs, so that another one can tell whether it is gone.
type Process struct {
	Host string `json:"host"`
	// Machine is one boot of one kernel and the namespace in it in which PID means
	// something; "" where the system does not say. Two containers may have the same host
	// name and the same PID, and their kernel the same boot.
	Machine string `json:"-"`
	PID     int    `json:"pid"`
	// Start tells two processes of one PID apart: clock ticks since the boot, 0 where
	// the system does not say.
	Start int64 `json:"-"`
}

// Self returns where this program runs.
func Self() Process {
	p := Process{Host: "an unnamed host", PID: os.Getpid()}
	if host, err := os.Hostname(); err == nil {
		p.Host = host
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return p
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return p
	}
	start, runs, err := startOf(p.PID)
	if err != nil || !runs {
		return p
	}
	p.Machine, p.Start = strings.TrimSpace(string(boot))+" "+namespace, start
	return p
}

// sameMachine reports whether other's PID can be looked up here.
func (p Process) sameMachine(other Process) bool {
	return p.Machine != "" && p.Machine == other.Machine
}

// sees reports whether other is known to run, or known to be gone; neither when it is on
// another machine or this one does not tell.
func (p Process) sees(other Process) (runs, gone bool) {
	if !p.sameMachine(other) {
		return false, false
	}
	start, running, err := startOf(other.PID)
	if err != nil {
		return false, false
	}
	if !running || start != other.Start {
		return false, true
	}
	return true, false
}

// startOf returns when a process started, and whether it runs: not when there is none, or
// it has ended and waits for its parent to notice. An error means that it exists and is
// not shown to this user.
func startOf(pid int) (ticks int64, runs bool, err error) {
	if pid <= 0 {
		return 0, false, fmt.Errorf("%d is no process id", pid)
	}
	// The signal 0 only asks; /proc may hide the processes of other users.
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return 0, false, nil
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false, err
	}
	// See proc(5). The name, in brackets, may hold spaces and brackets; the state follows
	// it, and the start is the 20th field from there.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return 0, false, fmt.Errorf("/proc/%d/stat is not understood", pid)
	}
	if state := fields[0]; state == "Z" || state == "X" {
		return 0, false, nil
	}
	ticks, err = strconv.ParseInt(fields[19], 10, 64)
	return ticks, err == nil, err
}
