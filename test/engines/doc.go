// Package engines tests the service on engines that scale out, run here as private
// processes: a Galera cluster of MariaDB servers, with one copy of the service at each, and
// behind HAProxy; and a Redis Cluster and Sentinels. The tests kill and stop their servers,
// cut their links, fill their disks and set their clocks wrong while clients write, read
// and buy. Run with `make engines`, which needs root; the results are in docs/engines.md.
package engines
