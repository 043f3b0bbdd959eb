// Package migrations embeds the versioned schema of both dialects.
//
// A migration has the same number and name in mysql/ and sqlite/. It is never edited after a
// release. schema.golden.sql is the schema that all migrations of a dialect create.
package migrations

import (
	"embed"
	"io"
	"io/fs"
	"strings"
)

// The collations of texts that compare bytes without padding. Each server has only one of them.
const (
	MariaDBCollation = "utf8mb4_nopad_bin"
	MySQLCollation   = "utf8mb4_0900_bin"
)

//go:embed mysql/0*.sql sqlite/0*.sql
var files embed.FS

// MySQL returns the migrations for MariaDB.
func MySQL() fs.FS { return sub("mysql") }

// OnMySQL returns the migrations of MariaDB with the collation of MySQL.
func OnMySQL() fs.FS { return collated{MySQL()} }

type collated struct{ fs.FS }

// Open implements fs.FS.
func (c collated) Open(name string) (fs.File, error) {
	file, err := c.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return file, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	return content{file, strings.NewReader(strings.ReplaceAll(string(text), MariaDBCollation, MySQLCollation))}, nil
}

// content is a file with another text.
type content struct {
	fs.File
	text io.Reader
}

func (c content) Read(into []byte) (int, error) { return c.text.Read(into) }

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
