package faults_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
	"interlock/test/smalldisk"
	"interlock/test/tier"
)

// Proves D10.
func TestFullDiskIsReportedAndRecovers(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	disk := smalldisk.New(t, "16m")
	s := apptest.Settings(disk.Path)
	s.Addr = freeAddress(t)
	p := serve(t, s)
	c := callerOf(t, s)
	l := newLedger(t, c, 5)
	l.strain(t, c, "before", long, after(100, done))
	for round := range 3 {
		disk.Fill(t)
		longest, sent := l.strain(t, c, fmt.Sprint("full ", round), long, after(50, hasNoRoom))
		t.Logf("while the disk was full, of %d edits the longest answer took %s", sent, longest)
		require.Less(t, longest, answered)
		requireReads(t, c, l.keys[0])
		disk.Free(t)
		l.strain(t, c, fmt.Sprint("freed ", round), long, after(50, done))
	}
	p.kill()
	serve(t, s)
	l.settle(t, s.URL())
	acknowledged, refused, unknown := l.totals()
	t.Logf("%d edits acknowledged, %d rejected, %d unknown", acknowledged, refused, unknown)
}

// onMariaDB boots the program on a separate server.
func onMariaDB(t *testing.T, m *mariadb) *apptest.Caller {
	t.Helper()
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL = m.url()
	_, c := serveHere(t, s)
	return c
}

// Proves D10.
func TestFullMariaDBIsReportedAndRecovers(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	disk := smalldisk.New(t, "160m")
	m := newMariaDBIn(t, disk.Path)
	c := onMariaDB(t, m)
	l := newLedger(t, c, 5)
	l.strain(t, c, "before", long, after(100, done))
	disk.Fill(t)
	longest, sent := l.strain(t, c, "full", long, after(50, hasNoRoom))
	t.Logf("while the disk was full, of %d edits the longest answer took %s", sent, longest)
	require.Less(t, longest, answered)
	requireReads(t, c, l.keys[0])
	disk.Free(t)
	l.strain(t, c, "freed", long, after(100, done))
	m.kill()
	m.start(t)
	l.settle(t, m.url())
}

// MariaDB blocks a COMMIT if its binary log has no space, and checks once a minute whether
// there is space. Then it executes the COMMIT, even if the client has disconnected.
// Proves D10.
func TestCommitsOnAFullMariaDBDiskBecomeUnknown(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	disk := smalldisk.New(t, "4m")
	require.NoError(t, os.Chmod(disk.Path, 0o777)) // for the server's user
	m := newMariaDB(t, "--log-bin="+disk.Path+"/binlog", "--sync-binlog=1")
	c := onMariaDB(t, m)
	// A blocked COMMIT locks its row, so there are many rows.
	l := newLedger(t, c, 50)
	l.strain(t, c, "before", "", after(100, done))
	disk.Fill(t)
	longest, sent := l.strain(t, c, "full", "", after(8, unknown))
	t.Logf("while the disk was full, of %d edits the longest answer took %s", sent, longest)
	require.Less(t, longest, answered)
	requireReads(t, c, l.keys[0])
	disk.Free(t)
	l.strain(t, c, "freed", "", after(100, done))
	m.kill()
	m.start(t)
	l.settle(t, m.url())
	acknowledged, refused, unknown := l.totals()
	t.Logf("%d edits acknowledged, %d rejected, %d unknown", acknowledged, refused, unknown)
}

// noSync is a library that makes every sync of a program fail while a file exists.
const noSync = `
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>

static int fails(void) {
	const char *file = getenv("INTERLOCK_TEST_NO_SYNC");
	return file != NULL && access(file, F_OK) == 0;
}

static int synced(long call, int fd) {
	if (fails()) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(call, fd);
}

int fsync(int fd) { return synced(SYS_fsync, fd); }
int fdatasync(int fd) { return synced(SYS_fdatasync, fd); }
`

// InnoDB ends its server after a failed sync.
// Proves D11.
func TestEditsRecoverAfterMariaDBFailsToSync(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	m := newMariaDB(t)
	m.kill()
	dir := filepath.Dir(m.data)
	source, library, switched := filepath.Join(dir, "nosync.c"), filepath.Join(dir, "nosync.so"), filepath.Join(dir, "nosync")
	require.NoError(t, os.WriteFile(source, []byte(noSync), 0o600))
	said, err := exec.Command(find(t, "gcc"), "-shared", "-fPIC", "-o", library, source).CombinedOutput()
	require.NoErrorf(t, err, "%s", said)
	m.environment = []string{"LD_PRELOAD=" + library, "INTERLOCK_TEST_NO_SYNC=" + switched}
	m.start(t)
	c := onMariaDB(t, m)
	awayAndBack(t, c, m.url(), 1000, func() {
		require.NoError(t, os.WriteFile(switched, nil, 0o644))
		select {
		case <-m.ended:
		case <-time.After(patience):
			require.FailNow(t, "the server continues although nothing is synced")
		}
	}, func() {
		require.NoError(t, os.Remove(switched))
		m.start(t)
	})
}

// A backup blocks COMMITs. The server aborts them after one second here, with error 1205.
// Proves D11.
func TestEditsWaitForABackupThatBlocksCommits(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	m := newMariaDB(t, "--lock-wait-timeout=1")
	c := onMariaDB(t, m)
	l := newLedger(t, c, 5)
	backup, err := m.connect(t).Conn(t.Context())
	require.NoError(t, err)
	defer backup.Close()
	for _, stage := range []string{"START", "FLUSH", "BLOCK_DDL", "BLOCK_COMMIT"} {
		_, err := backup.ExecContext(t.Context(), "BACKUP STAGE "+stage)
		require.NoError(t, err)
	}
	replies := make(chan apptest.Answer, len(l.keys))
	for i, key := range l.keys {
		go func() {
			etag := l.newest(t.Context(), c, key)
			answer, err := c.Try(t.Context(), http.MethodPatch, "/api/v1/configs/"+key, map[string]any{"value": l.keys[i]}, "If-Match", etag)
			l.book(l.keys[i], answer, err)
			replies <- answer
		}()
	}
	pause(t.Context(), 2500*time.Millisecond)
	_, err = backup.ExecContext(t.Context(), "BACKUP STAGE END")
	require.NoError(t, err)
	for range l.keys {
		answer := <-replies
		require.Equalf(t, http.StatusOK, answer.Status, "%s", answer.Body)
	}
	l.settle(t, m.url())
}
