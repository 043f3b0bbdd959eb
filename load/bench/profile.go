package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// profiled writes a CPU profile of the service to folder while work runs.
func (s *service) profiled(ctx context.Context, folder, name string, period time.Duration, work func()) error {
	if s.profiles == "" {
		work()
		return nil
	}
	written := make(chan error, 1)
	go func() { written <- s.profile(ctx, filepath.Join(folder, name+".pprof"), period) }()
	work()
	return <-written
}

func (s *service) profile(ctx context.Context, path string, period time.Duration) error {
	seconds := max(1, int(period.Seconds()))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", s.profiles, seconds), nil)
	if err != nil {
		return err
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, reply.Body)
	return errors.Join(err, file.Close())
}

// profiling returns a subject that writes a profile of the service during its measurement.
func (s *service) profiling(o options, measured *subject) *subject {
	run := measured.run
	measured.run = func(ctx context.Context, processes []process) (taken sample, err error) {
		profileErr := s.profiled(ctx, o.profile, measured.letter(), o.period, func() { taken, err = run(ctx, processes) })
		return taken, errors.Join(err, profileErr)
	}
	return measured
}
