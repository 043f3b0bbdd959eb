package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const base = "/api/v1"

// service is the product, started by the bench on the engine's database.
type service struct {
	*server
	token string
	// profiles is the address of net/http/pprof; "" if it is not served.
	profiles string
}

// startService migrates the database with admin, starts the service as one process, and
// creates a token. "" is the embedded database. With a folder for profiles it starts the
// binary that serves them.
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

// launchProfiled starts the service with no-op routes, which serves profiles if there is a
// folder for them.
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

// launch is startService for a given command, with more environment variables.
func launch(ctx context.Context, admin string, command []string, environment ...string) (*service, error) {
	for _, path := range []string{admin, command[0]} {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("%w: build it with `make bench`", err)
		}
	}
	started, err := newServer("the service")
	if err != nil {
		return nil, err
	}
	s := &service{server: started}
	if err := s.start(ctx, admin, command, environment); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *service) start(ctx context.Context, admin string, command, more []string) error {
	environment := append(os.Environ(),
		"INTERLOCK_DATA_DIR="+filepath.Join(s.home, "data"),
		// One token sends the complete load.
		"INTERLOCK_ENCRYPTION_KEYS=bench:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
		"INTERLOCK_RATE_LIMIT=0", "INTERLOCK_TENANT_RATE_LIMIT=0",
		"INTERLOCK_ADMIN_PASSWORD=bench-only-"+randomHex(16),
	)
	environment = append(environment, more...)
	if _, err := output(ctx, environment, admin, "migrate", "up"); err != nil {
		return err
	}
	if err := s.serve(environment, command[0], append(command[1:], "--addr", s.address)...); err != nil {
		return err
	}
	if err := s.awaitReady(ctx, "/readyz"); err != nil {
		return err
	}
	token, err := output(ctx, environment, admin, "token", "create", "--user", "admin", "--name", "bench-"+randomHex(4))
	s.token = strings.TrimSpace(token)
	return err
}

// create POSTs a config and returns its ETag.
func (s *service) create(ctx context.Context, config map[string]any) (string, error) {
	_, etag, err := s.ask(ctx, http.MethodPost, "/configs", config)
	return etag, err
}

// ask sends a JSON body to an API route and returns the JSON object and the ETag of the
// reply, which must be a success. Headers are alternating names and values.
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
