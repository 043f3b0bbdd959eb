package faults_test

import (
	"bytes"
	"encoding/binary"
	"io"
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

// fate is what becomes of a COMMIT.
type fate int

const (
	passes fate = iota
	// loseReply lets the server commit and cuts the link instead of passing its
	// reply on.
	loseReply
	// cutBefore cuts the link; the server never sees the COMMIT.
	cutBefore
	// lateCommit cuts the client's side at once; the server gets the COMMIT later.
	lateCommit
	// stranded cuts the client's side at once; the server never sees the COMMIT, nor
	// that its client has gone, and keeps the transaction open.
	stranded
)

// lateness is how long a lateCommit is held back.
const lateness = 300 * time.Millisecond

// proxy stands between the program and its database. It reads the frames of the
// MySQL protocol (length of 3 bytes, sequence number, payload) that the program
// sends, well enough to know a COMMIT when it passes.
type proxy struct {
	listener net.Listener
	upstream string
	// read returns the next message of the program.
	read    func(from io.Reader) ([]byte, error)
	running sync.WaitGroup

	mu    sync.Mutex
	links map[*link]struct{}
	down  bool
	// onCommit decides about each COMMIT; onLost is called when one, or the reply to
	// it, is lost and before its link is cut; delay holds each message back.
	onCommit func() fate
	// marked is a text that the transaction of the next fate writes, "" for any.
	marked string
	onLost func()
	delay  func() time.Duration
	// gate stops one statement, see stopAt.
	gate *gate
	// commands counts down to the command that is killed, see killAt.
	commands int
	onKill   func(command string)
	// flowing is closed while messages pass.
	flowing chan struct{}
	// late is told of a lateCommit that the server has executed.
	late chan struct{}
	// ended is closed with the test.
	ended chan struct{}
}

// link is one connection of the program through the proxy.
type link struct {
	client, server net.Conn
	// losing hears the reply to a COMMIT that is not to be passed on.
	losing atomic.Pointer[gate]
	// answered is told of the server's next reply.
	answered atomic.Pointer[gate]
}

// gate is where one statement is stopped on its way to the server.
type gate struct {
	statement string
	reached   chan struct{}
	opened    chan struct{}
	reply     chan []byte
	// place is which statement of its command it is, heard what the server has answered.
	place int
	heard []byte
}

// newProxy returns a proxy before the server that a mysql:// URL names, and the
// URL of the same database through it.
func newProxy(t *testing.T, databaseURL string) (p *proxy, through string) {
	t.Helper()
	return newProxyOf(t, databaseURL, readFrame)
}

// newPlainProxy returns a proxy before any other server. It knows no statements.
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

// fateOfCommits says what becomes of COMMITs from now on.
func (p *proxy) fateOfCommits(decide func() fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onCommit = decide
}

// nextCommit gives the next COMMIT a fate; those after it pass.
func (p *proxy) nextCommit(f fate) {
	var once atomic.Bool
	p.fateOfCommits(func() fate {
		if once.CompareAndSwap(false, true) {
			return f
		}
		return passes
	})
}

// commitOf gives the COMMIT of the nth transaction that inserts a text a fate; all
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

// whenLost calls fn whenever a COMMIT or the reply to it is lost, and before the
// program can notice.
func (p *proxy) whenLost(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onLost = fn
}

// slow holds each message back.
func (p *proxy) slow(delay func() time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

// stall lets nothing pass and ends no connection, as a link does whose other end
// has vanished.
func (p *proxy) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flowing = make(chan struct{})
}

// flow lets messages pass again, those that waited too.
func (p *proxy) flow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.flowing)
}

// stopAt stops the next statement that begins so.
func (p *proxy) stopAt(statement string) *gate {
	g := &gate{statement: statement, reached: make(chan struct{}), opened: make(chan struct{}), reply: make(chan []byte, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate = g
	return g
}

// killAt calls kill in the place of passing the nth command from now on, whatever link it comes by,
// and ends its link.
func (p *proxy) killAt(nth int, kill func(command string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commands, p.onKill = nth, kill
}

// spare kills at no command any more, and reports whether one has been met.
func (p *proxy) spare() (met bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	met, p.commands = p.commands == 0, 0
	return met
}

// kills reports whether a frame is what kills the program, and has killed it.
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

// open lets the statement go on and returns how many rows the server says it matched.
func (g *gate) open(t *testing.T) int {
	t.Helper()
	close(g.opened)
	select {
	case reply := <-g.reply:
		// An OK packet: 0 and the number of rows, one byte up to 250.
		require.Greater(t, len(reply), 1)
		require.Zerof(t, reply[0], "the server refused it: %q", reply)
		return int(reply[1])
	case <-time.After(patience):
		require.FailNow(t, "the server did not answer")
		return 0
	}
}

// hears notes what the server answers, and reports whether the answer to the gate's statement
// was in it. Each statement of a command has a packet of its own.
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

// atGate stops the frame if it is the one that is waited for.
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

// cut ends every connection and, until mend, each new one at its start.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = true
	for l := range p.links {
		l.close()
	}
}

// mend takes connections again.
func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
}

// fateOf says what becomes of a frame. marked is the link's own: whether the
// transaction on it has written what fates are for.
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

// hold waits for as long as messages are held back, and no longer than the test.
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

// requests passes on what the program sends, frame by frame.
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

// decide carries a COMMIT's fate out and reports whether the frame is to be passed
// on as usual.
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
		// The server answers nobody; reading on keeps its side open until it has.
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

// replies passes on what the server sends.
func (p *proxy) replies(l *link) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := l.server.Read(buffer)
		if g := l.losing.Load(); g != nil {
			// The statements before the COMMIT may be answered before it is executed.
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

// isQuery knows a COM_QUERY (3), the first frame of a command.
func isQuery(frame []byte) bool {
	return frame[3] == 0 && len(frame) > frameHeader && frame[frameHeader] == 3
}

// statementsOf returns the statements of a command: several of a packet, none of what is no
// query.
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

// isInsertOf knows a command that inserts a row with a text in it.
func isInsertOf(frame []byte, text string) bool {
	return slices.ContainsFunc(statementsOf(frame), func(one string) bool {
		return strings.HasPrefix(one, "INSERT INTO") && strings.Contains(one, text)
	})
}
