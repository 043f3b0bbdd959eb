// Package migrations holds the versioned schema of both dialects, embedded.
//
// A migration has the same number and name in mysql/ and sqlite/, is never
// edited after a release, and the schema that all of them make is kept beside
// them as schema.golden.sql.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed mysql/0*.sql sqlite/0*.sql
var files embed.FS

// MySQL returns the migrations for MySQL and MariaDB.
func MySQL() fs.FS { return sub("mysql") }

// SQLite returns the migrations for SQLite.
func SQLite() fs.FS { return sub("sqlite") }

func sub(dir string) fs.FS {
	// The directory is embedded above, so it is there.
	inner, err := fs.Sub(files, dir)
	if err != nil {
		panic(err)
	}
	return inner
}
