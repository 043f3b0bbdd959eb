// Package redisconn parses INTERLOCK_REDIS_URL and returns a client for every topology.
//
//	redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]
//	redis+sentinel://[USER:PASSWORD@]HOST[:PORT],…/MASTER[/DATABASE]
//	redis+cluster://[USER:PASSWORD@]HOST[:PORT],…
//
// With ?password_file=FILE the password is read from a file for each connection, so that it can
// change without a restart.
//
// With rediss in place of redis every connection, also to Sentinels, uses TLS and the
// certificate must be valid for the host. User and password are those of the data nodes;
// separate credentials for Sentinels are ?sentinel_username=…&sentinel_password=….
//
// Invariants:
//
//   - The client never retries a command after a lost reply, on any topology. (A cluster
//     redirection is different: the first node did nothing. Pipelines on a cluster are the
//     exception: go-redis retries them, so commands that must not run twice are never
//     pipelined.)
//   - A command ends with its context, and after a few seconds without one.
//   - No error and no description contains a password.
//
// A script must use one key, or keys that share a {hash tag}; a cluster rejects others. Key
// names start with Keys, channel names with Channels.
package redisconn

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"interlock/internal/base/expiry"
	"interlock/internal/base/secretfile"
)

// Topology is the deployment type of the servers behind a URL.
type Topology string

// The topologies.
const (
	Single   Topology = "single"
	Sentinel Topology = "sentinel"
	Cluster  Topology = "cluster"
)

// Target is a parsed URL.
type Target struct {
	Topology Topology
	// Addrs are the server, the Sentinels, or some nodes of the cluster.
	Addrs []string
	// Master is the name of the master in Sentinel.
	Master string
	// Database is the number of the logical database, 0 in a cluster.
	Database int

	tls                                bool
	username, password                 string
	sentinelUsername, sentinelPassword string
	// passwordFile is the file that contains the password; "" if the URL contains it. It is read
	// for each connection.
	passwordFile string
	certificate  *expiry.Seen
}

var topologies = map[string]Topology{
	"redis": Single, "rediss": Single,
	"redis+sentinel": Sentinel, "rediss+sentinel": Sentinel,
	"redis+cluster": Cluster, "rediss+cluster": Cluster,
}

const (
	serverPort   = "6379"
	sentinelPort = "26379"
)

// errShape describes the accepted forms. It does not quote the input, which may contain a
// password.
var errShape = errors.New("want redis://HOST:PORT/0, redis+sentinel://HOST:PORT,HOST:PORT/MASTER/0 or redis+cluster://HOST:PORT,HOST:PORT (rediss for TLS)")

// Parse parses a URL.
func Parse(text string) (Target, error) {
	scheme, rest, found := strings.Cut(text, "://")
	topology, known := topologies[scheme]
	if !found || !known {
		return Target{}, errShape
	}
	t := Target{Topology: topology, tls: strings.HasPrefix(scheme, "rediss"), certificate: &expiry.Seen{}}
	authority, tail := rest, ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority, tail = rest[:end], rest[end:]
	}
	credentials, hosts := "", authority
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		credentials, hosts = authority[:at+1], authority[at+1:]
	}
	if err := t.readAddrs(hosts); err != nil {
		return Target{}, err
	}
	// net/url cannot parse a list of hosts, so Parse passes it a URL with a placeholder host.
	u, err := url.Parse(scheme + "://" + credentials + "host" + tail)
	if err != nil || u.Fragment != "" {
		return Target{}, errShape
	}
	t.username = u.User.Username()
	t.password, _ = u.User.Password()
	if err := t.readPath(u.Path); err != nil {
		return Target{}, err
	}
	return t, t.readQuery(u.Query())
}

func (t *Target) readAddrs(hosts string) error {
	port := serverPort
	if t.Topology == Sentinel {
		port = sentinelPort
	}
	for addr := range strings.SplitSeq(hosts, ",") {
		u, err := url.Parse("redis://" + addr)
		if err != nil || u.Hostname() == "" || u.Host != addr {
			return errShape
		}
		t.Addrs = append(t.Addrs, net.JoinHostPort(u.Hostname(), orElse(u.Port(), port)))
	}
	if t.Topology == Single && len(t.Addrs) > 1 {
		return errors.New("several hosts need redis+sentinel:// or redis+cluster://")
	}
	return nil
}

// readPath parses [/MASTER][/DATABASE].
func (t *Target) readPath(path string) error {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if t.Topology == Sentinel {
		if t.Master = parts[0]; t.Master == "" {
			return errors.New("redis+sentinel:// needs the master's name after the hosts, as in redis+sentinel://HOST:PORT/mymaster")
		}
		parts = parts[1:]
	}
	if len(parts) == 0 || (len(parts) == 1 && parts[0] == "") {
		return nil
	}
	database, err := strconv.Atoi(parts[0])
	if err != nil || database < 0 || len(parts) > 1 {
		return errors.New("the database in the Redis URL must be one number, such as /0")
	}
	if t.Topology == Cluster && database != 0 {
		return errors.New("a Redis Cluster has database 0 only")
	}
	t.Database = database
	return nil
}

func (t *Target) readQuery(query url.Values) error {
	for name, values := range query {
		switch {
		case t.Topology == Sentinel && name == "sentinel_username":
			t.sentinelUsername = values[0]
		case t.Topology == Sentinel && name == "sentinel_password":
			t.sentinelPassword = values[0]
		case name == "password_file" && t.password == "":
			if _, err := secretfile.Read(values[0]); err != nil {
				return fmt.Errorf("the password of Redis: %w", err)
			}
			t.passwordFile = values[0]
		default:
			return fmt.Errorf("the Redis URL has an unknown parameter %q", name)
		}
	}
	return nil
}

// CertificateEnd returns the expiry of the certificate that a server presented most recently; the
// zero time without TLS.
func (t Target) CertificateEnd() time.Time { return t.certificate.End() }

// String describes the target without its passwords.
func (t Target) String() string {
	text := strings.Join(t.Addrs, ",")
	switch t.Topology {
	case Sentinel:
		return fmt.Sprintf("%s (Sentinels of %s)", text, t.Master)
	case Cluster:
		return text + " (cluster)"
	}
	return text
}

// Keys returns the prefix of a port's key names. All replicas of an installation share it;
// another installation must use another database or server.
func (t Target) Keys(port string) string { return "interlock:" + port + ":" }

// Channels returns the prefix of a port's channel names. All databases of a server share
// the channels, so the prefix contains the number of the database.
func (t Target) Channels(port string) string {
	return fmt.Sprintf("interlock:%d:%s:", t.Database, port)
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
