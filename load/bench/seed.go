package main

import (
	"context"
	"fmt"
	"strings"
)

// configKey is the key of a worker's config of a subject (a, b, c).
func configKey(subject string, worker int) string {
	return fmt.Sprintf("bench.%s.%d", subject, worker)
}

// valueOf returns a value of 200 characters that depends on n, because an unchanged value
// would not be written.
func valueOf(n int) string {
	return fmt.Sprintf("%010d ", n) + strings.Repeat("setting ", 24)[:189]
}

// seed creates every worker's configs, and further ones for a realistic table size. It
// returns the ETag of each config by key.
func seed(ctx context.Context, s *service, o options) (map[string]string, error) {
	etags := map[string]string{}
	create := func(key string) error {
		etag, err := s.create(ctx, map[string]any{
			"key": key, "value": valueOf(0), "valueType": "string", "remark": "written by the bench",
		})
		etags[key] = etag
		return err
	}
	for i := range o.configs {
		if err := create(fmt.Sprintf("bench.other.%d", i)); err != nil {
			return nil, err
		}
	}
	for worker := range o.workers {
		for _, subject := range []string{"a", "b", "c"} {
			if err := create(configKey(subject, worker)); err != nil {
				return nil, err
			}
		}
	}
	return etags, nil
}
