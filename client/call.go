package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// CallOption configures one call.
type CallOption func(*settings)

// settings are the combined options of one call.
type settings struct {
	key         string
	ifMatch     string
	ifNoneMatch string
	query       url.Values
	reply       *Reply
}

// Key sets the idempotency key of the operation: 1 to 128 printable ASCII characters, unique per
// intended operation. An operation that is called again under its key, by this process or a later
// one, has its effect once.
func Key(key string) CallOption { return func(s *settings) { s.key = key } }

// IfMatch rejects a transition with a [Conflict] unless the resource still has this ETag. Without
// IfMatch, only the status of the resource guards the transition.
func IfMatch(etag string) CallOption { return func(s *settings) { s.ifMatch = etag } }

// IfNoneMatch makes a Get return [ErrNotModified] if the resource still has this ETag.
func IfNoneMatch(etag string) CallOption { return func(s *settings) { s.ifNoneMatch = etag } }

// MergeDisjoint makes the service apply a stale Save if other writers changed only other members.
// The member Merged of the saved value lists the changes of those writers.
func MergeDisjoint() CallOption { return query("merge", "disjoint") }

// Wait bounds the time that an operation on stock, a wallet or an aggregate waits for its lock, 0
// to 10 s; on timeout it fails with resource_locked. The default is 3 s, for an aggregate 10 s.
func Wait(d time.Duration) CallOption {
	return query("wait", strconv.FormatInt(d.Milliseconds(), 10))
}

func query(name, value string) CallOption {
	return func(s *settings) {
		if s.query == nil {
			s.query = url.Values{}
		}
		s.query.Set(name, value)
	}
}

// Reply describes the reply to an operation.
type Reply struct {
	// Status is the HTTP status of the final reply.
	Status int
	// Replayed is true if an earlier attempt had the effect: the service returned the stored reply.
	Replayed bool
	// Key is the idempotency key of the request, "" for reads and deletions.
	Key string
	// Attempts is the number of requests that were sent.
	Attempts  int
	RequestID string
	// Location is the path of a created resource.
	Location string
}

// Into stores the description of the reply in reply if the call succeeds.
func Into(reply *Reply) CallOption { return func(s *settings) { s.reply = reply } }

// request is one operation of the contract.
type request struct {
	method, path string
	query        parameters
	body         any
	ifMatch      string
}

// mutates reports whether the operation can change data.
func (r request) mutates() bool { return r.method != http.MethodGet }

// answer is a complete reply.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) replayed() bool { return a.header.Get("X-Idempotency-Replay") == "true" }

// call executes an operation and decodes its reply.
func call[T any](ctx context.Context, c *Client, r request, options []CallOption) (T, error) {
	var value T
	err := c.do(ctx, r, &value, options)
	return value, err
}

// do executes an operation and decodes its reply into out, unless out is nil.
func (c *Client) do(ctx context.Context, r request, out any, options []CallOption) error {
	x := &exchange{client: c, request: r}
	for _, option := range options {
		option(&x.settings)
	}
	if err := x.prepare(); err != nil {
		return err
	}
	got, err := x.run(ctx)
	if err != nil {
		return err
	}
	if to := x.settings.reply; to != nil {
		*to = Reply{
			Status: got.status, Replayed: got.replayed(), Key: x.settings.key, Attempts: x.attempts,
			RequestID: got.header.Get("X-Request-Id"), Location: got.header.Get("Location"),
		}
	}
	if err := got.proposed(); err != nil {
		return err
	}
	switch {
	case got.status == http.StatusNotModified:
		return ErrNotModified
	case got.replayed() && len(got.body) == 0 && got.status == http.StatusOK:
		return &ReplyNotStored{Key: x.settings.key, Location: got.header.Get("Location")}
	case out == nil:
		return nil
	}
	if lines, raw := out.(*[]byte); raw {
		*lines = got.body
		return nil
	}
	if err := json.Unmarshal(got.body, out); err != nil {
		return fmt.Errorf("read the reply to %s: %w", x, err)
	}
	return nil
}

// prepare encodes the body and creates the key, once for all attempts.
func (x *exchange) prepare() error {
	file, isFile := x.request.body.([]byte)
	if isFile {
		x.body = file
	} else if x.request.body != nil {
		text, err := encode(x.request.body)
		if err != nil {
			return fmt.Errorf("encode the body of %s: %w", x, err)
		}
		x.body = text
	}
	switch x.request.method {
	case http.MethodPost, http.MethodPatch, http.MethodPut:
		if x.settings.key == "" {
			x.settings.key = rand.Text()
		}
	default:
		x.settings.key = ""
	}
	if x.request.ifMatch != "" {
		x.settings.ifMatch = x.request.ifMatch
	}
	return nil
}

// send makes one attempt.
func (x *exchange) send(ctx context.Context) (answer, error) {
	address := x.client.base + x.request.path
	values := url.Values{}
	maps.Copy(values, x.request.query)
	maps.Copy(values, x.settings.query)
	if len(values) > 0 {
		address += "?" + values.Encode()
	}
	message, err := http.NewRequestWithContext(ctx, x.request.method, address, bytes.NewReader(x.body))
	if err != nil {
		return answer{}, err
	}
	x.headers(message.Header)
	reply, err := x.client.http.Do(message)
	if err != nil {
		return answer{}, err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		return answer{}, fmt.Errorf("read the reply: %w", err)
	}
	return answer{status: reply.StatusCode, header: reply.Header, body: body}, nil
}

func (x *exchange) headers(h http.Header) {
	h.Set("Authorization", "Bearer "+x.client.token)
	h.Set("Accept", "application/json, application/x-ndjson, application/problem+json")
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	set("X-Idempotency-Key", x.settings.key)
	set("If-Match", x.settings.ifMatch)
	set("If-None-Match", x.settings.ifNoneMatch)
	set("X-On-Behalf-Of", x.client.onBehalfOf)
	_, isFile := x.request.body.([]byte)
	switch {
	case x.body == nil:
	case isFile:
		h.Set("Content-Type", "application/octet-stream")
	case x.request.method == http.MethodPatch:
		h.Set("Content-Type", "application/merge-patch+json")
	default:
		h.Set("Content-Type", "application/json")
	}
}
