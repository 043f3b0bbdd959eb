// Package engines tries the service on the engines that scale out, run here as private
// processes on loopback: a Galera cluster of MariaDB servers, with one copy of the service
// at each, and behind HAProxy while its servers break; and a Redis Cluster and Sentinels whose
// masters are killed. Run with `make engines`; what was found is in docs/engines.md.
package engines
