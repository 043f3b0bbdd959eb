package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

const replyLimit = 30 * time.Second

// benchPatches compares a bare guarded UPDATE, the statements of one unit, and a config
// PATCH, on a service with one process.
func benchPatches(ctx context.Context, o options, e *engine) (err error) {
	s, err := startService(ctx, o, e.serviceURL())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	etags, err := seed(ctx, s, o)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	bare, err := newBareUpdates(ctx, e, o.workers)
	if err != nil {
		return err
	}
	defer bare.close()
	patterns := newPatches(s, "b", etags, o.workers)
	defer patterns.close()
	units, err := newRawUnits(ctx, e, patterns)
	if err != nil {
		return err
	}
	defer units.close()
	edits := newPatches(s, "c", etags, o.workers)
	defer edits.close()
	audited, err := e.count(ctx, auditedEdits)
	if err != nil {
		return err
	}
	a := stepping("A  guarded UPDATE, autocommit", o.workers, o.period, 1, bare.step)
	b := stepping("B  raw statements of one unit", o.workers, o.period, 1, units.step)
	c := s.profiling(o, stepping("C  config PATCH through HTTP", o.workers, o.period, 1, edits.step))
	compared := &comparison{
		title: "a config PATCH", subjects: []*subject{a, b, c},
		processes: []process{{"mariadbd", e.pid}, {"service", s.pid()}, {"generator", os.Getpid()}},
		ratios:    []ratio{{"C/B", c, b, 0.8}, {"B/A", b, a, 0}},
	}
	if err := compared.measure(ctx, o.rounds); err != nil {
		return err
	}
	if err := checkPatches(ctx, e, compared.subjects, len(units), audited); err != nil {
		return fmt.Errorf("the store does not hold what was counted: %w", err)
	}
	return compared.print(os.Stdout)
}

// auditedEdits excludes entries by the service itself: its promise checks find the rows
// that the bare statements wrote without audit rows.
const auditedEdits = "SELECT COUNT(*) FROM audit_entries WHERE action = 'config.update'"

// checkPatches checks that the store contains exactly the counted successes.
func checkPatches(ctx context.Context, e *engine, subjects []*subject, units int, audited int64) error {
	const steps = "SELECT SUM(version - 1) FROM configs WHERE `key` LIKE "
	a, b, c := subjects[0].done, subjects[1].done, subjects[2].done
	return e.holds(ctx, []expectation{
		{"version increments by A", steps + "'bench.a.%'", a},
		{"version increments by B, with the edits that the patterns were taken from", steps + "'bench.b.%'", b + int64(units)},
		{"version increments by C", steps + "'bench.c.%'", c},
		{"audit rows of edits", auditedEdits, audited + b + c},
		{"configs whose history is not one row a version", "SELECT COUNT(*) FROM configs c WHERE `key` NOT LIKE 'bench.a.%' AND" +
			" version <> (SELECT COUNT(*) FROM config_histories h WHERE h.config_id = c.id)", 0},
	})
}

// patches sends config PATCHes: each worker edits a separate config over a separate
// connection.
type patches []*editor

// newPatches returns an editor for each worker's config of the subject.
func newPatches(s *service, subject string, etags map[string]string, workers int) patches {
	var editors patches
	for worker := range workers {
		key := configKey(subject, worker)
		editors = append(editors, newEditor(s, key, etags[key]))
	}
	return editors
}

func (p patches) step(_ context.Context, worker int) error { return p[worker].edit() }

func (p patches) close() {
	for _, editor := range p {
		if editor.connection != nil {
			_ = editor.connection.Close()
		}
	}
}

// editor edits one config repeatedly, with the ETag of the previous reply. It writes its
// requests by hand, because it shares the cores with the measured service and net/http's
// client would cost as much as the server.
type editor struct {
	address    string
	connection net.Conn // nil before the first edit
	replies    *bufio.Reader
	head       string // of the request, up to If-Match
	etag       string // "" for a service that has none
	edits      int
	request    []byte // reused
}

func newEditor(s *service, key, etag string) *editor {
	return &editor{
		address: s.address,
		head: "PATCH /api/v1/configs/" + key + " HTTP/1.1\r\nHost: " + s.address +
			"\r\nAuthorization: Bearer " + s.token + "\r\nContent-Type: application/json\r\n",
		etag: etag,
	}
}

// connect dials at the first edit, because the service closes idle connections.
func (e *editor) connect() error {
	if e.connection != nil {
		return nil
	}
	connection, err := net.Dial("tcp", e.address)
	if err != nil {
		return err
	}
	e.connection, e.replies = connection, bufio.NewReader(connection)
	return nil
}

// edit PATCHes the config's value with the ETag of the previous reply. Any status but 200
// is an error.
func (e *editor) edit() error {
	if err := e.connect(); err != nil {
		return err
	}
	e.edits++
	body := `{"value":"` + valueOf(e.edits) + `"}`
	e.request = append(e.request[:0], e.head...)
	if e.etag != "" {
		e.request = append(e.request, "If-Match: "...)
		e.request = append(e.request, e.etag...)
		e.request = append(e.request, "\r\n"...)
	}
	e.request = append(e.request, "Content-Length: "...)
	e.request = strconv.AppendInt(e.request, int64(len(body)), 10)
	e.request = append(e.request, "\r\n\r\n"...)
	e.request = append(e.request, body...)

	if err := e.connection.SetDeadline(time.Now().Add(replyLimit)); err != nil {
		return err
	}
	if _, err := e.connection.Write(e.request); err != nil {
		return err
	}
	reply, err := http.ReadResponse(e.replies, nil)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(reply.Body, 2000))
		return fmt.Errorf("PATCH answered %d: %s", reply.StatusCode, said)
	}
	e.etag = reply.Header.Get("ETag")
	_, err = io.Copy(io.Discard, reply.Body) // otherwise the next reply would start in the middle of this one
	return err
}
