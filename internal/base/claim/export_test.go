package claim

import "context"

// Server is one server's side of the row without its heartbeat, as a process that is
// paused or was killed leaves it.
type Server struct{ r *row }

// NewServer returns a server that has claimed nothing yet.
func NewServer(o Options) Server { return Server{newRow(o)} }

// Acquire claims and does not extend its lease.
func (s Server) Acquire(ctx context.Context) error { return s.r.acquire(ctx) }

// ExtendUntil extends the lease until stop, and returns why the claim was lost.
func (s Server) ExtendUntil(stop <-chan struct{}) error { return s.r.extendUntil(stop) }

// Held extends the lease once and reports whether the claim is still this server's.
func (s Server) Held(ctx context.Context) (bool, error) { return s.r.extend(ctx) }

// ProcessOf returns where a process of this machine runs, as it would say of itself.
func ProcessOf(pid int) (Process, error) {
	p := Self()
	p.PID = pid
	var err error
	p.Start, _, err = startOf(pid)
	return p, err
}
