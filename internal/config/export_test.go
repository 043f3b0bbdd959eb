package config

import "context"

// Cache puts a row that another service made into the service's cache.
func (s *Service) Cache(ctx context.Context, c *Config) { s.cache.put(s.epoch(ctx), c) }

// View is the config's representation.
func (c *Config) View() any { return viewOf(c) }
