package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"interlock/test/servers"
)

// programs are the paths of the binaries the runner starts.
type programs struct {
	mariadbd, mariadbInstallDB, redisServer string
}

// findOrInstall finds the servers' binaries. It installs missing ones if that is possible
// without a prompt: as root on Debian or Ubuntu.
func findOrInstall(log io.Writer) (programs, error) {
	found, missing := findPrograms(servers.SearchPath())
	if len(missing) == 0 {
		return found, nil
	}
	release, _ := os.ReadFile("/etc/os-release")
	if os.Geteuid() != 0 || !isDebian(string(release)) {
		return programs{}, missingError(missing)
	}
	fmt.Fprintf(log, "services: installing the Debian packages %s\n", strings.Join(missing, " and "))
	if err := installPackages(missing, log); err != nil {
		return programs{}, err
	}
	if found, missing = findPrograms(servers.SearchPath()); len(missing) > 0 {
		return programs{}, missingError(missing)
	}
	return found, nil
}

func missingError(packages []string) error {
	return fmt.Errorf("the tests need a MariaDB and a Redis server of their own and cannot find them; "+
		"install %s (on Debian and Ubuntu: apt-get install --no-install-recommends %s) and run this again",
		strings.Join(packages, " and "), strings.Join(packages, " "))
}

// findPrograms returns the binaries in the directories, and the Debian packages of the
// missing ones.
func findPrograms(directories []string) (found programs, missing []string) {
	wanted := []struct {
		name, debianPackage string
		path                *string
	}{
		{"mariadbd", "mariadb-server", &found.mariadbd},
		{"mariadb-install-db", "mariadb-server", &found.mariadbInstallDB},
		{"redis-server", "redis-server", &found.redisServer},
	}
	for _, program := range wanted {
		*program.path = servers.Find(program.name, directories)
		if *program.path == "" && !slices.Contains(missing, program.debianPackage) {
			missing = append(missing, program.debianPackage)
		}
	}
	return found, missing
}

func isDebian(osRelease string) bool {
	for line := range strings.Lines(osRelease) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name != "ID" && name != "ID_LIKE" {
			continue
		}
		for _, id := range strings.Fields(strings.Trim(value, `"'`)) {
			if id == "debian" || id == "ubuntu" {
				return true
			}
		}
	}
	return false
}

func installPackages(packages []string, log io.Writer) error {
	allowStart, err := forbidServiceStart(policyPath)
	if err != nil {
		return err
	}
	defer allowStart()
	steps := [][]string{
		{"update"},
		append([]string{"install", "-y", "--no-install-recommends"}, packages...),
	}
	for _, step := range steps {
		arguments := append([]string{"-q", "-o", "DPkg::Lock::Timeout=120"}, step...)
		// Ctrl-C must not reach apt: an interrupted dpkg leaves the machine's packages
		// broken.
		apt := exec.Command("apt-get", arguments...)
		apt.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		apt.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		apt.Stdout, apt.Stderr = log, log
		if err := apt.Run(); err != nil {
			return fmt.Errorf("apt-get %s: %w", strings.Join(step, " "), err)
		}
	}
	return nil
}

// policyPath is a script that Debian's packages call before they start a service, see
// /usr/share/doc/init-system-helpers/README.policy-rc.d.gz.
const policyPath = "/usr/sbin/policy-rc.d"

const policyForbidsAll = "#!/bin/sh\nexit 101\n"

// forbidServiceStart prevents new packages from starting their servers on the machine until
// the returned function is called. An existing policy is moved away until then; if a former
// run was killed, its policy is found there.
func forbidServiceStart(path string) (allow func(), err error) {
	aside := path + ".interlock-aside"
	if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(path, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("put the policy of service starts aside: %w", err)
		}
	}
	allow = func() {
		_ = os.Remove(path)
		_ = os.Rename(aside, path)
	}
	if err := os.WriteFile(path, []byte(policyForbidsAll), 0o755); err != nil {
		allow()
		return nil, fmt.Errorf("forbid service starts during the installation: %w", err)
	}
	return allow, nil
}
