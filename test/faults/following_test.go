package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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
	Value   int
	Version int64
	ETag    string
	// Sequence is the position in the log of configs.
	Sequence int64
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
			line.Version, line.ETag = now.Configs[0].Version, now.Configs[0].ETag
		}
		if now.Revision != "" {
			sequence := now.Revision[strings.LastIndexByte(now.Revision, '-')+1:]
			if line.Sequence, err = strconv.ParseInt(sequence, 10, 64); err != nil {
				return err
			}
		}
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		fmt.Println(string(text))
	}
	return ctx.Err()
}

func launchFollower(t *testing.T, spec followSpec) *process {
	t.Helper()
	text, err := json.Marshal(spec)
	require.NoError(t, err)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), followVariable+"="+string(text))
	return start(t, command)
}

// printedValues returns the complete lines of the program's output.
func printedValues(p *process) (all []followedLine) {
	for text := range strings.Lines(p.output.String()) {
		var line followedLine
		if strings.HasSuffix(text, "\n") && json.Unmarshal([]byte(text), &line) == nil {
			all = append(all, line)
		}
	}
	return all
}

// maxBytesUntilCut is the size of three or four replies.
const maxBytesUntilCut = 3 << 10

// followWorld is a service, a proxy before it, and a program that follows through the proxy.
type followWorld struct {
	t        *testing.T
	settings settings.Settings
	service  *process
	spec     followSpec
	program  *process
	link     *proxy
	editor   *client.Client
	// printed is the output of the runs before this one, and expected the config after the last edit.
	printed  []followedLine
	expected client.Config
	// generation is the number of times that the config was deleted and created again.
	generation int64
}

// generationSize is the difference between the values of two generations at the same version.
const generationSize = 1_000_000

// valueAt returns the value of the config at a version.
func (w *followWorld) valueAt(version int64) int64 { return w.generation*generationSize + version }

func newFollowWorld(t *testing.T, random *rand.Rand) *followWorld {
	t.Helper()
	s := fresh(t, "sqlite")
	s.Addr = freeAddress(t)
	w := &followWorld{t: t, settings: s, service: serve(t, s)}
	link, through := newPlainProxy(t, "http://"+s.Addr)
	roll := dice(random.Uint64())
	link.cutEach(func() int { return 1 + roll(maxBytesUntilCut) })
	w.link = link
	caller := callerOf(t, s)
	var err error
	w.editor, err = client.New("http://"+s.Addr, caller.Token, client.WithHTTPClient(newClient(t)))
	require.NoError(t, err)
	w.expected, err = w.editor.Configs.Create(t.Context(), client.ConfigCreate{Key: followedKey, Value: json.RawMessage("1")})
	require.NoError(t, err)
	w.spec = followSpec{URL: through, Token: caller.Token, File: filepath.Join(t.TempDir(), "followed")}
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
		require.NoError(t, cfg.SetValue(w.valueAt(cfg.Version+1)))
		if err = w.editor.Configs.Save(t.Context(), &cfg); err != nil {
			return false
		}
		w.expected = cfg
		return true
	}, patience, 10*time.Millisecond)
}

// recreate deletes the config and creates it again, with version 1 and a greater value.
func (w *followWorld) recreate() {
	t := w.t
	t.Helper()
	require.NoError(t, w.editor.Configs.Delete(t.Context(), w.expected))
	w.generation++
	content := client.ConfigCreate{Key: followedKey, Value: json.RawMessage(strconv.FormatInt(w.valueAt(1), 10))}
	var err error
	w.expected, err = w.editor.Configs.Create(t.Context(), content)
	require.NoError(t, err)
}

// restart kills the program, starts the next run and waits for its first value.
func (w *followWorld) restart() {
	w.t.Helper()
	w.program.kill()
	w.printed = append(w.printed, printedValues(w.program)...)
	w.program = launchFollower(w.t, w.spec)
	require.Eventually(w.t, func() bool { return len(printedValues(w.program)) > 0 }, patience, time.Millisecond)
}

// converge waits until the program has the last saved value.
func (w *followWorld) converge() {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		all := printedValues(w.program)
		return len(all) > 0 && all[len(all)-1].ETag == w.expected.ETag && all[len(all)-1].Source == client.SourceService
	}, patience, 10*time.Millisecond, "the program did not receive version %d", w.expected.Version)
}

// check fails if a run returned to an earlier value without reporting a rollback. The fallback of a
// run that was killed before it stored a state, and the value of a deleted config, have no version.
func (w *followWorld) check() (rollbacks int) {
	w.t.Helper()
	var before followedLine
	for _, line := range append(w.printed, printedValues(w.program)...) {
		if line.Source == client.SourceFallback {
			require.Zero(w.t, before.Sequence, "a stored value was lost")
			continue
		}
		require.EqualValues(w.t, line.Version, line.Value%generationSize)
		isDeleted := line.Version == 0
		if line.Rollback {
			rollbacks++
		} else {
			require.GreaterOrEqual(w.t, line.Sequence, before.Sequence)
			require.True(w.t, isDeleted || line.Value >= before.Value, "%v after %v", line, before)
		}
		if isDeleted {
			line.Value = before.Value
		}
		before = line
	}
	return rollbacks
}

// startAlone starts the program while the service is down.
func (w *followWorld) startAlone() {
	w.t.Helper()
	w.service.kill()
	w.restart()
	first := printedValues(w.program)[0]
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
			if random.IntN(5) == 0 {
				w.recreate()
			} else {
				w.edit()
			}
		}
		pause(t.Context(), time.Duration(random.IntN(30))*time.Millisecond)
		switch random.IntN(6) {
		case 0:
			w.startAlone()
		case 1, 2:
			w.restart()
		case 3:
			w.link.cutLinks()
		default:
			w.converge()
		}
	}
	for w.link.cuts.Load() < 3 {
		w.edit()
		w.converge()
	}
	w.link.cutEach(nil)
	w.link.cutLinks()
	w.converge()
	require.Zero(t, w.check())

	w.restore()
	w.edit()
	w.converge()
	require.Equal(t, 1, w.check())
}
