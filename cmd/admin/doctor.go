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
	settings.Storage  `embed:""`
	RedisURL          string `help:"redis://…, redis+sentinel://… or redis+cluster://… to check too." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
	TLSCert           string `name:"tls-cert" help:"File with the certificate of the service, to check too." env:"INTERLOCK_TLS_CERT" placeholder:"FILE"`
	CustomerJWKSURL   string `name:"customer-jwks-url" help:"Address of the customers' public keys, to check its certificate too." env:"INTERLOCK_CUSTOMER_JWKS_URL" placeholder:"URL"`
	OIDCProviders     string `name:"oidc-providers" help:"Providers of single sign-on, to check their certificates too." env:"INTERLOCK_OIDC_PROVIDERS" placeholder:"JSON"`
	OIDCProvidersFile string `name:"oidc-providers-file" help:"File with this array instead." env:"INTERLOCK_OIDC_PROVIDERS_FILE" placeholder:"FILE"`
}

// Run prints the findings and fails if one needs attention.
func (c *doctorCommand) Run(ctx context.Context) error {
	healthy := true
	var certificates []string
	if c.TLSCert != "" {
		certificates = append(certificates, c.TLSCert)
	}
	providers, err := settings.Serve{OIDCProviders: c.OIDCProviders, OIDCProvidersFile: c.OIDCProvidersFile}.Providers()
	if err != nil {
		return err
	}
	findings := app.Examine(ctx, c.Storage, c.RedisURL, certificates...)
	findings = append(findings, app.ExamineAddress(ctx, "customer-keys", c.CustomerJWKSURL)...)
	for _, provider := range providers {
		findings = append(findings, app.ExamineAddress(ctx, "oidc "+provider.Name, provider.Issuer)...)
	}
	for _, finding := range findings {
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
