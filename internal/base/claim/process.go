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

// Process identifies a running program, so that another one can detect its end.
type Process struct {
	Host string `json:"host"`
	// Machine identifies one boot of one kernel and the PID namespace; "" if the system
	// does not provide them. Two containers may have the same host name and PID, and share
	// the boot id of their kernel.
	Machine string `json:"-"`
	PID     int    `json:"pid"`
	// Start distinguishes two processes with the same PID: clock ticks since the boot, 0 if
	// the system does not provide it.
	Start int64 `json:"-"`
}

// Self returns the identity of this process.
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

// sameMachine reports whether a lookup of other's PID is valid here.
func (p Process) sameMachine(other Process) bool {
	return p.Machine != "" && p.Machine == other.Machine
}

// sees reports whether other is known to run or known to be dead; neither if it is on
// another machine or the system does not provide the data.
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

// startOf returns the start time of a process, and whether it runs; a zombie does not run. An error
// means that the process exists, but that this user may not inspect it.
func startOf(pid int) (ticks int64, runs bool, err error) {
	if pid <= 0 {
		return 0, false, fmt.Errorf("%d is not a process id", pid)
	}
	// Signal 0 only checks for existence; /proc may hide the processes of other users.
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return 0, false, nil
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false, err
	}
	// See proc(5). The name, in brackets, may contain spaces and brackets; the state
	// follows it, and the start time is the 20th field from there.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return 0, false, fmt.Errorf("/proc/%d/stat has an unknown format", pid)
	}
	if state := fields[0]; state == "Z" || state == "X" {
		return 0, false, nil
	}
	ticks, err = strconv.ParseInt(fields[19], 10, 64)
	return ticks, err == nil, err
}
