// Package httpapitest calls the routes of one domain through the real router, without a network and
// without credentials, in tests.
package httpapitest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// The access log would hide the output of the tests.
func init() { slog.SetLogLoggerLevel(slog.LevelWarn) }

// Caller sends requests as one principal.
type Caller struct {
	server *httpapi.Server
	// principal is the principal of the requests if the authenticator is attached.
	principal principal.Principal
}

// New returns a caller of the routes that register registers. It acts as the principal of ctx.
func New(ctx context.Context, runner *uow.Runner, register func(r *httpapi.Router)) *Caller {
	return NewKeyed(ctx, runner, nil, register)
}

// NewKeyed is New with a store for replies under idempotency keys.
func NewKeyed(ctx context.Context, runner *uow.Runner, replies httpapi.ReplyStore, register func(r *httpapi.Router)) *Caller {
	return NewOf(httpapi.Options{Runner: runner, Authenticator: attached{}, Replies: replies}, register).For(ctx)
}

// NewFor returns a caller of the routes that register registers. The authenticator decides its
// principal.
func NewFor(a httpapi.Authenticator, runner *uow.Runner, register func(r *httpapi.Router)) *Caller {
	return NewOf(httpapi.Options{Runner: runner, Authenticator: a}, register)
}

// NewOf returns a caller of the routes that register registers, on a server with these options.
func NewOf(o httpapi.Options, register func(r *httpapi.Router)) *Caller {
	server := httpapi.NewServer(o)
	register(server.Router())
	return &Caller{server: server}
}

// For returns a caller of the same routes that acts as the principal of ctx. It has no effect on a
// caller of NewFor.
func (c *Caller) For(ctx context.Context) *Caller {
	p, _ := principal.From(ctx)
	return &Caller{server: c.server, principal: p}
}

// attached authenticates a request as the principal that its caller attached.
type attached struct{}

func (attached) Authenticate(r *http.Request) (principal.Principal, error) {
	p, _ := r.Context().Value(attached{}).(principal.Principal)
	return p, nil
}

// Answer is a reply, with its body as text and decoded.
type Answer struct {
	Status int
	Header http.Header
	Text   string
	Body   map[string]any
}

// Send sends a request below the API's base. The body is a JSON string, a value to encode, or nil
// for none. headers alternates names and values.
func (c *Caller) Send(t testing.TB, method, path string, body any, headers ...string) Answer {
	t.Helper()
	return c.SendContext(t.Context(), t, method, path, body, headers...)
}

// SendContext is Send with a context that can be cancelled during the request.
func (c *Caller) SendContext(ctx context.Context, t testing.TB, method, path string, body any, headers ...string) Answer {
	t.Helper()
	text, isText := body.(string)
	if !isText && body != nil {
		encoded, err := json.Marshal(body)
		require.NoError(t, err)
		text = string(encoded)
	}
	ctx = context.WithValue(ctx, attached{}, c.principal)
	request := httptest.NewRequestWithContext(ctx, method, httpapi.Base+path, strings.NewReader(text))
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	c.server.ServeHTTP(recorder, request)
	answer := Answer{Status: recorder.Code, Header: recorder.Header(), Text: recorder.Body.String()}
	if recorder.Body.Len() > 0 {
		require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &answer.Body), answer.Text)
	}
	return answer
}

// Download sends a GET request over a connection, requires the status 200, and returns the text of
// the body.
func (c *Caller) Download(t testing.TB, path string) string {
	t.Helper()
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.server.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), attached{}, c.principal)))
	}))
	defer listening.Close()
	reply, err := http.Get(listening.URL + httpapi.Base + path)
	require.NoError(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.StatusCode, string(text))
	return string(text)
}

// Post sends a POST request, requires the status of its response, and returns the body.
func (c *Caller) Post(t testing.TB, status int, path string, body any, headers ...string) map[string]any {
	t.Helper()
	a := c.Send(t, http.MethodPost, path, body, headers...)
	require.Equal(t, status, a.Status, "POST %s: %s", path, a.Text)
	return a.Body
}

// Get requires that a resource exists, and returns the response.
func (c *Caller) Get(t testing.TB, path string) Answer {
	t.Helper()
	a := c.Send(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, a.Status, "GET %s: %s", path, a.Text)
	return a
}

// Pointer returns the JSON Pointer of the first of the problem's fields, "(none)" without fields.
func (a Answer) Pointer() string {
	fields, _ := a.Body["fields"].([]any)
	if len(fields) == 0 {
		return "(none)"
	}
	pointer, _ := fields[0].(map[string]any)["pointer"].(string)
	return pointer
}

// Items returns the rows of a list.
func (a Answer) Items() []map[string]any {
	rows, _ := a.Body["items"].([]any)
	items := make([]map[string]any, len(rows))
	for i, row := range rows {
		items[i], _ = row.(map[string]any)
	}
	return items
}
