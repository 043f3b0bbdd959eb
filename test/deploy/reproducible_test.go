//go:build release

package deploy

import (
	"crypto/sha256"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// The web admin and the program are built once more from a copy of the sources in another folder,
// with an empty cache and as the image builds them, and come out byte for byte the same.
func TestTheSameSourcesMakeTheSameProgramWhereverTheyAre(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	copySources(t, elsewhere)
	execute(t, elsewhere, nil, "npm", "--prefix", "web", "run", "--silent", "build")
	require.Equal(t, digests(t, root+"/web/dist"), digests(t, elsewhere+"/web/dist"), "the web admin")

	here, there := buildAsTheImage(t, root), buildAsTheImage(t, elsewhere, "GOCACHE="+t.TempDir())
	require.Equal(t, digests(t, filepath.Dir(here)), digests(t, filepath.Dir(there)), "the program and what it consists of")
}

// copySources copies what git knows, as it is now, and the packages of the web admin.
func copySources(t *testing.T, to string) {
	t.Helper()
	listed, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	require.NoError(t, err)
	for _, file := range strings.Split(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		copied := filepath.Join(to, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(copied), 0o755))
		text, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(copied, text, 0o644))
	}
	execute(t, root, nil, "cp", "-r", "web/node_modules", filepath.Join(to, "web/node_modules"))
}

// buildAsTheImage runs the command of the Dockerfile in a folder of sources, and returns where the
// program is, with what it consists of beside it.
func buildAsTheImage(t *testing.T, sources string, environment ...string) (program string) {
	t.Helper()
	commands := regexp.MustCompile(`(?s)\nRUN (CGO_ENABLED=0 go build .*?admin\.cdx\.json)`).FindStringSubmatch(read(t, "../../deploy/Dockerfile"))
	require.NotNil(t, commands)
	out := t.TempDir()
	command := strings.ReplaceAll(commands[1], "/out/", out+"/")
	require.NotEqual(t, commands[1], command)
	execute(t, sources, append(environment, "VERSION=v1.2.3"), "sh", "-c", command)
	require.FileExists(t, out+"/admin.cdx.json")
	return out + "/admin"
}

func execute(t *testing.T, folder string, environment []string, name string, arguments ...string) {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// digests are those of all files of a folder, by their paths in it.
func digests(t *testing.T, folder string) map[string][sha256.Size]byte {
	t.Helper()
	found := map[string][sha256.Size]byte{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		digest := sha256.New()
		if _, err := io.Copy(digest, file); err != nil {
			return err
		}
		inside, err := filepath.Rel(folder, path)
		found[inside] = [sha256.Size]byte(digest.Sum(nil))
		return err
	}))
	require.NotEmpty(t, found)
	return found
}
