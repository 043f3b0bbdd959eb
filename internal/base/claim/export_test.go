package claim

import "context"

// Server is one server's access to the row without heartbeats, like a paused or killed
// process.
type Server struct{ r *row }

// NewServer returns a server that has claimed nothing yet.
func NewServer(o Options) Server { return Server{newRow(o)} }

// Acquire claims the database and does not extend the lease.
func (s Server) Acquire(ctx context.Context) error { return s.r.acquire(ctx) }

// ExtendUntil extends the lease until stop, and returns the reason of a loss.
func (s Server) ExtendUntil(stop <-chan struct{}) error { return s.r.extendUntil(stop) }

// Held extends the lease once and reports whether this server still has the claim.
func (s Server) Held(ctx context.Context) (bool, error) { return s.r.extend(ctx) }

// ProcessOf returns the identity of a process of this machine, as its Self would.
func ProcessOf(pid int) (Process, error) {
	p := Self()
	p.PID = pid
	var err error
	p.Start, _, err = startOf(pid)
	return p, err
}
