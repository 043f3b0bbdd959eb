//go:build engines

package stepclock_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/test/stepclock"
)

func TestRunningAndNewProcessesUseTheClock(t *testing.T) {
	c := stepclock.New(t)
	ask := running(t, c)
	for _, ahead := range []time.Duration{0, 5 * time.Minute, -5 * time.Minute, 0} {
		c.Set(t, ahead)
		for name, told := range map[string]time.Time{"one that runs": ask(), "one that starts": running(t, c)(), "this one": c.Now()} {
			require.WithinDuration(t, clock.System{}.Now().Add(ahead), told, 5*time.Second, name)
		}
	}
}

// running starts a shell that returns the time on request.
func running(t *testing.T, c *stepclock.Clock) (ask func() time.Time) {
	t.Helper()
	shell := exec.Command("bash", "-c", `while read; do printf '%(%s)T\n' -1; done`)
	shell.Env = append(os.Environ(), c.Environment()...)
	in, err := shell.StdinPipe()
	require.NoError(t, err)
	out, err := shell.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, shell.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = shell.Wait()
	})
	lines := bufio.NewScanner(out)
	return func() time.Time {
		_, err := fmt.Fprintln(in)
		require.NoError(t, err)
		require.True(t, lines.Scan())
		seconds, err := strconv.ParseInt(lines.Text(), 10, 64)
		require.NoError(t, err)
		return time.Unix(seconds, 0)
	}
}
