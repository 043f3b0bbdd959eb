package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/servers"
)

const root = "../.."

// sendToBuild copies the build context of `docker build`: the files that git tracks or would add, except
// those that the ignore file excludes.
func sendToBuild(t *testing.T, to string) {
	t.Helper()
	var patterns []string
	for line := range strings.Lines(read(t, root+"/deploy/Dockerfile.dockerignore")) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			require.NotContains(t, line, "**", "isIgnored does not implement it")
			patterns = append(patterns, line)
		}
	}
	listed, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	require.NoError(t, err)
	for _, file := range strings.Split(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) || isIgnored(patterns, file) {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(to, file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(to, file), text, 0o644))
	}
}

// isIgnored reports whether the last pattern that matches the path or one of its folders excludes it.
func isIgnored(patterns []string, path string) (ignored bool) {
	for _, pattern := range patterns {
		pattern, again := strings.CutPrefix(pattern, "!")
		for at := path; at != "."; at = filepath.Dir(at) {
			if matches, _ := filepath.Match(pattern, at); matches {
				ignored = !again
			}
		}
	}
	return ignored
}

// image carries out the Dockerfile without a container runtime: each stage has a folder of this machine as
// its root, and RUN uses the programs of this machine.
type image struct {
	// context is the build context, and home the folder of the stages.
	context, home string
	environment   []string
}

var instruction = regexp.MustCompile(`(?m)^([A-Z]+) ((?:.*\\\n)*.*)$`)

// build carries out one stage, after the stages that it copies from are in its home.
func (i image) build(t *testing.T, stage string) {
	t.Helper()
	inside := filepath.Join(i.home, stage)
	workdir, current := inside, ""
	for _, line := range instruction.FindAllStringSubmatch(read(t, root+"/deploy/Dockerfile"), -1) {
		if line[1] == "FROM" {
			_, current, _ = strings.Cut(line[2], " AS ")
			continue
		}
		if current != stage {
			continue
		}
		switch line[1] {
		case "ARG":
			require.Equal(t, "VERSION=unknown", line[2])
		case "WORKDIR":
			workdir = filepath.Join(inside, line[2])
			require.NoError(t, os.MkdirAll(workdir, 0o755))
		case "COPY":
			i.copy(t, strings.Fields(line[2]), workdir)
		case "RUN":
			command := strings.ReplaceAll(line[2], "/out/", inside+"/out/")
			execute(t, workdir, append(i.environment, "VERSION=v1.2.3"), "sh", "-ec", command)
		default:
			require.Fail(t, "an instruction that this test does not carry out", line[0])
		}
	}
	require.NotEqual(t, inside, workdir, "the Dockerfile has no stage %s", stage)
}

// copy carries out COPY in a working directory.
func (i image) copy(t *testing.T, arguments []string, workdir string) {
	t.Helper()
	from := i.context
	if stage, is := strings.CutPrefix(arguments[0], "--from="); is {
		from, arguments = filepath.Join(i.home, stage), arguments[1:]
	}
	last := len(arguments) - 1
	to := filepath.Join(workdir, arguments[last])
	for _, source := range arguments[:last] {
		source = filepath.Join(from, source)
		info, err := os.Stat(source)
		require.NoError(t, err, "the ignore file excludes it, or it does not exist")
		if info.IsDir() {
			require.NoError(t, os.MkdirAll(to, 0o755))
			execute(t, workdir, nil, "cp", "-r", source+"/.", to)
			continue
		}
		if strings.HasSuffix(arguments[last], "/") {
			require.NoError(t, os.MkdirAll(to, 0o755))
		}
		execute(t, workdir, nil, "cp", source, to)
	}
}

func execute(t *testing.T, folder string, environment []string, name string, arguments ...string) {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// useWebOfCheckout stands for the stage that builds the web admin.
func useWebOfCheckout(t *testing.T, i image) {
	t.Helper()
	require.NoError(t, os.MkdirAll(i.home+"/web/src/web", 0o755))
	execute(t, root, nil, "cp", "-r", "web/dist", i.home+"/web/src/web/")
}

// The web admin comes from this checkout; make reproducible builds it in its stage, too.
func TestSourcesSentToTheImageBuildTheProgram(t *testing.T) {
	servers.Uncached()
	i := image{context: t.TempDir(), home: t.TempDir()}
	sendToBuild(t, i.context)
	useWebOfCheckout(t, i)
	i.build(t, "program")
	require.FileExists(t, i.home+"/program/out/admin.cdx.json")
	require.DirExists(t, i.home+"/program/out/data")
	output, err := exec.Command(i.home+"/program/out/admin", "--version").Output()
	require.NoError(t, err)
	require.Equal(t, "v1.2.3\n", string(output))
}

func TestGitAndImageExcludeDeploymentSecrets(t *testing.T) {
	for _, file := range []string{"deploy/.env", "deploy/files/tls.key"} {
		require.NoError(t, exec.Command("git", "-C", root, "check-ignore", "--no-index", "-q", file).Run(), "git would add %s", file)
		require.True(t, isIgnored(strings.Fields(read(t, root+"/deploy/Dockerfile.dockerignore")), file), file)
	}
}

// Every image that backs up a database server has the client programs that `admin backup` looks for.
func TestBackupsRunInAnImageWithTheClientPrograms(t *testing.T) {
	stages := regexp.MustCompile(`(?m)^FROM (\S+) AS tools$`).FindStringSubmatch(read(t, root+"/deploy/Dockerfile"))
	require.NotNil(t, stages)
	services := readYAML(t, root+"/deploy/compose.yaml")["services"].(object)
	require.Equal(t, at(t, services, "database", "image"), stages[1], "the dump program is that of the server")
	backup := at(t, services, "backup").(object)
	require.Equal(t, "tools", at(t, backup, "build", "target"))
	require.Contains(t, backup["volumes"], "backups:/backups")

	objects, err := render(t, valuesWith(t, object{"secrets": references, "backup": object{"claim": "shop-backups", "keep": 7}}))
	require.NoError(t, err)
	pod := at(t, objects["CronJob"], "spec", "jobTemplate", "spec", "template", "spec")
	container := at(t, pod, "containers", 0)
	require.Equal(t, "interlock-tools:v1", at(t, container, "image"))
	require.Equal(t, []any{"backup", "/backups", "--keep", "7"}, at(t, container, "args"))
	require.Contains(t, at(t, container, "volumeMounts"), object{"name": "backups", "mountPath": "/backups"})
	require.Contains(t, at(t, pod, "volumes"), object{"name": "backups", "persistentVolumeClaim": object{"claimName": "shop-backups"}})
	require.Contains(t, environmentOf(t, container), "INTERLOCK_DATABASE_URL")
	objects, err = render(t, valuesWith(t, object{"secrets": references}))
	require.NoError(t, err)
	require.NotContains(t, objects, "CronJob", "no claim, no backups")

	// The volume of an embedded database can be mounted by one pod only.
	objects, err = render(t, valuesWith(t, object{"mode": "embedded", "backup": object{"claim": "shop-backups"}}))
	require.NoError(t, err)
	require.NotContains(t, objects, "CronJob")
	pod = at(t, objects["StatefulSet"], "spec", "template", "spec")
	container = at(t, pod, "containers", 1)
	require.Equal(t, at(t, pod, "containers", 0, "image"), at(t, container, "image"))
	require.Equal(t, []any{"backup", "/backups", "--every", "24h", "--keep", "14"}, at(t, container, "args"))
	for _, name := range []string{"data", "backups", "tmp"} {
		require.True(t, slices.ContainsFunc(at(t, container, "volumeMounts").([]any), func(m any) bool { return at(t, m, "name") == name }), name)
	}
}
