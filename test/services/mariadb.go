package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"interlock/test/certificates"
	"interlock/test/servers"
)

func startMariaDB(ctx context.Context, programs programs, directory string, place uint32, durable bool) (*server, error) {
	account, err := servers.MariaDBAccount()
	if err != nil {
		return nil, err
	}
	files := mariadbFiles{data: filepath.Join(directory, "data"), temporary: filepath.Join(directory, "tmp"),
		certificate: filepath.Join(directory, "certificate.pem"), key: filepath.Join(directory, "key.pem")}
	if err := files.make(directory, account); err != nil {
		return nil, err
	}
	if err := files.certify(account); err != nil {
		return nil, err
	}
	if err := files.initialise(ctx, programs, account); err != nil {
		return nil, err
	}
	return launch{
		name:      "mariadbd",
		directory: directory,
		place:     place,
		command: func(port int) *exec.Cmd {
			command := exec.Command(programs.mariadbd, mariadbArguments(files, port, durable)...)
			command.SysProcAttr = &syscall.SysProcAttr{Credential: account}
			return command
		},
		url:      func(port int) string { return fmt.Sprintf("mysql://root@127.0.0.1:%d/", port) },
		responds: func(ctx context.Context, port, _ int) error { return mariadbAnswers(ctx, port, files.data) },
	}.start(ctx)
}

// mariadbArguments sets the options that tests depend on and leaves the rest to MariaDB.
func mariadbArguments(files mariadbFiles, port int, durable bool) []string {
	flush := 2
	if durable {
		flush = 1
	}
	return []string{
		// Must come first: it ignores the configuration files of the machine.
		"--no-defaults",
		"--datadir=" + files.data,
		"--tmpdir=" + files.temporary,
		// Relative to the data directory: the path of a socket is limited to 107 bytes.
		"--socket=mariadbd.sock",
		"--bind-address=127.0.0.1",
		"--port=" + strconv.Itoa(port),
		"--skip-name-resolve",
		"--ssl-cert=" + files.certificate,
		"--ssl-key=" + files.key,
		"--character-set-server=utf8mb4",
		"--max-connections=400",
		"--innodb-buffer-pool-size=256M",
		"--innodb-flush-log-at-trx-commit=" + strconv.Itoa(flush),
		"--innodb-lock-wait-timeout=5",
	}
}

// mariadbFiles are the directories of mariadbd and its user.
type mariadbFiles struct {
	data, temporary string
	// certificate and key are the TLS certificate of mariadbd and its key.
	certificate, key string
}

// certify creates the self-signed certificate of mariadbd.
func (f mariadbFiles) certify(account *syscall.Credential) error {
	if _, err := certificates.Write(f.certificate, f.key, 1); err != nil {
		return fmt.Errorf("make a certificate for MariaDB: %w", err)
	}
	if account == nil {
		return nil
	}
	for _, path := range []string{f.certificate, f.key} {
		if err := os.Chown(path, int(account.Uid), int(account.Gid)); err != nil {
			return fmt.Errorf("give a certificate to user mysql: %w", err)
		}
	}
	return nil
}

func (f mariadbFiles) make(directory string, account *syscall.Credential) error {
	if err := os.Mkdir(directory, 0o755); err != nil {
		return fmt.Errorf("make the directory of MariaDB: %w", err)
	}
	for _, path := range []string{f.data, f.temporary} {
		if err := os.Mkdir(path, 0o755); err != nil {
			return fmt.Errorf("make a directory of MariaDB: %w", err)
		}
		if account == nil {
			continue
		}
		if err := os.Chown(path, int(account.Uid), int(account.Gid)); err != nil {
			return fmt.Errorf("give a directory to user mysql: %w", err)
		}
	}
	return nil
}

// initialise creates the system tables, with a root account without a password.
func (f mariadbFiles) initialise(ctx context.Context, programs programs, account *syscall.Credential) error {
	install := exec.CommandContext(ctx, programs.mariadbInstallDB,
		"--no-defaults", "--datadir="+f.data, "--tmpdir="+f.temporary,
		"--auth-root-authentication-method=normal", "--skip-test-db",
		// A machine that cannot resolve its name is acceptable: we connect by address.
		"--skip-name-resolve", "--force")
	install.SysProcAttr = &syscall.SysProcAttr{Credential: account, Setpgid: true, Pdeathsig: syscall.SIGKILL}
	install.Cancel = func() error { return syscall.Kill(-install.Process.Pid, syscall.SIGKILL) }
	if output, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("initialise MariaDB: %w\n%s", err, output)
	}
	return nil
}

// mariadbAnswers identifies the process by its data directory.
func mariadbAnswers(ctx context.Context, port int, data string) error {
	settings := mysql.NewConfig()
	settings.Net, settings.Addr, settings.User = "tcp", fmt.Sprintf("127.0.0.1:%d", port), "root"
	settings.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(settings)
	if err != nil {
		return err
	}
	database := sql.OpenDB(connector)
	defer database.Close()
	var served string
	if err := database.QueryRowContext(ctx, "SELECT @@datadir").Scan(&served); err != nil {
		return err
	}
	if filepath.Clean(served) != filepath.Clean(data) {
		return fmt.Errorf("another MariaDB, of %s, answers on port %d", served, port)
	}
	return nil
}
