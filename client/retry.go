package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"
)

// exchange is an operation with its attempts.
type exchange struct {
	client   *Client
	request  request
	settings settings
	body     []byte

	attempts int
	// unknown is true after an attempt that may have had its effect, until a reply settles the
	// outcome.
	unknown bool
	// undecided is the last reply in which the service reported an unknown outcome, until a reply
	// settles it.
	undecided *Problem
}

func (x *exchange) String() string { return x.request.method + " " + x.request.path }

// run makes attempts until a reply settles the operation, the pauses are used up or the context
// ends.
func (x *exchange) run(ctx context.Context) (answer, error) {
	for {
		x.attempts++
		got, err := x.send(ctx)
		if err == nil && (got.status < http.StatusMultipleChoices || got.status == http.StatusNotModified) {
			return got, nil
		}
		problem, failure := x.judge(got, err)
		switch {
		case x.isDeleted(problem):
			return got, nil
		case problem != nil && !problem.isRetryable():
			if x.unknown {
				return answer{}, x.giveUp(failure)
			}
			return answer{}, failure
		case x.attempts > len(x.client.retryPauses):
			return answer{}, x.giveUp(failure)
		}
		if err := sleep(ctx, x.pause(failure)); err != nil {
			return answer{}, x.giveUp(errors.Join(failure, err))
		}
	}
}

// judge converts a failed attempt to an error and updates the known outcome. problem is nil without
// a reply.
func (x *exchange) judge(got answer, err error) (problem *Problem, failure error) {
	if err != nil {
		x.unknown = x.unknown || x.request.mutates() && !neverSent(err)
		return nil, fmt.Errorf("%s: %w", x, err)
	}
	problem, failure = problemOf(got)
	switch {
	case problem.decides():
		x.unknown, x.undecided = false, nil
	case problem.leavesUnknown():
		x.unknown = x.unknown || x.request.mutates()
		if problem.Code == CodeOutcomeUnknown {
			x.undecided = problem
		}
	}
	return problem, failure
}

// isDeleted reports whether a deletion found no resource after an attempt that may have deleted it.
// ETags are bound to the row, so another caller's resource cannot match.
func (x *exchange) isDeleted(problem *Problem) bool {
	return problem != nil && x.request.method == http.MethodDelete && x.attempts > 1 && problem.Code == CodeNotFound
}

func (x *exchange) giveUp(last error) error {
	return &GaveUp{Operation: x.String(), Key: x.settings.key, Attempts: x.attempts, OutcomeUnknown: x.unknown, Last: last, undecided: x.undecided}
}

// pause returns the time before the next attempt: the longer of the planned pause and the service's
// Retry-After, plus a random time of up to half the planned pause. The random time spreads clients
// that failed at the same time.
func (x *exchange) pause(failure error) time.Duration {
	planned := x.client.retryPauses[x.attempts-1]
	jitter := time.Duration(0)
	if planned > 1 {
		jitter = rand.N(planned / 2)
	}
	return max(planned, requestedPause(failure)) + jitter
}

// requestedPause returns the time that the service requested before the next attempt, in the reply
// or the stream that failed with err; 0 for none.
func requestedPause(err error) time.Duration {
	var problem *Problem
	var end *interrupted
	switch {
	case errors.As(err, &problem):
		return time.Duration(problem.RetryAfterMs) * time.Millisecond
	case errors.As(err, &end):
		return end.pause
	}
	return 0
}

// retryAfter parses both forms of the header (RFC 9110, section 10.2.3). A date is compared with
// the Date of the reply, so that clock differences do not matter.
func retryAfter(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	sent, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return max(0, until.Sub(sent))
}

// sleep waits, and fails immediately if the context's deadline is earlier.
func sleep(ctx context.Context, d time.Duration) error {
	waiting, stop := context.WithTimeout(ctx, d)
	defer stop()
	if deadline, bounded := ctx.Deadline(); bounded {
		if end, _ := waiting.Deadline(); !end.Before(deadline) {
			return context.DeadlineExceeded
		}
	}
	return wait(ctx, d)
}

// wait waits until the time has passed or the context ends.
func wait(ctx context.Context, d time.Duration) error {
	waiting, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-waiting.Done()
	return ctx.Err()
}

// neverSent reports whether an attempt failed before it had a connection.
func neverSent(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}
