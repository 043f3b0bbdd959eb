package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	readyLimit = 30 * time.Second
	stopLimit  = 20 * time.Second
)

// server is a process with an HTTP API.
type server struct {
	name    string
	address string // host:port
	home    string // its log and data
	command *exec.Cmd
	ended   chan error
}

// newServer returns a server that is not started yet, with a new folder and address.
func newServer(name string) (*server, error) {
	home, err := os.MkdirTemp("", "interlock-bench-")
	if err != nil {
		return nil, err
	}
	s := &server{name: name, home: home, ended: make(chan error, 1)}
	if s.address, err = freeAddress(); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// serve starts the process.
func (s *server) serve(environment []string, program string, arguments ...string) error {
	log, err := os.Create(filepath.Join(s.home, "server.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	// Not CommandContext: stop ends the process, and lets it finish requests in flight.
	command := exec.Command(program, arguments...)
	command.Env = environment
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	s.command = command
	go func() { s.ended <- command.Wait() }()
	return nil
}

// awaitReady waits until a path returns 200.
func (s *server) awaitReady(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for {
		reply, err := http.Get("http://" + s.address + path)
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
			return fmt.Errorf("%s ended (%v); its log:\n%s", s.name, err, s.logTail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready (%w); its log:\n%s", s.name, ctx.Err(), s.logTail())
		}
	}
}

func (s *server) pid() int { return s.command.Process.Pid }

func (s *server) logTail() string {
	log, err := os.ReadFile(filepath.Join(s.home, "server.log"))
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-4000):])
}

// stop ends the process and removes its files. If the process has to be killed, that is an
// error.
func (s *server) stop() error {
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
		return fmt.Errorf("%s did not end within %s of SIGTERM", s.name, stopLimit)
	}
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
