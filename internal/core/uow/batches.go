package uow

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/base/principal"
)

// InBatches runs a job for one tenant after the other. For each tenant it calls batch, which
// processes at most limit rows and returns their number, until a batch processes fewer than limit.
// A failure for one tenant does not stop the others.
func InBatches(ctx context.Context, job string, tenants []int64, limit int, batch func(ctx context.Context, limit int) (int, error)) error {
	var failures []error
	for _, tenant := range tenants {
		ctx := principal.With(ctx, principal.System(tenant, job))
		for done := limit; done == limit; {
			var err error
			if done, err = batch(ctx, limit); err != nil {
				failures = append(failures, fmt.Errorf("%s of tenant %d: %w", job, tenant, err))
				break
			}
		}
	}
	return errors.Join(failures...)
}
