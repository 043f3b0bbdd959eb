package main

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/app"
	"interlock/internal/settings"
	"interlock/internal/views/engines"
)

type doctorCommand struct {
	settings.Storage `embed:""`
	RedisURL         string `help:"redis://…, redis+sentinel://… or redis+cluster://… to look at as well." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
}

// Run prints what the doctor found, and fails when a promise does not hold.
func (c *doctorCommand) Run(ctx context.Context) error {
	healthy := true
	for _, finding := range app.Examine(ctx, c.Storage, c.RedisURL) {
		mark := "ok "
		if finding.Level != engines.OK {
			mark, healthy = "BAD", false
		}
		fmt.Printf("%s  %-40s %s\n", mark, finding.What(), finding.Says)
	}
	if !healthy {
		return errors.New("something needs your attention")
	}
	return nil
}
