package uow

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/base/principal"
)

// InBatches has a job do its work for each tenant in turn, in batches of at most limit until
// one does less; batch returns how much it did. What fails for one tenant keeps no other from
// its turn.
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
