package faults_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
	"interlock/test/tier"
)

// counter has payments that wait for one vote: entries of a wallet and refunds to it, above
// the tenant's thresholds. One user requests, a second proposes and a third casts the last
// vote.
type counter struct {
	requester, proposer, voter *apptest.Caller
	order                      int64
}

const (
	giftAmount   = 250
	refundAmount = 4
)

// openCounter prepares a wallet with 10,000 and an order of 500 that was paid from it.
func openCounter(t *testing.T, c *apptest.Caller) counter {
	t.Helper()
	role := must(t, c, "/roles", object{"name": "deciders", "permissions": []string{"approvals:*", "wallets:*", "refunds:*", "tokens:write"}})
	o := counter{requester: c, proposer: newUser(t, c, "second", role["name"]), voter: newUser(t, c, "third", role["name"])}
	must(t, c, "/items", object{"sku": "MONEY-1", "name": "Refunded", "price": 500})
	must(t, c, "/inventory/MONEY-1/adjustments", object{"delta": 5, "reason": "opening stock", "reference": "opening"})
	must(t, c, "/wallets/li/entries", object{"amount": 10_000, "kind": "topup", "reference": "opening"})
	o.order = int64(must(t, c, "/orders", object{"userId": "li", "items": []object{{"sku": "MONEY-1", "quantity": 1}}})["id"].(float64))
	paid := until(t, c, fmt.Sprintf("/api/v1/orders/%d/pay", o.order), object{"method": "wallet"}, "pay")
	require.Equalf(t, http.StatusOK, paid.Status, "%s", paid.Body)
	settings := c.Do(t, http.MethodGet, "/api/v1/settings", nil)
	set := c.Do(t, http.MethodPatch, "/api/v1/settings?bypass=test", `{"refundApprovalThreshold":1,"walletApprovalThreshold":100}`, "If-Match", settings.Header.Get("ETag"))
	require.Equalf(t, http.StatusOK, set.Status, "%s", set.Body)
	return o
}

// at returns the counter for a restarted program, or for a copy of its data.
func (o counter) at(p *apptest.Program, client *http.Client) counter {
	for _, caller := range []**apptest.Caller{&o.requester, &o.proposer, &o.voter} {
		moved := **caller
		moved.Program, moved.HTTP = p, client
		*caller = &moved
	}
	return o
}

// waiting is a payment that waits for its last vote.
type waiting struct {
	approval  int64
	path, tag string
	// key is the idempotency key of the vote.
	key string
	// reference is the reference of the entry that the vote makes, refund the refund that
	// it settles, if any.
	reference string
	refund    int64
}

// propose creates an entry of the wallet, or every second time a refund, that waits for a
// vote.
func (o counter) propose(t *testing.T, n int) (w waiting) {
	t.Helper()
	w.key = fmt.Sprint("vote-", n)
	var proposed apptest.Answer
	if n%2 == 0 {
		w.reference = fmt.Sprint("gift-", n)
		proposed = until(t, o.proposer, "/api/v1/wallets/li/entries", object{"amount": giftAmount, "kind": "topup", "reference": w.reference}, w.reference)
	} else {
		requested := until(t, o.requester, fmt.Sprintf("/api/v1/orders/%d/refunds", o.order), object{"amount": refundAmount, "reason": "broken"}, fmt.Sprint("ask-", n))
		require.Equalf(t, http.StatusCreated, requested.Status, "%s", requested.Body)
		w.refund = int64(requested.JSON(t)["id"].(float64))
		w.reference = fmt.Sprint("@refunds/", w.refund)
		proposed = until(t, o.proposer, fmt.Sprintf("/api/v1/refunds/%d/approve", w.refund), nil, fmt.Sprint("propose-", n))
	}
	require.Equalf(t, http.StatusAccepted, proposed.Status, "%s", proposed.Body)
	approval := proposed.JSON(t)
	w.approval, w.tag = int64(approval["id"].(float64)), approval["etag"].(string)
	w.path = fmt.Sprint("/api/v1/approvals/", w.approval)
	return w
}

// vote sends the last vote once; its outcome may stay unknown.
func (o counter) vote(t *testing.T, w waiting) (apptest.Answer, error) {
	return o.voter.Try(t.Context(), http.MethodPost, w.path+"/approve", nil, "If-Match", w.tag, "X-Idempotency-Key", w.key)
}

// isMade reports whether the vote was cast and its payment made. All of it exists, or
// nothing.
func (o counter) isMade(t *testing.T, store witness, w waiting) bool {
	t.Helper()
	made := store.number(t, "SELECT COUNT(*) FROM wallet_entries WHERE user_id = 'li' AND reference = ?", w.reference)
	require.LessOrEqual(t, made, int64(1), "%s exists twice", w.reference)
	resource := fmt.Sprint("approvals/", w.approval)
	agree := map[string][]any{
		"SELECT COUNT(*) FROM approvals WHERE id = ? AND status = 1":                                              {w.approval},
		"SELECT 1 - COUNT(*) FROM approvals WHERE id = ? AND status = 0":                                          {w.approval},
		"SELECT COUNT(*) FROM approval_votes WHERE approval_id = ?":                                               {w.approval},
		"SELECT COUNT(*) FROM approval_histories WHERE approval_id = ? AND action = 'approve'":                    {w.approval},
		"SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND action = 'approval.approve' AND resource = ?": {resource},
		"SELECT COUNT(*) FROM idempotency_keys WHERE idempotency_key = ?":                                         {w.key},
	}
	if w.refund == 0 {
		agree["SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND action = 'wallet.entry' AND detail LIKE ?"] = []any{`%"` + w.reference + `"%`}
	} else {
		agree["SELECT COUNT(*) FROM refunds WHERE id = ? AND status = 3"] = []any{w.refund}
		agree["SELECT 1 - COUNT(*) FROM refunds WHERE id = ? AND status = 0"] = []any{w.refund}
		agree["SELECT COUNT(*) FROM refund_histories WHERE refund_id = ? AND action = 'settle'"] = []any{w.refund}
		agree["SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND action = 'refund.approve' AND resource = ?"] = []any{fmt.Sprint("refunds/", w.refund)}
	}
	for query, arguments := range agree {
		require.Equal(t, made, store.number(t, query, arguments...), query)
	}
	for query, want := range map[string]int64{
		"SELECT balance - (SELECT SUM(amount) FROM wallet_entries WHERE user_id = 'li') FROM wallets WHERE user_id = 'li'":                           0,
		"SELECT COUNT(*) FROM orders WHERE refunded <> (SELECT COALESCE(SUM(amount), 0) FROM refunds WHERE status = 3)":                              0,
		"SELECT COUNT(*) FROM orders WHERE refund_reserved <> (SELECT COALESCE(SUM(amount), 0) FROM refunds WHERE status IN (0, 1, 5))":              0,
		"SELECT COUNT(*) FROM orders WHERE refund_reserved < 0 OR refunded < 0 OR refund_reserved + refunded > paid":                                 0,
		"SELECT COUNT(*) FROM wallet_entries WHERE kind = 'refund' AND amount <> 4":                                                                  0,
		"SELECT (SELECT COUNT(*) FROM wallet_entries WHERE kind = 'refund') - (SELECT COUNT(*) FROM refunds WHERE status = 3 AND method = 'wallet')": 0,
	} {
		require.Equal(t, want, store.number(t, query), query)
	}
	return made == 1
}

// repeat compares the approval with the outcome of the vote, and repeats the vote with its
// key: the response reports it as made, and it is made once.
func (o counter) repeat(t *testing.T, store witness, w waiting, made bool) {
	t.Helper()
	read := o.voter.Do(t, http.MethodGet, w.path, nil)
	require.Equal(t, map[bool]string{true: "approved", false: "pending"}[made], read.JSON(t)["status"])
	again := until(t, o.voter, w.path+"/approve", nil, w.key, "If-Match", w.tag)
	require.Equalf(t, http.StatusOK, again.Status, "%s", again.Body)
	require.Equal(t, "approved", again.JSON(t)["status"])
	require.Equal(t, map[bool]string{true: "true"}[made], again.Header.Get("X-Idempotency-Replay"), "it is a replay when it was made, and only then")
	require.True(t, o.isMade(t, store, w))
	twice := until(t, o.voter, w.path+"/approve", nil, w.key, "If-Match", w.tag)
	require.Equal(t, string(again.Body), string(twice.Body))
	require.True(t, o.isMade(t, store, w))
}

// The last vote is repeated with its key while its COMMIT meets every fate.
// Proves G8.23.
func TestLostCommitOfALastVoteMovesMoneyOnce(t *testing.T) {
	tier.Nightly(t)
	for name, fate := range fates {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			process, s, between, direct, c := asProcessBehindProxy(t)
			o, store := openCounter(t, c), newWitness(t, direct)
			for n := range 2 {
				w := o.propose(t, n)
				killed := make(chan struct{}, 8)
				between.whenLost(func() {
					if fate.kills {
						process.kill()
					}
					killed <- struct{}{}
				})
				between.commitOf("'approve'", 1, fate.of)
				voted := make(chan apptest.Answer)
				go func() { voted <- until(t, o.voter, w.path+"/approve", nil, w.key, "If-Match", w.tag) }()
				isMet(t, fate.of, killed)
				if fate.kills {
					process = serve(t, s)
				}
				answer := <-voted
				require.Equalf(t, http.StatusOK, answer.Status, "%s", answer.Body)
				require.Equal(t, "approved", answer.JSON(t)["status"])
				require.True(t, o.isMade(t, store, w))
			}
		})
	}
}

// The program is killed before each command that it sends for the last vote, and between
// the COMMIT and its response.
// Proves G8.24.
func TestLastVoteOfMoneyIsAtomicWhenKilled(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	process, s, between, direct, c := asProcessBehindProxy(t)
	o, store := openCounter(t, c), newWitness(t, direct)
	points, ended := []string{}, [2]bool{}
	for n, place := 0, 1; !ended[0] || !ended[1]; n++ {
		if n%2 == 0 && n > 0 {
			place++
		}
		if ended[n%2] {
			continue
		}
		w := o.propose(t, n)
		killed := make(chan string, 1)
		between.killAt(place, func(command string) {
			process.kill()
			killed <- command
		})
		answer, err := o.vote(t, w)
		if !between.spare() {
			// The vote needed fewer commands than that.
			require.NoError(t, err)
			require.Equalf(t, http.StatusOK, answer.Status, "%s", answer.Body)
			require.True(t, o.isMade(t, store, w))
			ended[n%2] = true
			continue
		}
		points = append(points, <-killed)
		made := o.isMade(t, store, w)
		require.True(t, made || err != nil, "the acknowledged vote exists")
		process = serve(t, s)
		require.Equal(t, made, o.isMade(t, store, w), "nothing comes later")
		o.repeat(t, store, w, made)
	}
	for _, command := range points {
		t.Logf("killed before %.60q", command)
	}

	for n := range 2 {
		w := o.propose(t, 1000+n)
		lost := make(chan struct{}, 1)
		between.whenLost(func() {
			process.kill()
			lost <- struct{}{}
		})
		between.commitOf("'approve'", 1, loseReply)
		_, err := o.vote(t, w)
		require.Error(t, err)
		<-lost
		require.True(t, o.isMade(t, store, w), "the server has committed it")
		process = serve(t, s)
		o.repeat(t, store, w, true)
	}
	all := strings.Join(points, "\n")
	for _, command := range []string{"START TRANSACTION", "wallets", "approvals", "COMMIT"} {
		require.Contains(t, all, command)
	}
	s.DatabaseURL = direct
	checkPromises(t, s)
}

// SQLite's files are copied before each write and each sync of the last vote: the state
// after a crash at that point.
// Proves G8.24.
func TestLastVoteOfMoneyIsAtomicAfterACrash(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	disk := storagetest.NewDisk(t)
	s := apptest.Settings(filepath.Dir(disk.Path))
	s.EncryptionKeys = []string{apptest.EncryptionKey}
	_, c := serveHere(t, s)
	o := openCounter(t, c)
	for n := range 2 {
		w := o.propose(t, n)
		var mu sync.Mutex
		var images []string
		disk.Fail(func(storagetest.Op, string) int32 {
			mu.Lock()
			defer mu.Unlock()
			images = append(images, disk.CrashImage(t))
			return 0
		})
		answer, err := o.vote(t, w)
		require.NoError(t, err)
		require.Equalf(t, http.StatusOK, answer.Status, "%s", answer.Body)
		disk.Fail(nil)
		mu.Lock()
		images = append(images, disk.CrashImage(t))
		mu.Unlock()
		require.Greater(t, len(images), 5)

		outcomes := make([]bool, len(images))
		for i, image := range images {
			outcomes[i] = o.isMade(t, newWitness(t, image), w)
			require.True(t, i == 0 || !outcomes[i-1] || outcomes[i], "a vote in an image exists in each later image")
		}
		require.False(t, outcomes[0])
		require.True(t, outcomes[len(outcomes)-1], "the acknowledged vote exists")
		first := 0
		for !outcomes[first] {
			first++
		}
		t.Logf("of %d images the vote exists from the %dth on", len(images), first+1)
		for i, image := range images {
			crashed := s
			crashed.DataDir, crashed.DatabaseURL = t.TempDir(), image
			p, here := serveHere(t, crashed)
			o.at(p, here.HTTP).repeat(t, newWitness(t, image), w, outcomes[i])
		}
	}
}
