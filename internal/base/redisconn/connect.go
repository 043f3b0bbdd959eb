package redisconn

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	dialTimeout = 2 * time.Second
	// linkTimeout bounds one read or write; commands of this program are short.
	linkTimeout = 3 * time.Second
	// poolTimeout bounds the wait for a connection.
	poolTimeout = 3 * time.Second
	// poolSize is per server or node. A connection carries some 10,000 commands a
	// second, so waiting for one is cheaper than having many.
	poolSize     = 32
	idleLifetime = 5 * time.Minute
)

// Connect returns a client; nothing is dialled before its first command.
func (t Target) Connect() redis.UniversalClient {
	options := &redis.UniversalOptions{
		Addrs: t.Addrs, MasterName: t.Master, IsClusterMode: t.Topology == Cluster, DB: t.Database,
		Username: t.username, Password: t.password,
		SentinelUsername: t.sentinelUsername, SentinelPassword: t.sentinelPassword,
		MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true,
		DialTimeout: dialTimeout, ReadTimeout: linkTimeout, WriteTimeout: linkTimeout,
		PoolSize: poolSize, PoolTimeout: poolTimeout, PipelinePoolSize: -1, ConnMaxIdleTime: idleLifetime,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if t.tls {
		// Without a name the dialler checks that of the address it dials.
		options.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	client := redis.NewUniversalClient(options)
	if cluster, ok := client.(*redis.ClusterClient); ok {
		cluster.OnNewNode(func(node *redis.Client) { node.AddHook(nodeHook{cluster}) })
	}
	return client
}

// nodeHook sees what becomes of the commands that a cluster client sends to its nodes.
//
// It keeps the client from sending a command again whose reply was lost. The client would do
// so after a closed connection or a time-out, by the type of the error, so the error is
// passed on as text.
//
// A node that does not answer may have lost its place to a replica. The client learns that
// from a node which is asked for a key that is not its own, and otherwise from its look at
// the cluster's map once a minute; until then it would go on asking the dead one. So it looks
// again, at most five times a second.
type nodeHook struct{ cluster *redis.ClusterClient }

// DialHook implements redis.Hook.
func (h nodeHook) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := next(ctx, network, addr)
		if err != nil {
			h.cluster.ReloadState(ctx)
		}
		return conn, err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (h nodeHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		if MayHaveRun(err) {
			h.cluster.ReloadState(ctx)
		}
		return err
	}
}

// ProcessHook implements redis.Hook.
func (h nodeHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if !MayHaveRun(err) {
			return err
		}
		h.cluster.ReloadState(ctx)
		if ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("%w: %s", ErrReplyLost, err.Error())
	}
}

// ErrReplyLost means that a node of a cluster was sent a command and did not
// answer: it may or may not have run.
var ErrReplyLost = errors.New("the reply of Redis was lost")

// MayHaveRun reports whether a command that failed with err may have run on the server all
// the same: it was sent, and the server did not say that it refused it.
func MayHaveRun(err error) bool { return err != nil && !Refused(err) && !neverSent(err) }

// Refused reports whether err is what the server itself replied. Every other error is of the
// way to the server: it passes, and leaves open whether the command ran, see MayHaveRun.
func Refused(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply)
}

func neverSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial" || errors.Is(err, redis.ErrClosed) ||
		errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted)
}

// NodeOf returns the client of the one server that is responsible for key: in a
// cluster its master, elsewhere client itself.
//
// What is published by it arrives everywhere in order. The cluster client would
// publish through any node, and two messages that take different ways can overtake
// each other.
func NodeOf(ctx context.Context, client redis.UniversalClient, key string) (redis.UniversalClient, error) {
	cluster, ok := client.(*redis.ClusterClient)
	if !ok {
		return client, nil
	}
	node, err := cluster.MasterForKey(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("find the node of %q: %w", key, err)
	}
	return node, nil
}
