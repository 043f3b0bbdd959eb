package config

import "context"

// Remember makes the service remember a row that another one made.
func (s *Service) Remember(ctx context.Context, c *Config) { s.snapshots.keep(s.epoch(ctx), c) }
