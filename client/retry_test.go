package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// script is a transport that returns scripted replies and records the requests. It runs in a
// synctest bubble with a fake clock.
type script struct {
	replies replies
	keys    []string
	bodies  []string
	at      []time.Duration
	start   time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(s.at) == 0 {
		s.start = time.Now()
	}
	s.at = append(s.at, time.Since(s.start))
	s.keys = append(s.keys, r.Header.Get("X-Idempotency-Key"))
	body, _ := io.ReadAll(r.Body)
	s.bodies = append(s.bodies, string(body))
	if len(s.replies) == 0 {
		return nil, errors.New("nobody expected this request")
	}
	next := s.replies[0]
	s.replies = s.replies[1:]
	return next.reply()
}

func (s *script) client(t *testing.T, options ...Option) *Client {
	t.Helper()
	c, err := New("http://service", "token", append([]Option{WithHTTPClient(&http.Client{Transport: s})}, options...)...)
	require.NoError(t, err)
	return c
}

// scripted is what becomes of one request: a reply, or a failure of the network.
type scripted struct {
	status  int
	body    string
	headers []string
	failure error
}

type replies = []scripted

func (s scripted) reply() (*http.Response, error) {
	if s.failure != nil {
		return nil, s.failure
	}
	reply := &http.Response{StatusCode: s.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(s.body))}
	for i := 0; i < len(s.headers); i += 2 {
		reply.Header.Set(s.headers[i], s.headers[i+1])
	}
	return reply, nil
}

func says(status int, body string, headers ...string) scripted {
	return scripted{status: status, body: body, headers: headers}
}

func refuses(status int, code Code, headers ...string) scripted {
	return says(status, `{"code":"`+string(code)+`","detail":"no"}`, headers...)
}

func fails(err error) scripted { return scripted{failure: err} }

var (
	lost      = fails(errors.New("connection reset by peer"))
	unreached = fails(&net.OpError{Op: "dial", Err: errors.New("connection refused")})
	entered   = says(http.StatusCreated, `{"id":7,"amount":1}`)
	busy      = refuses(http.StatusConflict, CodeRequestInProgress)
	away      = refuses(http.StatusServiceUnavailable, CodeUnavailable)
	unsure    = refuses(http.StatusServiceUnavailable, CodeOutcomeUnknown)
	forbids   = refuses(http.StatusForbidden, CodeForbidden)
	gateway   = says(http.StatusBadGateway, "<html>")
)

func (s *script) post(ctx context.Context, t *testing.T, options ...CallOption) (WalletEntry, error) {
	t.Helper()
	return s.client(t).Wallets.EnterEntry(ctx, "12", WalletPosting{Amount: 1, Kind: "topup", Reference: "r"}, options...)
}

// Proves G3.16.
func TestRetrySendsSameRequestAndKeyAfterGrowingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{replies: replies{lost, busy, away, entered}}
		var reply Reply

		entry, err := s.post(t.Context(), t, Into(&reply))

		require.NoError(t, err)
		require.EqualValues(t, 7, entry.ID)
		require.Equal(t, 4, reply.Attempts)
		require.Len(t, s.keys, 4)
		for i := range s.keys {
			require.Equal(t, reply.Key, s.keys[i])
			require.Equal(t, s.bodies[0], s.bodies[i])
		}
		for i, planned := range []time.Duration{100, 200, 400} {
			planned *= time.Millisecond
			paused := s.at[i+1] - s.at[i]
			require.GreaterOrEqual(t, paused, planned)
			require.Less(t, paused, planned*3/2)
		}
	})
}

// Proves G3.16.
func TestKeysAreUniqueUnlessProvided(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		s := &script{replies: replies{entered}}
		_, err := s.post(t.Context(), t)
		require.NoError(t, err)
		require.NotEmpty(t, s.keys[0])
		require.False(t, seen[s.keys[0]], "used before")
		seen[s.keys[0]] = true
	}
	s := &script{replies: replies{entered}}
	_, err := s.post(t.Context(), t, Key("mine"))
	require.NoError(t, err)
	require.Equal(t, []string{"mine"}, s.keys)
}

// Proves G3.16.
func TestRetryAfterIsHonoured(t *testing.T) {
	for name, header := range map[string][]string{
		"in seconds":                             {"Retry-After", "3"},
		"as a date, held against the reply's":    {"Retry-After", "Sat, 01 Jan 2000 00:00:08 GMT", "Date", "Sat, 01 Jan 2000 00:00:05 GMT"},
		"and a refusal for the rate says it too": {"Retry-After", "3"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{replies: replies{refuses(http.StatusTooManyRequests, CodeRateLimited, header...), entered}}
				_, err := s.post(t.Context(), t)
				require.NoError(t, err)
				require.GreaterOrEqual(t, s.at[1], 3*time.Second)
				require.Less(t, s.at[1], 3*time.Second+100*time.Millisecond)
			})
		})
	}
}

// A request that is still running is asked for again in the milliseconds that the service
// names, and not in the whole second, which is the least that Retry-After can say.
func TestRetryAfterMsPrecedesRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running := says(http.StatusConflict, `{"code":"request_in_progress","retryAfterMs":300}`, "Retry-After", "1")
		s := &script{replies: replies{running, entered}}
		_, err := s.post(t.Context(), t)
		require.NoError(t, err)
		require.GreaterOrEqual(t, s.at[1], 300*time.Millisecond)
		require.Less(t, s.at[1], 400*time.Millisecond)
	})
}

func TestWaitBeyondDeadlineFailsImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{replies: replies{refuses(http.StatusTooManyRequests, CodeQuotaExceeded, "Retry-After", "3600")}}
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		_, err := s.post(ctx, t)

		require.Zero(t, time.Since(start), "it gives up at once")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.True(t, HasCode(err, CodeQuotaExceeded))
		require.False(t, OutcomeUnknown(err), "a quota is looked at before anything is done")
	})
}

func TestCancellationEndsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{replies: replies{lost}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)

		_, err := s.post(ctx, t)

		require.ErrorIs(t, err, context.Canceled)
		require.True(t, OutcomeUnknown(err))
		require.Len(t, s.keys, 1)
	})
}

func TestFinalReplyIsNotRetried(t *testing.T) {
	for status, code := range map[int]Code{
		http.StatusBadRequest: CodeMalformedRequest, http.StatusUnauthorized: CodeUnauthenticated, http.StatusForbidden: CodeForbidden,
		http.StatusNotFound: CodeNotFound, http.StatusConflict: CodePayloadMismatch, http.StatusPreconditionFailed: CodeVersionConflict,
		http.StatusUnprocessableEntity: CodeIdempotencyKeyReused, http.StatusLocked: CodeResourceLocked, http.StatusInternalServerError: CodeInternal,
	} {
		t.Run(string(code), func(t *testing.T) {
			s := &script{replies: replies{refuses(status, code, "Retry-After", "1")}}
			_, err := s.post(t.Context(), t)
			require.True(t, HasCode(err, code), "%v", err)
			require.False(t, OutcomeUnknown(err))
			require.Len(t, s.keys, 1)
		})
	}
}

// Proves G3.16.
func TestUnknownOutcomeIsReportedExactly(t *testing.T) {
	for name, c := range map[string]struct {
		replies replies
		unknown bool
	}{
		"no reply ever":                                     {replies{lost, lost, lost, lost}, true},
		"no connection ever":                                {replies{unreached, unreached, unreached, unreached}, false},
		"one reply lost, then no connection":                {replies{lost, unreached, unreached, unreached}, true},
		"the service was away throughout":                   {replies{away, away, away, away}, false},
		"a reply lost, then the service was away":           {replies{lost, away, away, away}, true},
		"the service itself does not know":                  {replies{unsure, unsure, unsure, unsure}, true},
		"not known first, still running then":               {replies{unsure, busy, busy, busy}, true},
		"a reply lost, and the token was revoked":           {replies{lost, forbids}, true},
		"a reply lost, and then it is refused for good":     {replies{lost, refuses(http.StatusConflict, CodeInsufficientBalance)}, false},
		"a reply lost, and nobody had the lock":             {replies{lost, refuses(http.StatusLocked, CodeResourceLocked)}, false},
		"something in between lost the reply":               {replies{gateway}, true},
		"a reply lost, then a proxy without the service":    {replies{lost, says(http.StatusNotFound, "<html>")}, true},
		"another attempt under the key has it all the time": {replies{busy, busy, busy, busy}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{replies: c.replies}
				_, err := s.post(t.Context(), t, Key("k"))
				require.Error(t, err)
				require.Equal(t, c.unknown, OutcomeUnknown(err), "%v", err)
				require.Len(t, s.keys, len(c.replies), "each attempt is made and no other")
				var gaveUp *GaveUp
				if errors.As(err, &gaveUp) {
					require.Equal(t, "k", gaveUp.Key)
					require.Equal(t, len(c.replies), gaveUp.Attempts)
				}
			})
		})
	}
}

// What was sent and not answered is about a ticket also when a later attempt did not get
// as far as the service.
// Proves G3.16.
func TestLostPurchaseIsFoundByTicket(t *testing.T) {
	unknown := says(http.StatusServiceUnavailable, `{"code":"outcome_unknown","detail":"?","ticket":"T-1"}`)
	for name, c := range map[string]struct {
		replies replies
		ticket  string
	}{
		"the service does not know":                         {replies{unknown, unknown, unknown, unknown}, "T-1"},
		"it did not know, and then the replies were lost":   {replies{unknown, lost, lost, lost}, "T-1"},
		"it did not know, and then there was no connection": {replies{unknown, unreached, unreached, unreached}, "T-1"},
		"it did not know, and then it was away":             {replies{unknown, away, away, away}, "T-1"},
		"it did not know, and the token was revoked":        {replies{unknown, forbids}, "T-1"},
		"nobody was ever reached":                           {replies{unreached, unreached, unreached, unreached}, ""},
		"the customer has all that one may have": {replies{
			says(http.StatusConflict, `{"code":"limit_reached","detail":"no","ticket":"T-2","held":2,"perUserLimit":2}`),
		}, "T-2"},
		"it did not know, and by then the customer has all that one may have": {replies{
			unknown, says(http.StatusConflict, `{"code":"limit_reached","detail":"no","ticket":"T-2","held":2,"perUserLimit":2}`),
		}, "T-2"},
		"it is sold out":               {replies{refuses(http.StatusConflict, CodeSoldOut)}, ""},
		"something in between answers": {replies{gateway}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{replies: c.replies}
				_, err := s.client(t).FlashSales.BuyIn(t.Context(), 5, FlashSalePurchase{Quantity: 1})
				require.Error(t, err)
				require.Equal(t, c.ticket, TicketOf(err), "%v", err)
			})
		})
	}
	require.Empty(t, TicketOf(nil))
	require.Empty(t, TicketOf(errors.New("no reply")))
}

func TestReadsAreRetriedWithoutOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{replies: replies{lost, lost, lost, lost}}
		_, err := s.client(t).Wallets.Get(t.Context(), "12")
		require.Error(t, err)
		require.False(t, OutcomeUnknown(err))
		require.Equal(t, []string{"", "", "", ""}, s.keys)
	})
}

func TestRetriedDeletionOfDeletedResourceSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := refuses(http.StatusNotFound, CodeNotFound)
		item := Item{SKU: "TEA", Stamp: Stamp{ETag: `"1-1"`}}
		require.NoError(t, (&script{replies: replies{lost, gone}}).client(t).Items.Delete(t.Context(), item))
		err := (&script{replies: replies{gone}}).client(t).Items.Delete(t.Context(), item)
		require.True(t, HasCode(err, CodeNotFound), "nobody deleted it for us")
	})
}

func TestTooLargeReplyReturnsReplyNotStored(t *testing.T) {
	s := &script{replies: replies{says(http.StatusOK, "", "X-Idempotency-Replay", "true", "Location", "/api/v1/items/TEA")}}
	_, err := s.post(t.Context(), t)
	var notKept *ReplyNotStored
	require.ErrorAs(t, err, &notKept)
	require.Equal(t, "/api/v1/items/TEA", notKept.Location)
}

func TestMissingHostOrTokenIsRejected(t *testing.T) {
	for _, address := range []string{"", "service", "ftp://service", "http://"} {
		_, err := New(address, "token")
		require.Error(t, err, address)
	}
	_, err := New("http://service", "")
	require.Error(t, err)
}
