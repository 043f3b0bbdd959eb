package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// causalReads makes every statement on a Galera cluster wait until its server has applied all
// earlier commits of the cluster: 1 for reads and BEGIN, 2 for UPDATE and DELETE, 4 for INSERT and
// REPLACE. Without it, "not found" on another server proves nothing: the lookup of a lost COMMIT,
// and every read by a client, could see an older state. causalQuery reads the mask back, see
// fitSession.
const (
	CausalMask  = 7
	causalReads = "SET SESSION wsrep_sync_wait = 7"
	causalQuery = "SHOW VARIABLES LIKE 'wsrep_sync_wait'"
)

// IsolationLevel is required by units: after a lost race a transaction must read the
// committed rows.
const IsolationLevel = "READ-COMMITTED"

// IsCausal reports whether this value of wsrep_sync_wait makes reads causal.
func IsCausal(value string) bool {
	mask, err := strconv.Atoi(value)
	return err == nil && mask&CausalMask == CausalMask
}

// ErrUnfit means that a server, or a proxy in front of it, ignores required session
// settings. Nothing is read or written there, because the guarantees would not hold.
var ErrUnfit = errors.New("the server is not fit for the service")

func unfit(why string, values ...any) error {
	return &Error{Class: Unavailable, cause: fmt.Errorf("%w: "+why, append([]any{ErrUnfit}, values...)...)}
}

// fitSession makes reads causal on a server of a Galera cluster, and returns the server of
// the connection. Each connection is checked: a process outlives servers, and a name or a
// proxy may lead to another kind of server. fitSession reads the settings back, because a
// proxy may drop settings that it does not support. Errors: ErrUnfit.
func fitSession(ctx context.Context, over link) (server, error) {
	at, err := identify(ctx, over)
	if err != nil {
		return server{}, err
	}
	if at.isolation != "" && at.isolation != IsolationLevel {
		return server{}, unfit("its transactions are at %s although %s was requested: connect directly to the server, or configure the proxy to preserve session settings",
			at.isolation, IsolationLevel)
	}
	if !at.galera {
		return at, nil
	}
	if _, err := over.ExecContext(ctx, causalReads, nil); err != nil {
		return server{}, fmt.Errorf("make reads causal: %w", err)
	}
	is, err := valuesOf(ctx, over, causalQuery)
	if err != nil {
		return server{}, fmt.Errorf("check whether reads are causal: %w", err)
	}
	if !IsCausal(is["wsrep_sync_wait"]) {
		return server{}, unfit("it is one of a Galera cluster and has wsrep_sync_wait at %q although %d was requested, so that commits at another server could be missed: "+
			"connect to the server itself, or have the proxy before it leave the settings of sessions as they are", is["wsrep_sync_wait"], CausalMask)
	}
	return at, nil
}
