package servers

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// SearchPath returns the folders that are searched for programs: those of PATH, and those
// of servers, which are not in the PATH of an ordinary user.
func SearchPath() []string {
	return append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/sbin", "/usr/local/bin")
}

// Find returns the path of a program in the first folder that contains it, or "" if none
// does.
func Find(name string, folders []string) string {
	for _, folder := range folders {
		path, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			continue
		}
		if about, err := os.Stat(path); err == nil && about.Mode().IsRegular() && about.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// Program returns the path of a program that a test starts. If it is missing, the test
// fails; hint names the package that installs it.
func Program(t testing.TB, name, hint string) string {
	t.Helper()
	path := Find(name, SearchPath())
	if path == "" {
		t.Fatalf("%s is not installed: %s", name, hint)
	}
	return path
}

// MariaDBAccount returns the account that mariadbd runs as: user mysql if we are root,
// because mariadbd rejects root, and otherwise nil for the current user. The parent process
// switches the account, not --user, because the kernel clears the parent-death signal of a
// process that changes its own user.
func MariaDBAccount() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("mysql")
	if err != nil {
		return nil, fmt.Errorf("mariadbd does not run as root and there is no user mysql (the package mariadb-server makes it): %w", err)
	}
	uid, errUID := strconv.ParseUint(account.Uid, 10, 32)
	gid, errGID := strconv.ParseUint(account.Gid, 10, 32)
	if err := errors.Join(errUID, errGID); err != nil {
		return nil, fmt.Errorf("read the ids of user mysql: %w", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
