package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	base       = "/api/v1"
	readyLimit = 30 * time.Second
	stopLimit  = 20 * time.Second
)

// service is the product, started by the bench on the engine's database.
type service struct {
	address string // host:port
	token   string
	command *exec.Cmd
	ended   chan error
	home    string // its log and data
	// profiles is the address of net/http/pprof, "" without.
	profiles string
}

// startService migrates the database with admin, starts the service, which is of one process, and
// creates a token. "" is the embedded database. With a folder for profiles it is the binary that
// serves them.
func startService(ctx context.Context, o options, databaseURL string) (*service, error) {
	environment := []string{"INTERLOCK_REDIS_URL="}
	if databaseURL != "" {
		environment = append(environment, "INTERLOCK_DATABASE_URL="+databaseURL)
	}
	if o.profile == "" {
		return launch(ctx, o.admin, []string{o.admin, "serve"}, environment...)
	}
	return launchProfiled(ctx, o, environment...)
}

// launchProfiled starts the service with routes that do nothing, which serves profiles if there is
// a folder for them.
func launchProfiled(ctx context.Context, o options, environment ...string) (*service, error) {
	command := []string{o.server}
	profiles := ""
	if o.profile != "" {
		var err error
		if profiles, err = freeAddress(); err != nil {
			return nil, err
		}
		command = append(command, "--profile", profiles)
	}
	s, err := launch(ctx, o.admin, command, environment...)
	if err != nil {
		return nil, err
	}
	s.profiles = profiles
	return s, nil
}

// launch is startService for a command that serves, with more environment.
func launch(ctx context.Context, admin string, command []string, environment ...string) (*service, error) {
	for _, path := range []string{admin, command[0]} {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("%w: build it with `make bench`", err)
		}
	}
	home, err := os.MkdirTemp("", "interlock-bench-")
	if err != nil {
		return nil, err
	}
	s := &service{home: home, ended: make(chan error, 1)}
	if err := s.start(ctx, admin, command, environment); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *service) start(ctx context.Context, admin string, command, more []string) error {
	environment := append(os.Environ(),
		"INTERLOCK_DATA_DIR="+filepath.Join(s.home, "data"),
		// One token sends all that the machine can take, which is what is measured.
		"INTERLOCK_ENCRYPTION_KEYS=bench:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
		"INTERLOCK_RATE_LIMIT=0", "INTERLOCK_TENANT_RATE_LIMIT=0",
		"INTERLOCK_ADMIN_PASSWORD=bench-only-"+randomHex(16),
	)
	environment = append(environment, more...)
	if _, err := output(ctx, environment, admin, "migrate", "up"); err != nil {
		return err
	}
	var err error
	if s.address, err = freeAddress(); err != nil {
		return err
	}
	if err := s.serve(environment, command); err != nil {
		return err
	}
	if err := s.awaitReady(ctx); err != nil {
		return err
	}
	token, err := output(ctx, environment, admin, "token", "create", "--user", "admin", "--name", "bench-"+randomHex(4))
	s.token = strings.TrimSpace(token)
	return err
}

func (s *service) serve(environment, arguments []string) error {
	log, err := os.Create(filepath.Join(s.home, "service.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	// Not CommandContext: stop ends it, and gives it the time to finish what is in flight.
	command := exec.Command(arguments[0], append(arguments[1:], "--addr", s.address)...)
	command.Env = environment
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	s.command = command
	go func() { s.ended <- command.Wait() }()
	return nil
}

func (s *service) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for {
		reply, err := http.Get("http://" + s.address + "/readyz")
		if err == nil {
			reply.Body.Close()
			if reply.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-poll.C:
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("the service ended (%v); its log:\n%s", err, s.logTail())
		case <-ctx.Done():
			return fmt.Errorf("the service is not ready (%w); its log:\n%s", ctx.Err(), s.logTail())
		}
	}
}

func (s *service) pid() int { return s.command.Process.Pid }

func (s *service) logTail() string {
	log, err := os.ReadFile(filepath.Join(s.home, "service.log"))
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-4000):])
}

// stop ends the service and removes its files. A service that does not end by itself is an error.
func (s *service) stop() error {
	defer os.RemoveAll(s.home)
	if s.command == nil {
		return nil
	}
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
		return nil
	case <-time.After(stopLimit):
		_ = s.command.Process.Kill()
		<-s.ended
		return fmt.Errorf("the service did not end within %s of SIGTERM", stopLimit)
	}
}

// create POSTs a config and returns its ETag.
func (s *service) create(ctx context.Context, config map[string]any) (string, error) {
	_, etag, err := s.ask(ctx, http.MethodPost, "/configs", config)
	return etag, err
}

// ask sends a JSON body to a route of the API and returns the JSON object and the ETag of the
// reply, which is a success. Headers are names and values in turn.
func (s *service) ask(ctx context.Context, method, path string, body any, headers ...string) (map[string]any, string, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, "", err
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+s.address+base+path, bytes.NewReader(encoded))
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer reply.Body.Close()
	said, err := io.ReadAll(reply.Body)
	if err != nil {
		return nil, "", err
	}
	if reply.StatusCode/100 != 2 {
		return nil, "", fmt.Errorf("%s %s answered %d: %s", method, path, reply.StatusCode, said)
	}
	var object map[string]any
	if len(said) > 0 {
		err = json.Unmarshal(said, &object)
	}
	return object, reply.Header.Get("ETag"), err
}

func output(ctx context.Context, environment []string, name string, arguments ...string) (string, error) {
	var out, errs bytes.Buffer
	command := exec.CommandContext(ctx, name, arguments...)
	command.Env = environment
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(arguments, " "), err, errs.String())
	}
	return out.String(), nil
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
