package faults_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/client"
	"interlock/internal/settings"
	"interlock/test/racing"
	"interlock/test/tier"
)

// followVariable makes the test binary run as a program that follows a config.
const followVariable = "INTERLOCK_TEST_FOLLOW"

// followSpec are the parameters of that program.
type followSpec struct{ URL, Token, File string }

const followedKey = "faults.followed"

// followedLine is a line of the program's output: a value with its status.
type followedLine struct {
	Value    int
	Version  int64
	Source   client.Source
	Rollback bool
	// StartedMs is the time until the first value was readable.
	StartedMs int64
}

// followAsProgram prints the first value of the config and each later one until it is killed.
func followAsProgram(text string) int {
	var spec followSpec
	err := json.Unmarshal([]byte(text), &spec)
	if err == nil {
		err = printValues(context.Background(), spec)
	}
	fmt.Fprintln(os.Stderr, "follow:", err)
	return 2
}

func printValues(ctx context.Context, spec followSpec) error {
	start := time.Now()
	c, err := client.New(spec.URL, spec.Token)
	if err != nil {
		return err
	}
	pauses := client.WatchOptions{FirstPause: 10 * time.Millisecond, MaxPause: 100 * time.Millisecond}
	followed := client.Follow(ctx, c.Configs, followedKey, 0, client.FollowOptions{WatchOptions: pauses, File: spec.File})
	for now := range followed.Updates(ctx) {
		line := followedLine{Value: now.Value, Source: now.Source, Rollback: now.Rollback, StartedMs: time.Since(start).Milliseconds()}
		if len(now.Configs) > 0 {
			line.Version = now.Configs[0].Version
		}
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		fmt.Println(string(text))
	}
	return ctx.Err()
}

// followingProgram is a run of the program.
type followingProgram struct {
	command *exec.Cmd
	ended   chan struct{}
	mu      sync.Mutex
	lines   []followedLine
}

func launchFollower(t *testing.T, spec followSpec) *followingProgram {
	t.Helper()
	text, err := json.Marshal(spec)
	require.NoError(t, err)
	p := &followingProgram{command: exec.CommandContext(t.Context(), os.Args[0]), ended: make(chan struct{})}
	p.command.Env = append(os.Environ(), followVariable+"="+string(text))
	p.command.Stderr = os.Stderr
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, err := p.command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.command.Start())
	go func() {
		defer close(p.ended)
		p.read(output)
		_ = p.command.Wait()
	}()
	t.Cleanup(func() { p.kill() })
	return p
}

// read collects the complete lines of the output.
func (p *followingProgram) read(output io.Reader) {
	for lines := bufio.NewReader(output); ; {
		text, err := lines.ReadBytes('\n')
		var line followedLine
		if err != nil || json.Unmarshal(text, &line) != nil {
			return
		}
		p.mu.Lock()
		p.lines = append(p.lines, line)
		p.mu.Unlock()
	}
}

func (p *followingProgram) printed() []followedLine {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines[:len(p.lines):len(p.lines)]
}

func (p *followingProgram) last() (line followedLine) {
	if all := p.printed(); len(all) > 0 {
		line = all[len(all)-1]
	}
	return line
}

// kill kills the program and returns its complete output.
func (p *followingProgram) kill() []followedLine {
	_ = p.command.Process.Kill()
	<-p.ended
	return p.printed()
}

// cutter is a proxy that cuts each connection after a random number of bytes of the reply.
type cutter struct {
	listener net.Listener
	upstream string
	roll     func(n int) int
	running  sync.WaitGroup
	cuts     atomic.Int64
	// healthy makes the proxy forward everything.
	healthy atomic.Bool

	mu   sync.Mutex
	open map[net.Conn]struct{}
}

// maxBytesUntilCut is the size of three or four replies.
const maxBytesUntilCut = 3 << 10

func newCutter(t *testing.T, upstream string, random *rand.Rand) *cutter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{listener: listener, upstream: upstream, roll: dice(random.Uint64()), open: map[net.Conn]struct{}{}}
	c.running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			c.running.Go(func() { c.forward(near) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		c.cutAll()
		c.running.Wait()
	})
	return c
}

func (c *cutter) forward(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", c.upstream)
	if err != nil {
		return
	}
	defer far.Close()
	c.track(near, far)
	var requests sync.WaitGroup
	requests.Go(func() {
		_, _ = io.Copy(far, near)
		_ = far.Close()
	})
	if c.healthy.Load() {
		_, _ = io.Copy(near, far)
	} else if n, err := io.CopyN(near, far, int64(1+c.roll(maxBytesUntilCut))); err == nil && n > 0 {
		c.cuts.Add(1)
	}
	_ = near.Close()
	requests.Wait()
}

func (c *cutter) track(ends ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, end := range ends {
		c.open[end] = struct{}{}
	}
}

// cutAll cuts all connections.
func (c *cutter) cutAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for end := range c.open {
		_ = end.Close()
	}
	clear(c.open)
}

// followWorld is a service, a proxy before it, and a program that follows through the proxy.
type followWorld struct {
	t        *testing.T
	settings settings.Settings
	service  *process
	spec     followSpec
	program  *followingProgram
	link     *cutter
	editor   *client.Client
	// printed is the output of the runs before this one, and expected the config after the last edit.
	printed  []followedLine
	expected client.Config
}

func newFollowWorld(t *testing.T, random *rand.Rand) *followWorld {
	t.Helper()
	s := fresh(t, "sqlite")
	s.Addr = freeAddress(t)
	w := &followWorld{t: t, settings: s, service: serve(t, s), link: newCutter(t, s.Addr, random)}
	caller := callerOf(t, s)
	var err error
	w.editor, err = client.New("http://"+s.Addr, caller.Token, client.WithHTTPClient(newClient(t)))
	require.NoError(t, err)
	w.expected, err = w.editor.Configs.Create(t.Context(), client.ConfigCreate{Key: followedKey, Value: json.RawMessage("1")})
	require.NoError(t, err)
	w.spec = followSpec{URL: "http://" + w.link.listener.Addr().String(), Token: caller.Token, File: filepath.Join(t.TempDir(), "followed")}
	w.program = launchFollower(t, w.spec)
	w.converge()
	return w
}

// edit increments the value; the service is available.
func (w *followWorld) edit() {
	t := w.t
	t.Helper()
	require.Eventually(t, func() bool {
		cfg, err := w.editor.Configs.Get(t.Context(), followedKey)
		if err != nil {
			return false
		}
		require.NoError(t, cfg.SetValue(cfg.Version+1))
		if err = w.editor.Configs.Save(t.Context(), &cfg); err != nil {
			return false
		}
		w.expected = cfg
		return true
	}, patience, 10*time.Millisecond)
}

// restart kills the program, starts the next run and waits for its first value.
func (w *followWorld) restart() {
	w.t.Helper()
	w.printed = append(w.printed, w.program.kill()...)
	w.program = launchFollower(w.t, w.spec)
	require.Eventually(w.t, func() bool { return len(w.program.printed()) > 0 }, patience, time.Millisecond)
}

// converge waits until the program has the last saved value.
func (w *followWorld) converge() {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		last := w.program.last()
		return last.Version == w.expected.Version && last.Source == client.SourceService
	}, patience, 10*time.Millisecond, "the program did not receive version %d", w.expected.Version)
}

// check fails if a run returned to an earlier version without reporting a rollback. The fallback
// of a run that was killed before it stored a state has no version.
func (w *followWorld) check() (rollbacks int) {
	w.t.Helper()
	var version int64
	for _, line := range append(w.printed, w.program.printed()...) {
		if line.Source == client.SourceFallback {
			require.Zero(w.t, version, "a stored value was lost")
			continue
		}
		require.EqualValues(w.t, line.Version, line.Value)
		if line.Rollback {
			rollbacks++
		} else {
			require.GreaterOrEqual(w.t, line.Version, version)
		}
		version = line.Version
	}
	return rollbacks
}

// startAlone starts the program while the service is down.
func (w *followWorld) startAlone() {
	w.t.Helper()
	w.service.kill()
	w.restart()
	first := w.program.printed()[0]
	require.Equal(w.t, client.SourceFile, first.Source)
	require.Less(w.t, first.StartedMs, int64(1000))
	w.service = serve(w.t, w.settings)
}

// restore makes a backup and two edits, and then restores the backup.
func (w *followWorld) restore() {
	w.t.Helper()
	backup := filepath.Join(w.t.TempDir(), "backup")
	admin(w.t, w.settings, "backup", backup)
	restored := w.expected
	w.edit()
	w.edit()
	w.converge()
	w.service.kill()
	admin(w.t, w.settings, "restore", backup)
	w.service = serve(w.t, w.settings)
	w.expected = restored
	w.converge()
}

// The program, the service and the links between them are killed at random moments. Then the
// database is restored from a backup.
// Proves G6.12.
func TestKilledFollowerConvergesAndReportsRollbacks(t *testing.T) {
	random := racing.Seeded(t)
	w := newFollowWorld(t, random)
	for range tier.Rounds(8, 400) {
		for range random.IntN(4) {
			w.edit()
		}
		pause(t.Context(), time.Duration(random.IntN(30))*time.Millisecond)
		switch random.IntN(6) {
		case 0:
			w.startAlone()
		case 1, 2:
			w.restart()
		case 3:
			w.link.cutAll()
		default:
			w.converge()
		}
	}
	for w.link.cuts.Load() < 3 {
		w.edit()
		w.converge()
	}
	w.link.healthy.Store(true)
	w.link.cutAll()
	w.converge()
	require.Zero(t, w.check())

	w.restore()
	w.edit()
	w.converge()
	require.Equal(t, 1, w.check())
}
