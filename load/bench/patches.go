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
	"strings"
	"time"
)

const replyLimit = 30 * time.Second

// benchPatches compares a bare guarded UPDATE, the statements of one unit, a config PATCH, and a
// new order, on a service with one process.
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
	placed, err := e.count(ctx, placedOrders)
	if err != nil {
		return err
	}
	placements, err := newPlacements(ctx, s, o.workers)
	if err != nil {
		return err
	}
	defer placements.close()
	a := stepping("A  guarded UPDATE, autocommit", o.workers, o.period, 1, bare.step)
	b := stepping("B  raw statements of one unit", o.workers, o.period, 1, units.step)
	c := s.profiling(o, stepping("C  config PATCH through HTTP", o.workers, o.period, 1, edits.step))
	d := s.profiling(o, stepping("D  POST /orders through HTTP", o.workers, o.period, 1, placements.step))
	compared := &comparison{
		title: "a config PATCH and a new order", subjects: []*subject{a, b, c, d},
		processes: []process{{"mariadbd", e.pid}, {"service", s.pid()}, {"generator", os.Getpid()}},
		ratios:    []ratio{{"C/B", c, b, 0.8}, {"B/A", b, a, 0}, {"D/C", d, c, 0.5}},
	}
	if err := compared.measure(ctx, o.rounds); err != nil {
		return err
	}
	if err := checkPatches(ctx, e, compared.subjects, len(units), audited, placed); err != nil {
		return fmt.Errorf("the store does not hold what was counted: %w", err)
	}
	return compared.print(os.Stdout)
}

// newPlacements creates an item with stock for each worker, and returns senders of orders of one
// unit each.
func newPlacements(ctx context.Context, s *service, workers int) (senders, error) {
	var placements senders
	prefix := "PLACED-" + strings.ToUpper(randomHex(4))
	for worker := range workers {
		sku := fmt.Sprintf("%s-%d", prefix, worker)
		if _, _, err := s.ask(ctx, http.MethodPost, "/items", map[string]any{"sku": sku, "name": "Bench", "price": 900}); err != nil {
			return nil, err
		}
		if _, _, err := s.ask(ctx, http.MethodPost, "/inventory/"+sku+"/adjustments",
			map[string]any{"delta": lot, "reason": "bench", "reference": "opening"}); err != nil {
			return nil, err
		}
		body := fmt.Sprintf(`{"userId":"customer-%d","items":[{"sku":%q,"quantity":1}]}`, worker, sku)
		placements = append(placements, &sender{
			address: s.address, head: s.head(http.MethodPost, "/orders"), status: http.StatusCreated,
			body: func(int) string { return body },
		})
	}
	return placements, nil
}

// head returns the head of a request with a body, without the headers that vary.
func (s *service) head(method, path string) string {
	return method + " " + base + path + " HTTP/1.1\r\nHost: " + s.address +
		"\r\nAuthorization: Bearer " + s.token + "\r\nContent-Type: application/json\r\n"
}

// auditedEdits excludes entries by the service itself: its promise checks find the rows
// that the bare statements wrote without audit rows.
const auditedEdits = "SELECT COUNT(*) FROM audit_entries WHERE action = 'config.update'"

const placedOrders = "SELECT COUNT(*) FROM orders"

// checkPatches checks that the store contains exactly the counted successes.
func checkPatches(ctx context.Context, e *engine, subjects []*subject, units int, audited, placed int64) error {
	const steps = "SELECT SUM(version - 1) FROM configs WHERE `key` LIKE "
	a, b, c, d := subjects[0].done, subjects[1].done, subjects[2].done, subjects[3].done
	return e.holds(ctx, []expectation{
		{"version increments by A", steps + "'bench.a.%'", a},
		{"version increments by B, with the edits that the patterns were taken from", steps + "'bench.b.%'", b + int64(units)},
		{"version increments by C", steps + "'bench.c.%'", c},
		{"audit rows of edits", auditedEdits, audited + b + c},
		{"orders", placedOrders, placed + d},
		{"configs whose history is not one row a version", "SELECT COUNT(*) FROM configs c WHERE `key` NOT LIKE 'bench.a.%' AND" +
			" version <> (SELECT COUNT(*) FROM config_histories h WHERE h.config_id = c.id)", 0},
	})
}

// senders send requests: each worker changes separate rows over a separate connection.
type senders []*sender

// newPatches returns a sender of PATCHes for each worker's config of the subject.
func newPatches(s *service, subject string, etags map[string]string, workers int) senders {
	var edits senders
	for worker := range workers {
		key := configKey(subject, worker)
		edits = append(edits, &sender{
			address: s.address, head: s.head(http.MethodPatch, "/configs/"+key), status: http.StatusOK, body: patchOf, etag: etags[key],
		})
	}
	return edits
}

// patchOf is the body of the n-th edit of a setting.
func patchOf(n int) string { return `{"value":"` + valueOf(n) + `"}` }

func (s senders) step(_ context.Context, worker int) error { return s[worker].send() }

func (s senders) close() {
	for _, sender := range s {
		if sender.connection != nil {
			_ = sender.connection.Close()
		}
	}
}

// sender repeats one request, with the ETag of the previous reply if it has one. It writes its
// requests by hand, because it shares the cores with the measured service and net/http's client
// would cost as much as the server.
type sender struct {
	address    string
	connection net.Conn // nil before the first request
	replies    *bufio.Reader
	head       string // of the request, up to If-Match
	body       func(n int) string
	status     int    // of every reply
	etag       string // "" for requests without If-Match
	sent       int
	request    []byte // reused
}

// connect dials at the first request, because the service closes idle connections.
func (s *sender) connect() error {
	if s.connection != nil {
		return nil
	}
	connection, err := net.Dial("tcp", s.address)
	if err != nil {
		return err
	}
	s.connection, s.replies = connection, bufio.NewReader(connection)
	return nil
}

// send sends the next request. Any other status is an error.
func (s *sender) send() error {
	if err := s.connect(); err != nil {
		return err
	}
	s.sent++
	body := s.body(s.sent)
	s.request = append(s.request[:0], s.head...)
	if s.etag != "" {
		s.request = append(s.request, "If-Match: "...)
		s.request = append(s.request, s.etag...)
		s.request = append(s.request, "\r\n"...)
	}
	s.request = append(s.request, "Content-Length: "...)
	s.request = strconv.AppendInt(s.request, int64(len(body)), 10)
	s.request = append(s.request, "\r\n\r\n"...)
	s.request = append(s.request, body...)

	if err := s.connection.SetDeadline(time.Now().Add(replyLimit)); err != nil {
		return err
	}
	if _, err := s.connection.Write(s.request); err != nil {
		return err
	}
	reply, err := http.ReadResponse(s.replies, nil)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != s.status {
		said, _ := io.ReadAll(io.LimitReader(reply.Body, 2000))
		return fmt.Errorf("the reply is %d: %s", reply.StatusCode, said)
	}
	if s.etag != "" {
		s.etag = reply.Header.Get("ETag")
	}
	_, err = io.Copy(io.Discard, reply.Body) // otherwise the next reply would start in the middle of this one
	return err
}
