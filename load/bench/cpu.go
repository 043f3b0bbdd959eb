package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// process is a process whose CPU time is attributed to the operations.
type process struct {
	name string
	pid  int
}

// clockTick is the unit of the times in /proc/PID/stat: USER_HZ, 100 per second on every
// Linux that Go runs on (proc(5)).
const clockTick = 10 * time.Millisecond

// cpuTimes returns the user and system time used by each process so far, including its
// children that have ended and were waited for, such as wrk.
func cpuTimes(processes []process) ([]time.Duration, error) {
	used := make([]time.Duration, len(processes))
	for i, process := range processes {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process.pid))
		if err != nil {
			return nil, fmt.Errorf("read the CPU time of %s: %w", process.name, err)
		}
		if used[i], err = parseCPUTime(string(stat)); err != nil {
			return nil, fmt.Errorf("read the CPU time of %s: %w", process.name, err)
		}
	}
	return used, nil
}

// parseCPUTime adds utime, stime, cutime and cstime, fields 14 to 17. The second field, the
// program's name in parentheses, may contain spaces and parentheses.
func parseCPUTime(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const utime, cstime = 14 - 3, 17 - 3 // the fields after the name start with the third
	if len(fields) <= cstime {
		return 0, fmt.Errorf("%q has %d fields", stat, len(fields))
	}
	var ticks int64
	for _, field := range fields[utime : cstime+1] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick, nil
}
