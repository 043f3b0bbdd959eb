package faults_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
)

// fate is the treatment of a COMMIT.
type fate int

const (
	passes fate = iota
	// loseReply lets the server commit and cuts the link instead of forwarding the
	// response.
	loseReply
	// cutBefore cuts the link; the server never sees the COMMIT.
	cutBefore
	// lateCommit cuts the client's side immediately; the server gets the COMMIT later.
	lateCommit
	// stranded cuts the client's side immediately. The server receives neither the COMMIT
	// nor the disconnection, and leaves the transaction open.
	stranded
)

// lateness is the delay of a lateCommit.
const lateness = 300 * time.Millisecond

// proxy is a proxy between the program and its database. It parses the frames of the MySQL
// protocol (length of 3 bytes, sequence number, payload) that the program sends, as far as
// it needs to recognize a COMMIT.
type proxy struct {
	listener net.Listener
	upstream string
	// read returns the program's next message.
	read    func(from io.Reader) ([]byte, error)
	running sync.WaitGroup

	mu    sync.Mutex
	links map[*link]struct{}
	down  bool
	// onCommit decides about each COMMIT; onLost is called after a COMMIT or its response
	// is lost and before its link is cut; delay delays each message.
	onCommit func() fate
	// marked is a text that the transaction of the next fate writes, or "" for any
	// transaction.
	marked string
	onLost func()
	delay  func() time.Duration
	// cutAfter is set by cutEach; cuts counts the links that it cut.
	cutAfter func() int
	cuts     atomic.Int64
	// gate stops one statement; see stopAt.
	gate *gate
	// commands counts down to the command at which the program is killed; see killAt.
	commands int
	onKill   func(command string)
	// flowing is closed while messages pass.
	flowing chan struct{}
	// late receives a value after the server has executed a lateCommit.
	late chan struct{}
	// ended is closed at the end of the test.
	ended chan struct{}
}

// link is one connection of the program through the proxy.
type link struct {
	client, server net.Conn
	// losing receives the response to a COMMIT that is not forwarded.
	losing atomic.Pointer[gate]
	// answered receives the server's next response.
	answered atomic.Pointer[gate]
}

// gate is where one statement is stopped before the server receives it.
type gate struct {
	statement string
	reached   chan struct{}
	opened    chan struct{}
	reply     chan []byte
	// place is the index of the statement in its command; heard contains the server's
	// response so far.
	place int
	heard []byte
}

// newProxy returns a proxy in front of the server of a mysql:// URL, and the URL of the
// same database through it.
func newProxy(t *testing.T, databaseURL string) (p *proxy, through string) {
	t.Helper()
	return newProxyOf(t, databaseURL, readFrame)
}

// newPlainProxy returns a proxy in front of any other server. It does not parse statements.
func newPlainProxy(t *testing.T, address string) (p *proxy, through string) {
	t.Helper()
	return newProxyOf(t, address, func(from io.Reader) ([]byte, error) {
		buffer := make([]byte, 64<<10)
		n, err := from.Read(buffer)
		return buffer[:n], err
	})
}

func newProxyOf(t *testing.T, address string, read func(io.Reader) ([]byte, error)) (p *proxy, through string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p = &proxy{
		listener: listener, upstream: u.Host, read: read, links: make(map[*link]struct{}),
		flowing: make(chan struct{}), late: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	close(p.flowing)
	p.running.Go(p.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		close(p.ended)
		p.cut()
		p.running.Wait()
	})
	u.Host = listener.Addr().String()
	return p, u.String()
}

// fateOfCommits sets the function that decides about COMMITs from now on.
func (p *proxy) fateOfCommits(decide func() fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onCommit = decide
}

// nextCommit sets the fate of the next COMMIT; later ones pass.
func (p *proxy) nextCommit(f fate) {
	var once atomic.Bool
	p.fateOfCommits(func() fate {
		if once.CompareAndSwap(false, true) {
			return f
		}
		return passes
	})
}

// commitOf sets the fate of the COMMIT of the nth transaction that inserts a text; all
// others pass.
func (p *proxy) commitOf(text string, nth int, f fate) {
	var seen atomic.Int64
	p.fateOfCommits(func() fate {
		if seen.Add(1) == int64(nth) {
			return f
		}
		return passes
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marked = text
}

// whenLost sets a function that is called whenever a COMMIT or its response is lost, before
// the program can detect it.
func (p *proxy) whenLost(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onLost = fn
}

// slow delays each message.
func (p *proxy) slow(delay func() time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

// cutEach cuts each new link after the returned number of bytes of the server; nil cuts none.
func (p *proxy) cutEach(after func() int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutAfter = after
}

// stall blocks all messages and closes no connection, like a link with a vanished peer.
// vanished.
func (p *proxy) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flowing = make(chan struct{})
}

// flow lets messages pass again, including the blocked ones.
func (p *proxy) flow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.flowing)
}

// stopAt stops the next statement with that prefix.
func (p *proxy) stopAt(statement string) *gate {
	g := &gate{statement: statement, reached: make(chan struct{}), opened: make(chan struct{}), reply: make(chan []byte, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate = g
	return g
}

// killAt calls kill instead of forwarding the nth command from now on, on any link, and
// ends the link of the command.
func (p *proxy) killAt(nth int, kill func(command string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commands, p.onKill = nth, kill
}

// spare cancels killAt, and reports whether the program was killed.
func (p *proxy) spare() (met bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	met, p.commands = p.commands == 0, 0
	return met
}

// kills reports whether the program was killed at this frame.
func (p *proxy) kills(frame []byte) bool {
	p.mu.Lock()
	if p.commands == 0 || frame[3] != 0 {
		p.mu.Unlock()
		return false
	}
	p.commands--
	kill, last := p.onKill, p.commands == 0
	p.mu.Unlock()
	if last {
		kill(string(frame[frameHeader:]))
	}
	return last
}

// open lets the statement continue and returns the number of rows that the server reports
// as matched.
func (g *gate) open(t *testing.T) int {
	t.Helper()
	close(g.opened)
	select {
	case reply := <-g.reply:
		// An OK packet: 0 and the number of rows, one byte up to 250.
		require.Greater(t, len(reply), 1)
		require.Zerof(t, reply[0], "the server rejected it: %q", reply)
		return int(reply[1])
	case <-time.After(patience):
		require.FailNow(t, "the server did not answer")
		return 0
	}
}

// hears collects the server's response, and reports whether it includes the response to the
// gate's statement. Each statement of a command has a separate packet.
func (g *gate) hears(some []byte) bool {
	g.heard = append(g.heard, some...)
	rest := g.heard
	for place := 0; len(rest) >= frameHeader; place++ {
		length := int(binary.LittleEndian.Uint32(rest) & 0xffffff)
		if len(rest) < frameHeader+length {
			return false
		}
		content := rest[frameHeader : frameHeader+length]
		const failed = 0xff
		if place == g.place || content[0] == failed {
			g.reply <- bytes.Clone(content)
			return true
		}
		rest = rest[frameHeader+length:]
	}
	return false
}

// atGate stops the frame if it contains the gate's statement.
func (p *proxy) atGate(l *link, frame []byte) {
	p.mu.Lock()
	g := p.gate
	place := -1
	if g != nil {
		place = slices.IndexFunc(statementsOf(frame), func(one string) bool { return strings.HasPrefix(one, g.statement) })
	}
	if place < 0 {
		p.mu.Unlock()
		return
	}
	g.place = place
	p.gate = nil
	p.mu.Unlock()
	close(g.reached)
	select {
	case <-g.opened:
		l.answered.Store(g)
	case <-p.ended:
	}
}

// cut closes every connection and, until mend, each new one at its start.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = true
	for l := range p.links {
		l.close()
	}
}

// restore accepts connections again.
func (p *proxy) restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
}

// fateOf returns the fate of a frame. marked belongs to the link and reports whether its
// transaction has written the text that selects the fate.
func (p *proxy) fateOf(frame []byte, marked *bool) fate {
	p.mu.Lock()
	decide, mark := p.onCommit, p.marked
	p.mu.Unlock()
	*marked = *marked || mark != "" && isInsertOf(frame, mark)
	if !isCommit(frame) {
		return passes
	}
	meant := *marked || mark == ""
	*marked = false
	if decide == nil || !meant {
		return passes
	}
	return decide()
}

// hold waits while messages are blocked, but not after the end of the test.
func (p *proxy) hold() {
	p.mu.Lock()
	delay, flowing := p.delay, p.flowing
	p.mu.Unlock()
	select {
	case <-flowing:
	case <-p.ended:
	}
	if delay != nil {
		time.Sleep(delay()) //nolint:forbidigo // the delay is the fault
	}
}

func (p *proxy) lost() {
	p.mu.Lock()
	fn := p.onLost
	p.mu.Unlock()
	if fn != nil {
		fn()
	}
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.carry(client) })
	}
}

func (p *proxy) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.upstream)
	if err != nil {
		return
	}
	defer server.Close()
	l := &link{client: client, server: server}
	p.mu.Lock()
	if p.down {
		p.mu.Unlock()
		return
	}
	p.links[l] = struct{}{}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}()
	p.running.Go(func() {
		defer l.close()
		p.replies(l)
	})
	p.requests(l)
	l.close()
}

// requests forwards the program's messages, frame by frame.
func (p *proxy) requests(l *link) {
	marked := false
	for {
		frame, err := p.read(l.client)
		if err != nil {
			return
		}
		p.hold()
		p.atGate(l, frame)
		if p.kills(frame) {
			return
		}
		if !p.decide(l, frame, p.fateOf(frame, &marked)) {
			return
		}
		if _, err := l.server.Write(frame); err != nil {
			return
		}
	}
}

// decide executes a COMMIT's fate and reports whether the frame is forwarded as usual.
func (p *proxy) decide(l *link, frame []byte, f fate) bool {
	switch f {
	case loseReply:
		l.losing.Store(&gate{place: len(statementsOf(frame)) - 1, reply: make(chan []byte, 1)})
	case cutBefore:
		p.lost()
		return false
	case lateCommit:
		_ = l.client.Close()
		time.Sleep(lateness) //nolint:forbidigo // the delay is the fault
		_, _ = l.server.Write(frame)
		// The client has disconnected, but reading keeps the server's side open until the server
		// has
		// responded.
		_, _ = l.server.Read(make([]byte, 1024))
		select {
		case p.late <- struct{}{}:
		default:
		}
		return false
	case stranded:
		_ = l.client.Close()
		<-p.ended
		return false
	}
	return true
}

// replies forwards the server's messages.
func (p *proxy) replies(l *link) {
	buffer := make([]byte, 64<<10)
	for left := p.bytesUntilCut(); left != 0; {
		n, err := l.server.Read(buffer[:min(len(buffer), left)])
		left -= n
		if g := l.losing.Load(); g != nil {
			// The server may respond to the statements before the COMMIT before it executes
			// the COMMIT.
			if err == nil && !g.hears(buffer[:n]) {
				continue
			}
			p.lost()
			return
		}
		if err != nil {
			return
		}
		if g := l.answered.Load(); g != nil && g.hears(buffer[:n]) {
			l.answered.Store(nil)
		}
		p.hold()
		if _, err := l.client.Write(buffer[:n]); err != nil {
			return
		}
	}
	p.cuts.Add(1)
}

// bytesUntilCut returns the number of bytes of the server after which a new link is cut.
func (p *proxy) bytesUntilCut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cutAfter == nil {
		return math.MaxInt
	}
	return p.cutAfter()
}

// cutLinks closes every connection and accepts new ones.
func (p *proxy) cutLinks() {
	p.cut()
	p.restore()
}

func (l *link) close() {
	_ = l.client.Close()
	_ = l.server.Close()
}

const frameHeader = 4

func readFrame(from io.Reader) ([]byte, error) {
	var header [frameHeader]byte
	if _, err := io.ReadFull(from, header[:]); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(header[:]) & 0xffffff
	frame := make([]byte, frameHeader+int(length))
	copy(frame, header[:])
	_, err := io.ReadFull(from, frame[frameHeader:])
	return frame, err
}

// isQuery recognizes a COM_QUERY (3), the first frame of a command.
func isQuery(frame []byte) bool {
	return frame[3] == 0 && len(frame) > frameHeader && frame[frameHeader] == 3
}

// statementsOf returns the statements of a command: a packet can contain several. It
// returns none for a command that is not a query.
func statementsOf(frame []byte) []string {
	if !isQuery(frame) {
		return nil
	}
	return strings.Split(string(frame[frameHeader+1:]), storage.BetweenStatements)
}

func isCommit(frame []byte) bool {
	all := statementsOf(frame)
	return len(all) > 0 && strings.EqualFold(all[len(all)-1], "COMMIT")
}

// isInsertOf recognizes a command that inserts a row containing a text.
func isInsertOf(frame []byte, text string) bool {
	return slices.ContainsFunc(statementsOf(frame), func(one string) bool {
		return strings.HasPrefix(one, "INSERT INTO") && strings.Contains(one, text)
	})
}
