package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

const replyLimit = 30 * time.Second

// patches sends config PATCHes: each worker edits a config of its own over a connection of its own.
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

// editor keeps one config's page open: it edits, takes the new ETag from the reply and edits again.
// It writes its requests by hand, because it shares the cores with what it measures and net/http's
// client would cost as much as the service's server.
type editor struct {
	address    string
	connection net.Conn // nil before the first edit
	replies    *bufio.Reader
	head       string // of the request, up to the ETag
	etag       string
	edits      int
	request    []byte // reused
}

func newEditor(s *service, key, etag string) *editor {
	return &editor{
		address: s.address,
		head: "PATCH /api/v1/configs/" + key + " HTTP/1.1\r\nHost: " + s.address +
			"\r\nAuthorization: Bearer " + s.token + "\r\nContent-Type: application/json\r\nIf-Match: ",
		etag: etag,
	}
}

// connect dials at the first edit: the service ends connections on which it hears nothing.
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

// edit PATCHes the config's value under the ETag of the reply before. Anything but 200 is an error.
func (e *editor) edit() error {
	if err := e.connect(); err != nil {
		return err
	}
	e.edits++
	body := `{"value":"` + valueOf(e.edits) + `"}`
	e.request = append(e.request[:0], e.head...)
	e.request = append(e.request, e.etag...)
	e.request = append(e.request, "\r\nContent-Length: "...)
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
	_, err = io.Copy(io.Discard, reply.Body) // or the next reply would start in the middle of this one
	return err
}
