package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"interlock/internal/base/secretfile"
	"interlock/internal/base/storage"
)

// complete is the last line of a dump. A dump without it is truncated.
const complete = "-- Interlock: the backup is complete.\n"

// versions is the table with the schema version. It is dumped, and so loaded, last: a
// partly loaded database has none.
const versions = "goose_db_version"

// dump writes a consistent snapshot of a server's database as SQL statements.
func dump(ctx context.Context, address string, to io.Writer) error {
	program, err := find("mariadb-dump", "mysqldump")
	if err != nil {
		return err
	}
	link, err := linkOf(address)
	if err != nil {
		return err
	}
	defer link.close()
	arguments := []string{"--defaults-extra-file=" + link.file, "--single-transaction", "--quick", "--skip-lock-tables",
		"--hex-blob", "--no-tablespaces", "--default-character-set=utf8mb4"}
	if !isMariaDB(ctx, program) {
		arguments = append(arguments, "--set-gtid-purged=OFF")
	}
	for _, last := range [][]string{{"--ignore-table=" + link.database + "." + versions, link.database}, {link.database, versions}} {
		if err := run(exec.CommandContext(ctx, program, append(arguments[:len(arguments):len(arguments)], last...)...), nil, to); err != nil {
			return err
		}
	}
	_, err = io.WriteString(to, complete)
	return err
}

// load reads a dump into an empty database.
func load(ctx context.Context, o storage.Options, from *os.File) (Content, error) {
	size, err := requireComplete(from)
	if err != nil {
		return Content{}, err
	}
	program, err := find("mariadb", "mysql")
	if err != nil {
		return Content{}, err
	}
	db, err := storage.Open(ctx, o)
	if err != nil {
		return Content{}, err
	}
	defer db.Close()
	var tables int64
	err = db.Read(storage.AcrossTenants(ctx)).Raw("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()").Scan(&tables).Error
	if err != nil {
		return Content{}, fmt.Errorf("check that the database is empty: %w", err)
	}
	if tables > 0 {
		return Content{}, fmt.Errorf("the database at %s is not empty: make another one (CREATE DATABASE …), and have INTERLOCK_DATABASE_URL name it", db.URL)
	}
	link, err := linkOf(o.URL)
	if err != nil {
		return Content{}, err
	}
	defer link.close()
	client := exec.CommandContext(ctx, program, "--defaults-extra-file="+link.file, "--binary-mode", "--default-character-set=utf8mb4", link.database)
	if err := run(client, from, io.Discard); err != nil {
		return Content{}, err
	}
	content, err := renew(ctx, db)
	content.Size = size
	return content, err
}

// requireComplete rejects a truncated dump.
func requireComplete(file *os.File) (size int64, err error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	last := make([]byte, len(complete))
	if _, err := file.ReadAt(last, max(0, info.Size()-int64(len(complete)))); err != nil || string(last) != complete {
		return 0, fmt.Errorf("%s is not a complete backup of a database on a server: its last line is missing", file.Name())
	}
	return info.Size(), nil
}

// find returns the path of the engine's program, by MariaDB's or MySQL's name.
func find(names ...string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed here: run this on a machine with MariaDB's or MySQL's client programs (on Debian: mariadb-client)", strings.Join(names, " or "))
}

// isMariaDB reports whether a program is MariaDB's, regardless of its name.
func isMariaDB(ctx context.Context, program string) bool {
	said, err := exec.CommandContext(ctx, program, "--version").Output()
	return err == nil && bytes.Contains(said, []byte("MariaDB"))
}

// run runs a program; the error contains its standard error.
func run(command *exec.Cmd, from io.Reader, to io.Writer) error {
	var said bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = from, to, &said
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(command.Path), err, strings.TrimSpace(said.String()))
	}
	return nil
}

// programLink is the option file with which the engine's programs connect to a database. A
// file, because every user of the machine can read program arguments.
type programLink struct{ dir, file, database string }

func linkOf(address string) (programLink, error) {
	u, err := url.Parse(address)
	if err != nil {
		return programLink{}, errors.New("the database's URL cannot be read")
	}
	host, port, err := net.SplitHostPort(u.Host)
	if err != nil {
		host, port = u.Host, "3306"
	}
	password, _ := u.User.Password()
	if file := u.Query().Get("password_file"); file != "" {
		if password, err = secretfile.Read(file); err != nil {
			return programLink{}, fmt.Errorf("the database's password: %w", err)
		}
	}
	var options strings.Builder
	options.WriteString("[client]\n")
	for _, option := range [][2]string{{"protocol", "tcp"}, {"host", strings.Trim(host, "[]")}, {"port", port}, {"user", u.User.Username()}, {"password", password}} {
		fmt.Fprintf(&options, "%s=%s\n", option[0], quoted(option[1]))
	}
	if query := u.Query(); query.Get("tls") == "true" || query.Get("ca") != "" {
		if query.Get("ca") != "" {
			fmt.Fprintf(&options, "ssl-ca=%s\n", quoted(query.Get("ca")))
		}
		// MariaDB's and MySQL's names of the options; each program ignores the other's.
		options.WriteString("loose-ssl\nloose-ssl-verify-server-cert\nloose-ssl-mode=VERIFY_IDENTITY\n")
	}
	dir, err := os.MkdirTemp("", "interlock-backup-")
	if err != nil {
		return programLink{}, err
	}
	link := programLink{dir, filepath.Join(dir, "client.cnf"), strings.Trim(u.Path, "/")}
	if err := os.WriteFile(link.file, []byte(options.String()), 0o600); err != nil {
		link.close()
		return programLink{}, err
	}
	return link, nil
}

func (l programLink) close() { _ = os.RemoveAll(l.dir) }

// quoted returns a value for an option file.
func quoted(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value) + `"`
}
