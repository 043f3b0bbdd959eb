//go:build distributed

package storage

import (
	"context"

	"interlock/internal/base/storage/distributedtest"
)

// asEngine makes a connection to MariaDB behave like one to a distributed engine.
func asEngine(ctx context.Context, made link) (link, error) { return distributedtest.Wrap(ctx, made) }
