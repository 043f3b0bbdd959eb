package faults_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
	"interlock/internal/settings"
	"interlock/test/tier"
)

// copyKills is the number of kills of one copy.
var copyKills = tier.Rounds(20, 60)

// copyOf returns the command that copies the embedded database of s.
func copyOf(s settings.Settings, to string, flags ...string) *exec.Cmd {
	from := "sqlite://" + filepath.Join(s.DataDir, "interlock.db")
	command := exec.Command(programPath, append([]string{"copy", "--from", from, "--to", to}, flags...)...)
	command.Env = environment(s)
	return command
}

// copied runs a copy to its end and returns its output.
func copied(t *testing.T, s settings.Settings, to string, flags ...string) string {
	t.Helper()
	output, err := copyOf(s, to, flags...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

// atServer returns the settings of a server on a copy.
func atServer(t *testing.T, s settings.Settings, to string) settings.Settings {
	t.Helper()
	s.DatabaseURL, s.RedisURL, s.Role = to, redistest.NewServer(t).URL(), "all"
	return s
}

// checksums returns a checksum of each table that a copy leaves unchanged. MariaDB's CHECKSUM TABLE
// returns different sums for a table with generated columns.
func checksums(t *testing.T, address string) map[string]int64 {
	t.Helper()
	store, sums := newWitness(t, address), map[string]int64{}
	tables := store.text(t, "SELECT GROUP_CONCAT(table_name) FROM information_schema.tables WHERE table_schema = DATABASE()")
	for table := range strings.SplitSeq(tables, ",") {
		switch table {
		case "goose_db_version", "server_claims", "migration_lock", "installation", "flash_sale_stocks":
			continue
		}
		columns := store.text(t, "SELECT GROUP_CONCAT(CONCAT('COALESCE(HEX(`', column_name, '`), \"-\")') ORDER BY ordinal_position) "+
			"FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?", table)
		sums[table] = store.number(t, "SELECT COALESCE(SUM(CRC32(CONCAT_WS(',', "+columns+"))), 0) FROM `"+table+"`")
	}
	return sums
}

// A copy is killed again and again at random moments. Each run continues after the last committed
// batch; the result equals that of an undisturbed copy, and a server on it replays the reply to a
// request from before the copy.
// Proves R7.
func TestKilledCopyContinuesToTheSameResult(t *testing.T) {
	t.Parallel()
	s := fresh(t, "sqlite")
	s.Addr = freeAddress(t)
	p := serve(t, s)
	c := callerOf(t, s)
	admin(t, s, "demo", "--force")
	create := func() (status int, body []byte, replay bool) {
		answer := c.Do(t, http.MethodPost, httpapi.Base+"/items", object{"sku": "MOVED", "name": "雪 🎉", "price": 900}, "Idempotency-Key", "before-the-copy")
		return answer.Status, answer.Body, isReplay(answer)
	}
	status, body, replay := create()
	require.Equal(t, http.StatusCreated, status, "%s", body)
	require.False(t, replay)

	// A server uses the source.
	output, err := copyOf(s, storagetest.NewMariaDBURL(t)).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), "the source is in use, stop its server first")
	p.signal(syscall.SIGTERM)
	<-p.ended

	undisturbed, killed := storagetest.NewMariaDBURL(t), storagetest.NewMariaDBURL(t)
	started := time.Now()
	copied(t, s, undisturbed, "--no-verify")
	length := time.Since(started)
	random := dice(uint64(started.UnixNano()))
	t.Logf("the undisturbed copy lasted %s", length)
	// A kill during the migrations would leave their lease, for which the next copy waits.
	served := s
	served.DatabaseURL = killed
	admin(t, served, "migrate", "up")
	interrupted := 0
	for i := range copyKills {
		run := start(t, copyOf(s, killed, "--no-verify"))
		// Every other kill follows the first copied table, so that the copies progress.
		require.Eventually(t, func() bool { return i%2 == 1 || run.hasEnded() || strings.Contains(run.output.String(), "copied ") },
			patience, time.Millisecond)
		pause(t.Context(), time.Duration(random(int(length/15))))
		run.kill()
		if run.command.ProcessState.Success() {
			break
		}
		status := exec.Command(programPath, "migrate", "status", "--database-url", killed)
		if output, err := status.CombinedOutput(); err != nil && bytes.Contains(output, []byte("is an incomplete copy")) {
			interrupted++
		}
	}
	require.Greater(t, interrupted, copyKills/4, "too few kills interrupted the copy")
	said := copied(t, s, killed)
	require.Contains(t, said, "The copy continued an interrupted one.\nThe copy is complete and equals its source: ")
	require.Contains(t, said, "INTERLOCK_CUSTOMER_JWT_SECRET")
	require.Equal(t, checksums(t, undisturbed), checksums(t, killed))

	// The result is not overwritten.
	output, err = copyOf(s, killed).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), "is not empty")

	served = atServer(t, s, killed)
	served.Addr = freeAddress(t)
	serve(t, served)
	c.Program.URL = "http://" + served.Addr
	again, sameBody, replay := create()
	require.True(t, replay)
	require.Equal(t, status, again)
	require.Equal(t, string(body), string(sameBody))
	next := c.Do(t, http.MethodPost, httpapi.Base+"/items", object{"sku": "NEXT", "name": "Next", "price": 1})
	require.Equal(t, http.StatusCreated, next.Status, "%s", next.Body)
	checkPromises(t, served)
}

// Tickets that are queued in the embedded database prevent the copy, unless the operator discards
// them. Then their customers are notified, and the units are for sale.
// Proves R7.
func TestQueuedTicketsAreNotLostSilentlyByACopy(t *testing.T) {
	t.Parallel()
	s := fresh(t, "sqlite")
	s.Addr = freeAddress(t)
	p := serve(t, s)
	c := callerOf(t, s)
	sale := openSmallSale(t, c, 10)
	confirmed := buyOne(t, c, sale, "a")
	awaitTicket(t, c, sale, confirmed, "a", "confirmed")
	stop := func() {
		p.signal(syscall.SIGTERM)
		<-p.ended
	}
	stop()
	s.Role = "api" // no worker processes the queue
	p = serve(t, s)
	queued := buyOne(t, c, sale, "b")
	stop()

	to := storagetest.NewMariaDBURL(t)
	output, err := copyOf(s, to).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), "which cannot be copied: ")
	said := copied(t, s, to, "--discard-messages")
	require.Contains(t, said, "1 messages in queues were left out")

	served := atServer(t, s, to)
	serve(t, served)
	awaitTicket(t, c, sale, confirmed, "a", "confirmed")
	require.Equal(t, "lost", awaitTicket(t, c, sale, queued, "b", "rejected")["reason"])
	for _, user := range strings.Split("bcdefghij", "") {
		user = "later-" + user
		awaitTicket(t, c, sale, buyOne(t, c, sale, user), user, "confirmed")
	}
	answer := c.Do(t, http.MethodPost, httpapi.Base+sale+"/orders", object{"quantity": 1}, "X-On-Behalf-Of", "too-late")
	require.Equal(t, "sold_out", answer.Code(), "%s", answer.Body)
	checkPromises(t, served)
}

var shell = regexp.MustCompile("(?s)```sh\n(.*?)```")

// The shell blocks of the guide, from the stop of the old server to the check of the new one, are
// run as one script.
func TestCommandsOfTheCopyGuideMoveAnInstallation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/guides/from-embedded-to-mysql.md")
	require.NoError(t, err)
	s := fresh(t, "sqlite")
	s.Addr = freeAddress(t)
	p := serve(t, s)
	c := callerOf(t, s)
	require.Equal(t, http.StatusCreated, c.Do(t, http.MethodPost, httpapi.Base+"/items", object{"sku": "MOVED", "name": "Moved", "price": 900}).Status)
	to := storagetest.NewMariaDBURL(t)
	u, err := url.Parse(to)
	require.NoError(t, err)

	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "bin"), 0o755))
	require.NoError(t, os.Symlink(programPath, filepath.Join(folder, "bin", "admin")))
	require.NoError(t, os.Symlink(s.DataDir, filepath.Join(folder, "data")))
	script := "set -e\n"
	for _, block := range shell.FindAllStringSubmatch(string(text), -1) {
		script += block[1]
	}
	require.Contains(t, script, "bin/admin copy ")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash", "-c", script)
	served := s
	served.DatabaseURL = ""
	bash.Dir, bash.Env = folder, append(environment(served), "PID="+strconv.Itoa(p.command.Process.Pid), "NEW="+u.String())
	printed, err := bash.CombinedOutput()
	require.NoError(t, err, "%s", printed)
	require.Contains(t, string(printed), "The copy is complete and equals its source: ")

	served.DatabaseURL = to
	serve(t, served)
	require.Equal(t, http.StatusOK, c.Do(t, http.MethodGet, httpapi.Base+"/items/MOVED", nil).Status)
}
