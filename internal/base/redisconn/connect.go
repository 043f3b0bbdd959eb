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

	"interlock/internal/base/secretfile"
)

const (
	dialTimeout = 2 * time.Second
	// linkTimeout bounds one read or write; commands of this program are short.
	linkTimeout = 3 * time.Second
	// poolTimeout bounds the wait for a connection.
	poolTimeout = 3 * time.Second
	// poolSize is the number of connections per server or node. A connection carries some
	// 10,000 commands per second, so waiting for one is cheaper than having many.
	poolSize     = 32
	idleLifetime = 5 * time.Minute
)

// Connect returns a client; it connects at its first command.
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
		// Without a server name the dialler verifies the name of the address it connects
		// to.
		options.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, VerifyConnection: t.certificate.Note}
	}
	if t.passwordFile != "" {
		options.CredentialsProviderContext = func(context.Context) (string, string, error) {
			password, err := secretfile.Read(t.passwordFile)
			return t.username, password, err
		}
	}
	client := redis.NewUniversalClient(options)
	if cluster, ok := client.(*redis.ClusterClient); ok {
		cluster.OnNewNode(func(node *redis.Client) { node.AddHook(nodeHook{cluster}) })
	}
	return client
}

// nodeHook observes the commands that a cluster client sends to its nodes.
//
// It prevents the client from retrying a command without a reply. The client decides
// by the type of the error whether to retry after a closed connection or a time-out, so the
// hook passes the error on as text.
//
// A node that does not reply may have been replaced by a replica. The client learns that
// from a node that receives a key of another node, and otherwise when it reloads the
// cluster state once a minute; until then it would keep using the dead node. So the hook
// reloads the state, at most five times per second.
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

// ErrReplyLost means that a cluster node did not reply to a command, which may or may not
// have run.
var ErrReplyLost = errors.New("the reply of Redis was lost")

// MayHaveRun reports whether a command that failed with err may have run on the server: it
// was sent, and the server did not reject it.
func MayHaveRun(err error) bool { return err != nil && !Refused(err) && !neverSent(err) }

// Refused reports whether err is an error reply of the server to a command. All other
// errors are temporary errors of the connection; MayHaveRun reports whether the command may have
// run. NOAUTH and WRONGPASS are such errors: the password of the server was changed.
func Refused(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply) && !redis.IsAuthError(err)
}

func neverSent(err error) bool {
	var op *net.OpError
	return redis.IsAuthError(err) || errors.As(err, &op) && op.Op == "dial" || errors.Is(err, redis.ErrClosed) ||
		errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted)
}

// NodeOf returns the client of the server that is responsible for key: in a cluster its
// master, otherwise client itself.
//
// Messages published through it are delivered in order everywhere. The cluster client would
// publish through any node, and messages through different nodes can overtake each other.
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
