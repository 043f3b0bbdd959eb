package config_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/change"
	"interlock/internal/guard"
	"interlock/internal/principal"
	"interlock/internal/storage"
	"interlock/internal/storage/storagetest"
	"interlock/internal/uow"
)

// tap is a relay to the MySQL server that notes the statements that pass.
type tap struct {
	listener net.Listener
	server   string

	mu         sync.Mutex
	statements []string
}

func newTap(t *testing.T, server string) *tap {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	tp := &tap{listener: listener, server: server}
	var running sync.WaitGroup
	running.Go(func() { tp.serve(&running) })
	t.Cleanup(func() { listener.Close(); running.Wait() })
	return tp
}

func (tp *tap) serve(running *sync.WaitGroup) {
	for {
		client, err := tp.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", tp.server)
		if err != nil {
			client.Close()
			continue
		}
		running.Go(func() { _, _ = io.Copy(client, server); client.Close() })
		running.Go(func() { _ = tp.forward(server, client); server.Close() })
	}
}

// forward relays packets (3 bytes of length, 1 of sequence) and notes what is sent.
// A command begins a sequence; 3 is COM_QUERY, 22 COM_STMT_PREPARE and 23
// COM_STMT_EXECUTE.
func (tp *tap) forward(server, client net.Conn) error {
	for {
		head := make([]byte, 4)
		if _, err := io.ReadFull(client, head); err != nil {
			return err
		}
		packet := make([]byte, binary.LittleEndian.Uint32([]byte{head[0], head[1], head[2], 0}))
		if _, err := io.ReadFull(client, packet); err != nil {
			return err
		}
		if head[3] == 0 && len(packet) > 0 {
			tp.note(packet)
		}
		if _, err := server.Write(append(head, packet...)); err != nil {
			return err
		}
	}
}

func (tp *tap) note(packet []byte) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	switch packet[0] {
	case 3, 22:
		tp.statements = append(tp.statements, string(packet[1:]))
	case 23:
		tp.statements = append(tp.statements, "EXECUTE")
	}
}

// take returns the first words of what passed since the last call.
func (tp *tap) take() []string {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	var brief []string
	for _, statement := range tp.statements {
		words := strings.Fields(strings.ReplaceAll(statement, "`", ""))
		if words[0] == "SELECT" {
			_, from, _ := strings.Cut(strings.Join(words, " "), " FROM ")
			words = append(words[:1:1], strings.Fields(from)...)
		}
		brief = append(brief, strings.Join(words[:min(len(words), wordsOf[words[0]])], " "))
	}
	tp.statements = nil
	return brief
}

// wordsOf is how many words tell a statement.
var wordsOf = map[string]int{"SELECT": 2, "UPDATE": 2, "INSERT": 3, "DELETE": 3, "START": 2, "COMMIT": 1, "ROLLBACK": 1, "EXECUTE": 1}

// tapped returns a world on MariaDB whose statements pass a tap.
func tapped(t *testing.T) (*world, *tap) {
	address := storagetest.NewMariaDBURL(t)
	u, err := url.Parse(address)
	require.NoError(t, err)
	tp := newTap(t, u.Host)
	u.Host = tp.listener.Addr().String()
	db, err := storage.Open(t.Context(), storage.Options{URL: u.String()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.Migrate(t.Context())
	require.NoError(t, err)
	return newWorld(t, storagetest.Tenant(t), db), tp
}

func TestAnEditCostsOneReadAndOneTransactionOfThreeWrites(t *testing.T) {
	w, tp := tapped(t)
	row := w.create("a", object(`{"n":1}`))
	tp.take()

	row = w.mustEdit("a", row.Ref(), `{"value":{"n":2},"remark":"r"}`)
	require.Equal(t, []string{
		"SELECT configs", "START TRANSACTION", "UPDATE configs", "INSERT INTO config_histories", "INSERT INTO audit_entries", "COMMIT",
	}, tp.take())

	w.mustEdit("a", row.Ref(), `{"value":{"n":2}}`)
	require.Equal(t, []string{"SELECT configs"}, tp.take(), "an edit that changes nothing")

	_, err := w.edit(w.ctx, "a", guard.Ref{ID: row.ID, Version: 1}, `{"value":{"n":3}}`, false)
	require.Error(t, err)
	require.Equal(t, []string{"SELECT configs", "SELECT configs", "SELECT config_histories"}, tp.take(), "a stale edit begins no transaction")

	require.NoError(t, w.delete("a", row.Ref()))
	require.Equal(t, []string{
		"SELECT configs", "START TRANSACTION", "DELETE FROM configs", "INSERT INTO config_histories", "INSERT INTO audit_entries", "COMMIT",
	}, tp.take())
}

func BenchmarkEdit(b *testing.B) {
	db, err := storage.Open(b.Context(), storage.Options{URL: "sqlite://" + b.TempDir() + "/interlock.db"})
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Migrate(b.Context())
	require.NoError(b, err)
	ctx := principal.With(b.Context(), principal.System(1, "benchmark"))
	w := newWorld(b, ctx, db)
	row := w.create("a", object(`{"timeoutMs":0,"retries":3}`))
	patches := []any{
		map[string]any{"value": map[string]any{"timeoutMs": "1"}},
		map[string]any{"value": map[string]any{"timeoutMs": "2"}},
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		require.NoError(b, w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
			seen, err := w.Get(ctx, "a")
			if err != nil {
				return err
			}
			edited, err := w.Edit(ctx, u, seen, change.Edit{IfMatch: guard.Precondition{Ref: row.Ref()}, Patch: patches[i%2]})
			row = edited.Row
			return err
		}))
	}
}
