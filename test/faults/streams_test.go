package faults_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/settings"
	"interlock/test/tier"
)

// addUsers adds users, each with the admin's role and an API token, and returns the tokens.
func (m meter) addUsers(t *testing.T, n int) []string {
	t.Helper()
	const row, stamp = "tenant_id, version, created_time, updated_time, updated_by, updated_by_name", "1, 1, NOW(6), NOW(6), 0, ''"
	tokens, users, issued := make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		tokens[i] = fmt.Sprintf("ilk_%043d", i)
		digest := sha256.Sum256([]byte(tokens[i]))
		users[i] = fmt.Sprintf("(%s, 'user%d', 'User %d', '', FALSE)", stamp, i, i)
		issued[i] = fmt.Sprintf("(%s, (SELECT id FROM users WHERE username = 'user%d'), 'feed', '%s', '[]')",
			stamp, i, base64.RawURLEncoding.EncodeToString(digest[:]))
	}
	m.execute(t, "USE interlock")
	m.execute(t, "INSERT INTO users ("+row+", username, display_name, password_hash, disabled) VALUES "+strings.Join(users, ", "))
	m.execute(t, "INSERT INTO user_roles (tenant_id, user_id, role_id) SELECT 1, u.id, r.id FROM users u JOIN roles r ON r.name = 'admin' WHERE u.username LIKE 'user%'")
	m.execute(t, "INSERT INTO api_tokens ("+row+", user_id, name, token_hash, scopes) VALUES "+strings.Join(issued, ", "))
	return tokens
}

func (m meter) execute(t *testing.T, statement string) {
	t.Helper()
	_, err := m.pool.Exec(statement)
	require.NoError(t, err)
}

// Proves G7.20.
func TestThousandStreamsNeedFewStatements(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	const users = 1000
	s, m := alone(t)
	p := serve(t, s)
	tokens := m.addUsers(t, users)
	before := residentMB(t, p)
	ctx, hangUp := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	defer reading.Wait()
	defer hangUp()
	var open, ended atomic.Int64
	connect := make(chan string)
	for range 20 {
		reading.Go(func() {
			for token := range connect {
				body, err := openStream(ctx, s, token)
				if err != nil {
					t.Error(err)
					continue
				}
				open.Add(1)
				reading.Go(func() {
					defer body.Close()
					for lines := bufio.NewScanner(body); lines.Scan(); {
					}
					ended.Add(1)
				})
			}
		})
	}
	for _, token := range tokens {
		connect <- token
	}
	close(connect)
	require.Eventually(t, func() bool { return open.Load() == users }, patience, 10*time.Millisecond)
	pause(t.Context(), 40*time.Second)
	statements, _ := m.during(t, 60*time.Second)
	t.Logf("%d MB with %d streams, %d MB without", residentMB(t, p), users, before)
	require.Zero(t, ended.Load())
	require.LessOrEqual(t, statements, 6.0)

	admin(t, s, "role", "set", "admin", "configs:read")
	require.Eventually(t, func() bool { return ended.Load() == users }, patience, 10*time.Millisecond)
}

func openStream(ctx context.Context, s settings.Settings, token string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Addr+"/api/v1/events", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	if reply.StatusCode != http.StatusOK {
		reply.Body.Close()
		return nil, fmt.Errorf("a stream had status %d", reply.StatusCode)
	}
	return reply.Body, nil
}

// residentMB returns the resident memory of a process.
func residentMB(t *testing.T, p *process) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.command.Process.Pid))
	require.NoError(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize() >> 20
}
