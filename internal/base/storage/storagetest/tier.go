package storagetest

import (
	"os"
	"path/filepath"
	"sync"

	"interlock/test/tier"
)

// covered are the packages with the SQL that the tests of this binary run, relative to the root of the
// module. Without a call to [Covers] it is the package that contains the tests.
var covered []string

// Covers names the packages with the SQL that the tests of this binary run, relative to the root of the
// module. A package that tests several others calls it from TestMain.
func Covers(packages ...string) { covered = packages }

// WithMariaDB reports whether [Each] runs on MariaDB too: always in the nightly tier, and in the
// others while the SQL of the package differs from the SQL of the last nightly run.
var WithMariaDB = sync.OnceValue(func() bool {
	if tier.IsNightly() {
		return true
	}
	root, err := tier.Root()
	if err != nil {
		panic(err)
	}
	if covered == nil {
		covered = []string{here(root)}
	}
	changed, err := tier.SQLChanged(root, covered...)
	if err != nil {
		panic(err)
	}
	return changed
})

// here returns the folder of the package that contains the tests, because go test runs the tests in
// that folder.
func here(root string) string {
	folder, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	path, err := filepath.Rel(root, folder)
	if err != nil {
		panic(err)
	}
	return filepath.ToSlash(path)
}
