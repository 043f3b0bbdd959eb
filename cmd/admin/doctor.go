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
	RedisURL         string `help:"redis://…, redis+sentinel://… or redis+cluster://… to check too." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
	TLSCert          string `name:"tls-cert" help:"File with the certificate of the service, to check too." env:"INTERLOCK_TLS_CERT" placeholder:"FILE"`
}

// Run prints the findings and fails if one needs attention.
func (c *doctorCommand) Run(ctx context.Context) error {
	healthy := true
	var certificates []string
	if c.TLSCert != "" {
		certificates = append(certificates, c.TLSCert)
	}
	for _, finding := range app.Examine(ctx, c.Storage, c.RedisURL, certificates...) {
		mark := "ok "
		if finding.Level != engines.OK {
			mark, healthy = "BAD", false
		}
		fmt.Printf("%s  %-40s %s\n", mark, finding.What(), finding.Says)
	}
	if !healthy {
		return errors.New("a finding needs attention: see the lines with BAD")
	}
	return nil
}
