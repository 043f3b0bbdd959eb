package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// causalReads has every statement on a Galera cluster wait until its server has applied
// what was committed before it anywhere: 1 for reads and BEGIN, 2 for UPDATE and DELETE, 4
// for INSERT and REPLACE. Without it "not found" on another server says nothing: the
// look for a COMMIT whose reply was lost, and whatever a client reads back, would be
// answered of a moment before. CausalMask is read again, see fitSession.
const (
	CausalMask  = 7
	causalReads = "SET SESSION wsrep_sync_wait = 7"
	causalAsked = "SHOW VARIABLES LIKE 'wsrep_sync_wait'"
)

// IsolationLevel is what transactions of units rest on: what is read after a lost race is what
// is committed.
const IsolationLevel = "READ-COMMITTED"

// IsCausal reports whether a session whose wsrep_sync_wait has a value reads causally.
func IsCausal(value string) bool {
	mask, err := strconv.Atoi(value)
	return err == nil && mask&CausalMask == CausalMask
}

// ErrUnfit says that a server, or a proxy before it, does not do what the service asks of its
// sessions. Nothing is read or written there: a promise could not be kept.
var ErrUnfit = errors.New("the server is not fit for the service")

func unfit(why string, values ...any) error {
	return &Error{Class: Unavailable, cause: fmt.Errorf("%w: "+why, append([]any{ErrUnfit}, values...)...)}
}

// fitSession makes reads causal where the server is one of a Galera cluster, and returns whom
// the connection leads to. Each connection is asked: a process outlives the server that it was
// started at, and a name or a proxy may lead to another kind. It is not taken for granted that
// a session is as it was set: a proxy may drop what it does not know. Errors: ErrUnfit.
func fitSession(ctx context.Context, over link) (server, error) {
	at, err := identify(ctx, over)
	if err != nil {
		return server{}, err
	}
	if at.isolation != "" && at.isolation != IsolationLevel {
		return server{}, unfit("its transactions are at %s although %s was asked for: connect to the server itself, or have the proxy before it leave the settings of sessions as they are",
			at.isolation, IsolationLevel)
	}
	if !at.galera {
		return at, nil
	}
	if _, err := over.ExecContext(ctx, causalReads, nil); err != nil {
		return server{}, fmt.Errorf("make reads causal: %w", err)
	}
	is, err := valuesOf(ctx, over, causalAsked)
	if err != nil {
		return server{}, fmt.Errorf("ask whether reads are causal: %w", err)
	}
	if !IsCausal(is["wsrep_sync_wait"]) {
		return server{}, unfit("it is one of a Galera cluster and has wsrep_sync_wait at %q although %d was asked for, so that what was committed at another server could be missed: "+
			"connect to the server itself, or have the proxy before it leave the settings of sessions as they are", is["wsrep_sync_wait"], CausalMask)
	}
	return at, nil
}
