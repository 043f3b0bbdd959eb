//go:build distributed

package storage

import (
	"context"

	"interlock/internal/base/storage/distributedtest"
)

// asEngine has a connection to MariaDB behave as one to a distributed engine.
func asEngine(ctx context.Context, made link) (link, error) { return distributedtest.Wrap(ctx, made) }
