package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/client"
	"interlock/test/apptest"
	"interlock/test/contract/validate"
	"interlock/test/tier"
)

// drainVariable makes the test binary run as the process that is killed.
const drainVariable = "INTERLOCK_TEST_DRAIN"

// orders are the parameters of that process.
type orders struct {
	URL, Token, Path string
	Entries          int
	Campaign         int64
	User             string
}

// event is the content of an entry: a posting, which has its own reference, or a coupon to issue,
// which only the key protects from a second issue.
type event struct {
	Posting *client.WalletPosting
	Issue   bool
}

func eventOf(i int) event {
	if i%4 == 0 {
		return event{Issue: true}
	}
	return event{Posting: &client.WalletPosting{Amount: int64(i), Kind: "topup", Reference: fmt.Sprintf("event-%d", i)}}
}

// breach collects departures from the contract.
type breach struct{ found atomic.Int64 }

func (b *breach) Helper() {}
func (b *breach) Errorf(format string, arguments ...any) {
	b.found.Add(1)
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
}

// drainAsTold adds the events to the outbox while it drains it, until all are done. It
// knows nothing of its predecessors but the file.
func drainAsTold(text string) (code int) {
	var params orders
	if err := json.Unmarshal([]byte(text), &params); err != nil {
		fmt.Fprintln(os.Stderr, "drain:", err)
		return 2
	}
	var departures breach
	if err := drain(context.Background(), params, &departures); err != nil {
		fmt.Fprintln(os.Stderr, "drain:", err)
		return 2
	}
	if departures.found.Load() > 0 {
		return 3
	}
	return 0
}

func drain(ctx context.Context, params orders, departures *breach) error {
	c, err := client.New(params.URL, params.Token, client.WithBackoff(5*time.Millisecond, 10*time.Millisecond, 20*time.Millisecond),
		client.WithHTTPClient(&http.Client{Timeout: patience, Transport: validate.NewTransport(departures, http.DefaultTransport)}))
	if err != nil {
		return err
	}
	box, err := client.OpenOutbox[event](params.Path)
	if err != nil {
		return err
	}
	defer box.Close()
	added := make(chan error, 1)
	go func() { added <- addEvents(box, params.Entries) }()
	apply := func(ctx context.Context, e client.Entry[event]) error {
		if e.Value.Issue {
			_, err := c.Campaigns.IssueCoupons(ctx, params.Campaign, client.IssueCoupons{Count: new(int64(1))}, client.Key(e.Key()))
			return err
		}
		_, err := c.Wallets.EnterEntry(ctx, params.User, *e.Value.Posting, client.Key(e.Key()))
		return err
	}
	return drainAll(ctx, box, apply, added)
}

func addEvents(box *client.Outbox[event], entries int) error {
	for i := 1; i <= entries; i++ {
		if err := box.Add(fmt.Sprintf("event-%d", i), eventOf(i)); err != nil {
			return err
		}
	}
	return nil
}

// drainAll repeats Drain after each error until nothing is pending or expected.
func drainAll(ctx context.Context, box *client.Outbox[event], apply func(context.Context, client.Entry[event]) error, added <-chan error) error {
	complete := false
	for {
		select {
		case err := <-added:
			if err != nil {
				return err
			}
			complete = true
		default:
		}
		err := box.Drain(ctx, apply)
		var gaveUp *client.GaveUp
		if err != nil && !errors.As(err, &gaveUp) {
			return err
		}
		if complete && box.Pending() == 0 {
			return nil
		}
	}
}

func TestKilledProcessAppliesOutboxOnceDespiteLostReplies(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		drainWhileKilled(t, p, tier.Rounds(60, 5000), tier.Rounds(2, 40))
	})
}

// drainWhileKilled lets a process drain an outbox through a bad link, kills it at
// random moments, and starts the next.
func drainWhileKilled(t *testing.T, p *apptest.Program, entries, kills int) {
	caller := p.Admin(t)
	c := clientOf(t, caller)
	campaign := ok[client.Campaign](t)(c.Campaigns.Create(t.Context(), client.CampaignCreate{
		Name: "Outbox", Kind: client.CampaignKindAmount, Value: 1, Total: int64(2 * entries), PerUser: 1,
		ValidFrom: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), ValidTo: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
	}))
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	link := newBadLink(t, p.URL, seed)
	params := orders{URL: link.url(), Token: caller.Token, Path: filepath.Join(t.TempDir(), "outbox"), Entries: entries, Campaign: campaign.ID, User: "12"}

	for range kills {
		process := launchDrain(t, params)
		for range random.IntN(2 * entries / kills) {
			if !process.waitFor(link.passed) {
				break
			}
		}
		process.kill()
	}
	require.NoError(t, launchDrain(t, params).wait(), "the last one ends by itself, and saw no reply that departs from the contract")

	require.Positive(t, link.dropped.Load(), "replies were lost")
	requireEachAppliedOnce(t, c, params)
}

func requireEachAppliedOnce(t *testing.T, c *client.Client, params orders) {
	t.Helper()
	postings, issues, sum := map[string]int64{}, 0, int64(0)
	for i := 1; i <= params.Entries; i++ {
		if e := eventOf(i); e.Issue {
			issues++
		} else {
			postings[e.Posting.Reference] = e.Posting.Amount
			sum += e.Posting.Amount
		}
	}
	made := map[string]int64{}
	for _, entry := range all(t, c.Wallets.Entries(params.User, client.WalletEntryFilter{Paging: client.Paging{Limit: 200}})) {
		require.NotContains(t, made, entry.Reference)
		made[entry.Reference] = entry.Amount
	}
	require.Equal(t, postings, made)
	wallet := ok[client.Wallet](t)(c.Wallets.Get(t.Context(), params.User))
	require.EqualValues(t, len(postings), wallet.Version)
	require.Equal(t, sum, wallet.Balance)
	require.EqualValues(t, issues, ok[client.Campaign](t)(c.Campaigns.Get(t.Context(), params.Campaign)).Issued, "each coupon was issued once")
	coupons := ok[client.Page[client.Coupon]](t)(c.Coupons.List(client.CouponFilter{CampaignID: params.Campaign}).Page(t.Context()))
	require.EqualValues(t, issues, coupons.Total)
	audited := ok[client.Page[client.AuditEntry]](t)(c.Audit.List(client.AuditEntryFilter{Resource: "wallets/" + params.User}).Page(t.Context()))
	require.EqualValues(t, len(postings), audited.Total)
}

// drainProcess is this binary, draining.
type drainProcess struct {
	command *exec.Cmd
	ended   chan struct{}
	err     error
}

func launchDrain(t *testing.T, params orders) *drainProcess {
	t.Helper()
	text, err := json.Marshal(params)
	require.NoError(t, err)
	p := &drainProcess{command: exec.CommandContext(t.Context(), os.Args[0]), ended: make(chan struct{})}
	p.command.Env = append(os.Environ(), drainVariable+"="+string(text))
	p.command.Stderr = os.Stderr
	require.NoError(t, p.command.Start())
	go func() {
		p.err = p.command.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends it as a crash does and waits for its end.
func (p *drainProcess) kill() {
	_ = p.command.Process.Kill()
	<-p.ended
}

func (p *drainProcess) wait() error {
	<-p.ended
	return p.err
}

// waitFor waits for an event and reports false when the process ended instead.
func (p *drainProcess) waitFor(event <-chan struct{}) bool {
	select {
	case <-event:
		return true
	case <-p.ended:
		return false
	}
}

// badLink is a proxy before the service that loses one in ten messages: requests that
// never arrive, replies that never come, and replies of which half comes.
type badLink struct {
	listener net.Listener
	upstream string
	running  sync.WaitGroup
	dropped  atomic.Int64
	// passed gets a token for each reply that came through, as far as anybody waits.
	passed chan struct{}

	mu     sync.Mutex
	random *rand.Rand
	open   map[net.Conn]struct{}
}

func newBadLink(t *testing.T, upstream string, seed uint64) *badLink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &badLink{
		listener: listener, upstream: upstream[len("http://"):], passed: make(chan struct{}, 1),
		random: rand.New(rand.NewPCG(seed, 1)), open: map[net.Conn]struct{}{},
	}
	l.running.Go(l.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		l.mu.Lock()
		for end := range l.open {
			_ = end.Close()
		}
		l.mu.Unlock()
		l.running.Wait()
	})
	return l
}

func (l *badLink) url() string { return "http://" + l.listener.Addr().String() }

func (l *badLink) roll(sides int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.random.IntN(sides)
}

func (l *badLink) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.upstream)
		if err != nil {
			_ = near.Close()
			continue
		}
		l.mu.Lock()
		l.open[near], l.open[far] = struct{}{}, struct{}{}
		l.mu.Unlock()
		l.running.Go(func() { l.carry(near, far, l.request) })
		l.running.Go(func() { l.carry(far, near, l.reply) })
	}
}

// carry forwards data as decide determines, and closes both sides after the last part.
func (l *badLink) carry(from, to net.Conn, decide func(size int) (pass int, last bool)) {
	defer func() {
		_ = from.Close()
		_ = to.Close()
		l.mu.Lock()
		delete(l.open, from)
		l.mu.Unlock()
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		pass, last := decide(n)
		if _, err := to.Write(buffer[:pass]); err != nil || last {
			return
		}
	}
}

func (l *badLink) request(size int) (pass int, last bool) {
	if l.roll(40) == 0 {
		return 0, true
	}
	return size, false
}

func (l *badLink) reply(size int) (pass int, last bool) {
	switch l.roll(40) {
	case 0, 1:
		l.dropped.Add(1)
		return 0, true
	case 2:
		l.dropped.Add(1)
		return size / 2, true
	}
	select {
	case l.passed <- struct{}{}:
	default:
	}
	return size, false
}
