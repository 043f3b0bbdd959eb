// Package engines tries the service on the engines that scale out, run here as private
// processes on loopback: a Galera cluster of MariaDB servers with one copy of the service
// at each. Run with `make engines`; what was found is in docs/engines.md.
package engines
