// Package engines tries the service on the engines that scale out, run here as private
// processes: a Galera cluster of MariaDB servers, with one copy of the service at each, and
// behind HAProxy; and a Redis Cluster and Sentinels. Their servers are killed and stopped, their
// links cut, their disks filled and their clocks set wrong while clients write, read and buy. Run
// with `make engines`, which needs root; the results are in docs/engines.md.
package engines
