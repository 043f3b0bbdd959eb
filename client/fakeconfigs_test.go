package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeConfigs is a service of configs in memory, used as a transport in a synctest bubble.
type fakeConfigs struct {
	mu      sync.Mutex
	epoch   string
	log     []fakeVersion
	streams []*fakeBody

	// respond returns the response to a request instead of the service; nil for none.
	respond func(*http.Request) (*http.Response, error)
	// lag is the number of the newest changes that snapshots do not contain yet, and retained the
	// number of changes after which a stream can resume.
	lag, retained int
	// mute suppresses the heartbeats, and withholds masks secret configs.
	mute, withholds bool
	// cutAfter is the number of bytes after which the next stream is cut; 0 for none.
	cutAfter int
	// snapshots and watches are the times of the requests.
	snapshots, watches []time.Time
}

// fakeVersion is a version of a config in the log; value is nil for a deletion.
type fakeVersion struct {
	key     string
	row     int
	version int64
	value   json.RawMessage
	secret  bool
}

func newFakeConfigs() *fakeConfigs { return &fakeConfigs{epoch: "e1", retained: 1000} }

func (f *fakeConfigs) client(t *testing.T) *Client {
	t.Helper()
	c, err := New("http://service", "token", WithHTTPClient(&http.Client{Transport: f}))
	require.NoError(t, err)
	return c
}

// set commits the next version of a config, or deletes it.
func (f *fakeConfigs) set(key, value string) {
	f.commit(fakeVersion{key: key, value: json.RawMessage(value)})
}

func (f *fakeConfigs) delete(key string) { f.commit(fakeVersion{key: key}) }

// commit commits versions in one transaction.
func (f *fakeConfigs) commit(versions ...fakeVersion) {
	f.mu.Lock()
	defer f.mu.Unlock()
	current := f.current(len(f.log))
	first := len(f.log)
	for _, v := range versions {
		v.row, v.version = len(f.log), 1
		if before, exists := current[v.key]; exists {
			v.row, v.version = before.row, before.version+1
		}
		f.log = append(f.log, v)
	}
	for i := first; i < len(f.log); i++ {
		for _, s := range f.streams {
			s.send(f.change(i))
		}
	}
}

// restore returns to the state after n changes, as a restored backup does.
func (f *fakeConfigs) restore(n int, epoch string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.restoreTo(n, epoch)
	f.hangUp()
}

// restoreTo leaves the streams open.
func (f *fakeConfigs) restoreTo(n int, epoch string) { f.log, f.epoch = f.log[:n], epoch }

// hangUp ends all streams.
func (f *fakeConfigs) hangUp() {
	for _, s := range f.streams {
		s.end(io.EOF)
	}
	f.streams = nil
}

func (f *fakeConfigs) disconnect() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hangUp()
}

// send sends a text on all streams.
func (f *fakeConfigs) send(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.streams {
		s.send(text)
	}
}

// fail sets the function that responds instead of the service.
func (f *fakeConfigs) fail(respond func(*http.Request) (*http.Response, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.respond = respond
}

// stall makes the next reply, of that content type, endless.
func (f *fakeConfigs) stall(contentType string) {
	var once sync.Once
	f.fail(func(r *http.Request) (reply *http.Response, err error) {
		once.Do(func() { reply = unresponsive(r, contentType) }) //nolint:bodyclose // the client closes it
		return reply, nil
	})
}

// withhold masks secret configs or not, and ends the streams, as a change of permissions does.
func (f *fakeConfigs) withhold(withholds bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.withholds = withholds
	f.hangUp()
}

// unresponsive returns a reply without an end.
func unresponsive(r *http.Request, contentType string) *http.Response {
	body := &fakeBody{wake: make(chan struct{})}
	context.AfterFunc(r.Context(), func() { body.end(r.Context().Err()) })
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, Body: body}
}

// requests returns the number of snapshots and streams that were requested.
func (f *fakeConfigs) requests() (snapshots, watches int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.snapshots), len(f.watches)
}

// current returns the configs after n changes.
func (f *fakeConfigs) current(n int) map[string]fakeVersion {
	configs := map[string]fakeVersion{}
	for _, v := range f.log[:n] {
		if configs[v.key] = v; v.value == nil {
			delete(configs, v.key)
		}
	}
	return configs
}

func (f *fakeConfigs) revision(n int) string { return fmt.Sprintf("%s-%d", f.epoch, n) }

// change returns the event of a change.
func (f *fakeConfigs) change(i int) string {
	return fmt.Sprintf("id: %s\nevent: change\ndata: {\"key\":%q}\n\n", f.revision(i+1), f.log[i].key)
}

// ready returns the event of an open stream that resumes after a revision.
func (f *fakeConfigs) ready(after string) string {
	return fmt.Sprintf("id: %s\nevent: ready\ndata: {\"revision\":%q}\n\n", after, f.revision(len(f.log)))
}

func isWatch(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/configs/watch") }

// RoundTrip responds like the service.
func (f *fakeConfigs) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	watches := isWatch(r)
	if watches {
		f.watches = append(f.watches, time.Now())
	} else {
		f.snapshots = append(f.snapshots, time.Now())
	}
	if f.respond != nil {
		if reply, err := f.respond(r); reply != nil || err != nil {
			return reply, err
		}
	}
	if watches {
		return f.watch(r), nil
	}
	return f.snapshot(r)
}

func (f *fakeConfigs) snapshot(r *http.Request) (*http.Response, error) {
	n := max(0, len(f.log)-f.lag)
	found := ConfigSnapshot{Revision: f.revision(n), Items: []Config{}}
	for key, v := range f.current(n) {
		if strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
			c := Config{Key: key, Value: v.value, Secret: v.secret, Masked: v.secret && f.withholds}
			if c.Masked {
				c.Value = json.RawMessage("null")
			}
			c.Version, c.ETag = v.version, fmt.Sprintf("%q", fmt.Sprint(v.row, "-", v.version))
			found.Items = append(found.Items, c)
		}
	}
	text, err := json.Marshal(found)
	if err != nil {
		return nil, err
	}
	return says(http.StatusOK, string(text)).reply()
}

func (f *fakeConfigs) watch(r *http.Request) *http.Response {
	body := &fakeBody{wake: make(chan struct{}), left: f.cutAfter}
	f.cutAfter = 0
	reply := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: body}
	after := r.Header.Get("Last-Event-ID")
	position := int(sequenceOf(after))
	if epochOf(after) != f.epoch || position > len(f.log) || position < len(f.log)-f.retained {
		body.send(fmt.Sprintf("id: %[1]s\nevent: gone\ndata: {\"revision\":%[1]q}\n\n", f.revision(len(f.log))))
		body.end(io.EOF)
		return reply
	}
	body.send(f.ready(after))
	for i := position; i < len(f.log); i++ {
		body.send(f.change(i))
	}
	context.AfterFunc(r.Context(), func() { body.end(r.Context().Err()) })
	if !f.mute {
		body.beat()
	}
	f.streams = append(f.streams, body)
	return reply
}

// fakeBody is the body of a stream.
type fakeBody struct {
	mu   sync.Mutex
	text bytes.Buffer
	err  error
	wake chan struct{}
	// left is the number of bytes until the stream is cut; 0 if it is not.
	left int
}

func (b *fakeBody) send(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return
	}
	if b.left > 0 {
		if b.left -= len(text); b.left <= 0 {
			text, b.err = text[:len(text)+b.left], io.ErrUnexpectedEOF
		}
	}
	b.text.WriteString(text)
	b.notify()
}

func (b *fakeBody) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
		b.notify()
	}
}

// beat sends a heartbeat every 10 s until the end.
func (b *fakeBody) beat() {
	time.AfterFunc(10*time.Second, func() {
		b.send(": ping\n\n")
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.err == nil {
			b.beat()
		}
	})
}

func (b *fakeBody) notify() {
	close(b.wake)
	b.wake = make(chan struct{})
}

// Read waits for data or the end.
func (b *fakeBody) Read(p []byte) (int, error) {
	for {
		b.mu.Lock()
		wake, err := b.wake, b.err
		if b.text.Len() > 0 {
			defer b.mu.Unlock()
			return b.text.Read(p)
		}
		b.mu.Unlock()
		if err != nil {
			return 0, err
		}
		<-wake
	}
}

// Close ends the stream.
func (b *fakeBody) Close() error {
	b.end(io.ErrClosedPipe)
	return nil
}
