package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const replayedKey = "bench.replayed"

// repeats sends one request again and again, each worker over a connection of its
// own, and wants the same status and the same header each time.
type repeats []*repeater

type repeater struct {
	address    string
	connection net.Conn // nil before the first request
	replies    *bufio.Reader
	request    []byte
	status     int
	header     string // that every reply must have, "" for none
}

// newReplays repeats the creation of a config under its idempotency key: the first
// creates it, here, and those that are measured get its reply from the service's memory.
func newReplays(s *service, workers int) (repeats, error) {
	body := `{"key":"` + replayedKey + `","value":"` + valueOf(0) + `","valueType":"string","remark":"written by the bench"}`
	request := "POST /api/v1/configs HTTP/1.1\r\nHost: " + s.address + "\r\nAuthorization: Bearer " + s.token +
		"\r\nIdempotency-Key: " + replayedKey + "\r\nContent-Type: application/json\r\nContent-Length: " +
		fmt.Sprint(len(body)) + "\r\n\r\n" + body
	first := newRepeats(s, request, http.StatusCreated, "", 1)
	defer first.close()
	if err := first[0].send(); err != nil {
		return nil, err
	}
	return newRepeats(s, request, http.StatusCreated, "X-Idempotency-Replay", workers), nil
}

// newLookups asks for the catalogue of permissions: who asks is checked as always,
// and the reply comes from memory. The service has no GET that does less.
func newLookups(s *service, workers int) repeats {
	return newRepeats(s, "GET /api/v1/permissions HTTP/1.1\r\nHost: "+s.address+"\r\nAuthorization: Bearer "+s.token+"\r\n\r\n",
		http.StatusOK, "", workers)
}

func newRepeats(s *service, request string, status int, header string, workers int) repeats {
	var all repeats
	for range workers {
		all = append(all, &repeater{address: s.address, request: []byte(request), status: status, header: header})
	}
	return all
}

func (r *repeater) send() error {
	if r.connection == nil {
		connection, err := net.Dial("tcp", r.address)
		if err != nil {
			return err
		}
		r.connection, r.replies = connection, bufio.NewReader(connection)
	}
	if err := r.connection.SetDeadline(time.Now().Add(replyLimit)); err != nil {
		return err
	}
	if _, err := r.connection.Write(r.request); err != nil {
		return err
	}
	reply, err := http.ReadResponse(r.replies, nil)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	said, err := io.ReadAll(reply.Body) // or the next reply would start in the middle of this one
	if err != nil {
		return err
	}
	if reply.StatusCode != r.status || r.header != "" && reply.Header.Get(r.header) == "" {
		return fmt.Errorf("answered %d without %q: %.2000s", reply.StatusCode, r.header, said)
	}
	return nil
}

func (r repeats) step(_ context.Context, worker int) error { return r[worker].send() }

func (r repeats) close() {
	for _, one := range r {
		if one.connection != nil {
			_ = one.connection.Close()
		}
	}
}
