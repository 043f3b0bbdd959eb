package storagetest

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/storage"
)

// Tap is a relay to the MySQL server that notes the statements that pass.
type Tap struct {
	listener net.Listener
	server   string

	mu         sync.Mutex
	statements []string
}

func newTap(t *testing.T, server string) *Tap {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	tp := &Tap{listener: listener, server: server}
	var running sync.WaitGroup
	running.Go(func() { tp.serve(&running) })
	t.Cleanup(func() { listener.Close(); running.Wait() })
	return tp
}

func (tp *Tap) serve(running *sync.WaitGroup) {
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
func (tp *Tap) forward(server, client net.Conn) error {
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

func (tp *Tap) note(packet []byte) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	switch packet[0] {
	case 3, 22:
		tp.statements = append(tp.statements, string(packet[1:]))
	case 23:
		tp.statements = append(tp.statements, "EXECUTE")
	}
}

// Take returns the first words of what passed since the last call.
func (tp *Tap) Take() []string {
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

// Tapped returns a migrated MariaDB database of the test's own whose statements pass a
// tap.
func Tapped(t *testing.T) (*storage.DB, *Tap) {
	t.Helper()
	u, err := url.Parse(NewMariaDBURL(t))
	require.NoError(t, err)
	tp := newTap(t, u.Host)
	u.Host = tp.listener.Addr().String()
	return open(t, u.String()), tp
}
