package config

import (
	"context"

	"interlock/internal/base/principal"
)

// Cache puts a row that another service made into the service's cache.
func (s *Service) Cache(ctx context.Context, c *Config) { s.cache.put(s.epoch(ctx), c) }

// View is the config's representation to who may read everything.
func (c *Config) View() any {
	return viewOf(principal.With(context.Background(), principal.Principal{Permissions: []string{"*"}}), c)
}
