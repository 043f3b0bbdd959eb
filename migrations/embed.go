// Package migrations embeds the versioned schema of both dialects.
//
// A migration has the same number and name in mysql/ and sqlite/. It is never edited after a
// release. schema.golden.sql is the schema that all migrations of a dialect create.
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
