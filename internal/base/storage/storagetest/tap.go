package storagetest

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/distributedtest"
)

// Tap is a proxy to the MySQL server that records statements, can drop their locking
// clauses, and can reply with an error instead of the server.
type Tap struct {
	listener net.Listener
	// server is the target of new connections.
	server atomic.Value

	mu         sync.Mutex
	statements []string
	packets    int
	refuse     func(statement string) *Refusal
	noLocks    bool
	// before contains callbacks that run before the next statement that contains the text.
	before map[string]func()
}

// Refusal is an error with which a Tap replies to a statement instead of the server.
// Preceding statements of the same packet are executed.
type Refusal struct {
	Number  uint16
	Message string
	// Executed passes the statement to the server and discards its reply.
	Executed bool
	// Ignored replies with OK, like a proxy that drops unsupported statements.
	Ignored bool
}

// instead is the reply that replaces the server's replies to some
// statements.
type instead struct {
	refusal *Refusal
	replies int
}

// NewTap returns a Tap in front of the server of a mysql:// URL, and the URL of the same
// database through it.
func NewTap(t *testing.T, databaseURL string) (tp *Tap, through string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	tp = &Tap{listener: listener}
	tp.server.Store(u.Host)
	var running sync.WaitGroup
	running.Go(func() { tp.serve(&running) })
	t.Cleanup(func() { listener.Close(); running.Wait() })
	u.Host = listener.Addr().String()
	return tp, u.String()
}

// LeadTo directs new connections to the server of another mysql:// URL, like a name or a
// proxy after a failover. Refuse's function may call it.
func (tp *Tap) LeadTo(t *testing.T, databaseURL string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	tp.server.Store(u.Host)
}

// Refuse calls decide for each later statement; nil passes all of them.
func (tp *Tap) Refuse(decide func(statement string) *Refusal) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	tp.refuse = decide
}

// RefuseNext rejects the next statement with this text.
func (tp *Tap) RefuseNext(statement string, with Refusal) {
	var done atomic.Bool
	tp.Refuse(func(passing string) *Refusal {
		if passing == statement && done.CompareAndSwap(false, true) {
			return &with
		}
		return nil
	})
}

// dropLocks removes the locking clauses of later statements.
func (tp *Tap) dropLocks() {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	tp.noLocks = true
}

// Before calls do once, before the next statement that contains the text is sent to the
// server. The connection of that statement waits until do returns.
func (tp *Tap) Before(text string, do func()) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	if tp.before == nil {
		tp.before = map[string]func(){}
	}
	tp.before[text] = do
}

// prepare returns a command as it is sent to the server, after running the callbacks that
// are due.
func (tp *Tap) prepare(packet []byte) []byte {
	if packet[0] != 3 && packet[0] != 22 {
		return packet
	}
	statements := strings.Split(string(packet[1:]), storage.BetweenStatements)
	for _, do := range tp.due(statements) {
		do()
	}
	tp.mu.Lock()
	defer tp.mu.Unlock()
	if !tp.noLocks {
		return packet
	}
	for i, statement := range statements {
		statements[i] = distributedtest.NoLocks.Strip(statement)
	}
	return append(packet[:1:1], strings.Join(statements, storage.BetweenStatements)...)
}

// due removes and returns the callbacks for some statements.
func (tp *Tap) due(statements []string) (list []func()) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	for text, do := range tp.before {
		if slices.ContainsFunc(statements, func(s string) bool { return strings.Contains(strings.ReplaceAll(s, "`", ""), text) }) {
			list = append(list, do)
			delete(tp.before, text)
		}
	}
	return list
}

func (tp *Tap) serve(running *sync.WaitGroup) {
	for {
		client, err := tp.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", tp.server.Load().(string))
		if err != nil {
			client.Close()
			continue
		}
		l := &tapped{client: client, server: server}
		running.Go(func() { _ = l.replies(); client.Close() })
		running.Go(func() { _ = l.requests(tp); server.Close() })
	}
}

// tapped is one connection through a Tap.
type tapped struct {
	client, server net.Conn
	instead        atomic.Pointer[instead]
}

func (l *tapped) replies() error {
	buffer := make([]byte, 64<<10)
	var swallowed []byte
	for {
		n, err := l.server.Read(buffer)
		if err != nil {
			return err
		}
		reply := buffer[:n]
		if put := l.instead.Load(); put != nil {
			if swallowed = append(swallowed, reply...); !isCompleteReply(swallowed, put.replies) {
				continue
			}
			l.instead.Store(nil)
			reply, swallowed = put.refusal.packet(), nil
		}
		if _, err := l.client.Write(reply); err != nil {
			return err
		}
	}
}

// isCompleteReply reports whether reply is the complete reply to a number of statements without
// rows: one packet per statement, up to a failed one.
func isCompleteReply(reply []byte, statements int) bool {
	for range statements {
		if len(reply) < 5 {
			return false
		}
		length := 4 + int(binary.LittleEndian.Uint32(reply)&0xffffff)
		if len(reply) < length {
			return false
		}
		if reply[4] == 0xff {
			return true
		}
		reply = reply[length:]
	}
	return true
}

// requests forwards packets (3 bytes of length, 1 of sequence) and records statements. A
// command starts a new sequence.
func (l *tapped) requests(tp *Tap) error {
	for {
		head := make([]byte, 4)
		if _, err := io.ReadFull(l.client, head); err != nil {
			return err
		}
		packet := make([]byte, binary.LittleEndian.Uint32([]byte{head[0], head[1], head[2], 0}))
		if _, err := io.ReadFull(l.client, packet); err != nil {
			return err
		}
		var refusal *Refusal
		var before []string
		if head[3] == 0 && len(packet) > 0 {
			packet = tp.prepare(packet)
			setLength(head, packet)
			before, refusal = tp.note(packet)
		}
		switch {
		case refusal == nil:
		case refusal.Executed:
			l.instead.Store(&instead{refusal, len(before) + 1})
		case len(before) == 0:
			if _, err := l.client.Write(refusal.packet()); err != nil {
				return err
			}
			continue
		default:
			l.instead.Store(&instead{refusal, len(before)})
			packet = append(packet[:1:1], strings.Join(before, storage.BetweenStatements)...)
			setLength(head, packet)
		}
		if _, err := l.server.Write(append(head, packet...)); err != nil {
			return err
		}
	}
}

func setLength(head, packet []byte) {
	binary.LittleEndian.PutUint16(head, uint16(len(packet)))
	head[2] = byte(len(packet) >> 16)
}

// packet encodes the reply in the server's protocol, as the first packet of a reply. The reply to
// an ignored statement is an OK packet (no rows, no id, autocommit, no warnings); any other
// reply is an ERR packet.
func (r *Refusal) packet() []byte {
	if r.Ignored {
		return []byte{7, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}
	}
	content := binary.LittleEndian.AppendUint16([]byte{0xff}, r.Number)
	content = append(content, "#HY000"+r.Message...)
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(content)))
	head[3] = 1
	return append(head, content...)
}

// note records a command's statements and returns the refusal for one of them, if any, and
// the statements before it. 3 is COM_QUERY, 22 COM_STMT_PREPARE and 23 COM_STMT_EXECUTE.
func (tp *Tap) note(packet []byte) (before []string, refusal *Refusal) {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	tp.packets++
	statements := []string{"EXECUTE"}
	switch packet[0] {
	case 3, 22:
		statements = strings.Split(string(packet[1:]), storage.BetweenStatements)
	case 23:
	default:
		return nil, nil
	}
	tp.statements = append(tp.statements, statements...)
	for i, statement := range statements {
		if tp.refuse == nil {
			return nil, nil
		}
		if refusal := tp.refuse(statement); refusal != nil {
			return statements[:i], refusal
		}
	}
	return nil, nil
}

// Packets returns the number of commands since the last call.
func (tp *Tap) Packets() int {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	defer func() { tp.packets = 0 }()
	return tp.packets
}

// Take returns the first words of the statements since the last call.
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

// wordsOf is the number of words that identify a statement.
var wordsOf = map[string]int{"SELECT": 2, "UPDATE": 2, "INSERT": 3, "DELETE": 3, "START": 2, "COMMIT": 1, "ROLLBACK": 1, "EXECUTE": 1, "SET": 2}

// TappedMariaDB returns a new migrated database behind a Tap, opened with options in its
// URL.
func TappedMariaDB(t *testing.T, options ...string) (*storage.DB, *Tap) {
	t.Helper()
	tp, through := NewTap(t, NewMariaDBURL(t))
	if len(options) > 0 {
		through += "?" + strings.Join(options, "&")
	}
	return migrated(t, through), tp
}

// WithoutLocks returns a new migrated database and its Tap, which removes locking clauses: on the
// servers of a cluster, a row lock does not exclude other servers. Statements are sent one by one.
func WithoutLocks(t *testing.T) (*storage.DB, *Tap) {
	t.Helper()
	db, tp := TappedMariaDB(t, "packets=false")
	tp.dropLocks()
	return db, tp
}
