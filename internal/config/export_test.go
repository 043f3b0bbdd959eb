package config

// Remember makes the service remember a row that another one made.
func (s *Service) Remember(c *Config) { s.snapshots.keep(c) }
