// Package stepclock makes the clock of a server process, or of the service, wrong while it
// runs: the clock steps, as after a manual change or when a machine synchronizes after a
// long time.
//
// Only the time of day steps. The monotonic clock of a process continues, and a wait until
// a time of day lasts as long as without the step. Linux behaves the same, except for waits
// that are in progress at the step.
package stepclock

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
)

// library adds the offset in a file to the time that a process reads. It distinguishes
// waits until a time of day from waits until a time since boot by their size.
const library = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *ahead;

__attribute__((constructor)) static void find(void) {
	const char *file = getenv("INTERLOCK_TEST_CLOCK");
	int fd = file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC);
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) abort();
	ahead = at;
}

static int64_t seconds(void) { return ahead == NULL ? 0 : *ahead; }

int clock_gettime(clockid_t id, struct timespec *at) {
	long failed = syscall(SYS_clock_gettime, id, at);
	if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += seconds();
	return (int)failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
	struct timespec now;
	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
	at->tv_sec = now.tv_sec;
	at->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *at) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (at != NULL) *at = now.tv_sec;
	return now.tv_sec;
}

static struct timespec real(const struct timespec *until) {
	struct timespec at = *until;
	if (at.tv_sec > 1000000000) at.tv_sec -= seconds();
	return at;
}

static void *next(const char *name) {
	void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
	return found != NULL ? found : dlsym(RTLD_NEXT, name);
}

int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, const struct timespec *restrict until) {
	static int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
	if (wait == NULL) wait = next("pthread_cond_timedwait");
	struct timespec at = real(until);
	return wait(c, m, &at);
}

int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t id, const struct timespec *restrict until) {
	static int (*wait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
	if (wait == NULL) wait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
	struct timespec at = real(until);
	return wait(c, m, id, &at);
}
`

// Clock is a clock that can step.
type Clock struct {
	ahead atomic.Int64
	// file contains the offset for a process; library reads it.
	file, library string
}

// New returns a clock without an offset. It needs a C compiler.
func New(t *testing.T) *Clock {
	t.Helper()
	dir, err := os.MkdirTemp("", "interlock-clock-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755)) // readable by the users of servers
	c := &Clock{file: filepath.Join(dir, "ahead"), library: filepath.Join(dir, "clock.so")}
	source := filepath.Join(dir, "clock.c")
	require.NoError(t, os.WriteFile(source, []byte(library), 0o600))
	said, err := exec.Command("gcc", "-shared", "-fPIC", "-O1", "-o", c.library, source, "-ldl").CombinedOutput()
	require.NoErrorf(t, err, "%s", said)
	c.write(t)
	return c
}

// Environment returns variables that make a new process use the clock.
func (c *Clock) Environment() []string {
	return []string{"LD_PRELOAD=" + c.library, "INTERLOCK_TEST_CLOCK=" + c.file}
}

// Set puts the clock ahead of the correct time from now on; a negative duration puts it
// behind.
func (c *Clock) Set(t *testing.T, ahead time.Duration) {
	t.Helper()
	c.ahead.Store(int64(ahead))
	c.write(t)
}

// write changes the file in place, because processes have mapped it.
func (c *Clock) write(t *testing.T) {
	t.Helper()
	file, err := os.OpenFile(c.file, os.O_CREATE|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	defer file.Close()
	seconds := time.Duration(c.ahead.Load()) / time.Second
	_, err = file.Write(binary.NativeEndian.AppendUint64(nil, uint64(seconds)))
	require.NoError(t, err)
}

// Now implements clock.Clock.
func (c *Clock) Now() time.Time { return clock.System{}.Now().Add(time.Duration(c.ahead.Load())) }
