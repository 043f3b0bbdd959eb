package tier

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SumFile contains, for each package, the checksum of the SQL with which its tests last passed on
// MariaDB. Its path is relative to the root of the module.
const SumFile = "test/mariadb.sum"

// imports marks the Go files that can contain SQL.
var imports = [][]byte{[]byte(`"gorm.io/gorm`), []byte(`"interlock/internal/base/storage"`), []byte(`"database/sql"`)}

// SQLSum returns the checksum of the Go files of a package that can contain SQL, without its
// tests. It is empty for a package that has none.
func SQLSum(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return "", err
	}
	sum, count := sha256.New(), 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(imports, func(path []byte) bool { return bytes.Contains(text, path) }) {
			count++
			fmt.Fprintf(sum, "%s %d\n%s", filepath.Base(file), len(text), text)
		}
	}
	if count == 0 {
		return "", nil
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// SQLChanged reports whether the SQL of one of the packages differs from the recorded one. The paths
// are relative to the root of the module. A package without SQL is an error: its tests exercise the
// SQL of others, and those must be named.
func SQLChanged(root string, packages ...string) (bool, error) {
	recorded, err := ReadSums(root)
	if err != nil {
		return false, err
	}
	for _, path := range packages {
		sum, err := SQLSum(filepath.Join(root, path))
		switch {
		case err != nil:
			return false, err
		case sum == "":
			return false, fmt.Errorf("%s contains no SQL: name the packages under test with storagetest.Covers", path)
		case sum != recorded[path]:
			return true, nil
		}
	}
	return false, nil
}

// ReadSums reads SumFile: the checksums by the paths of their packages.
func ReadSums(root string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, SumFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		path, sum, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return nil, fmt.Errorf("%s: %q is not a package and a checksum", SumFile, line)
		}
		sums[path] = sum
	}
	return sums, nil
}

// Root returns the root of the module that the working directory belongs to.
func Root() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", errors.New("no go.mod in the working directory or above it")
		}
		folder = above
	}
}
