package main

import (
	"context"
	"encoding"
	"fmt"
	"os"

	"interlock/internal/app"
	"interlock/internal/settings"
	"interlock/internal/views/audit"
)

type auditCommand struct {
	Export auditExport `cmd:"" help:"Write the audit log of a tenant to standard output, as JSON lines; the last line has the cursor to continue from."`
}

type auditExport struct {
	settings.Storage `embed:""`
	Tenant           string `arg:"" help:"Name of the tenant."`
	After            string `help:"Cursor at the end of an earlier export. Default: the first stored entry." placeholder:"CURSOR"`
}

// Run writes all entries that exist by then. Each part ends with a line that has a cursor, so that
// an export continues after an error without repeating lines.
func (c *auditExport) Run(ctx context.Context) error {
	var after *audit.Cursor
	if c.After != "" {
		after = new(audit.Cursor)
		if err := encoding.TextUnmarshaler(after).UnmarshalText([]byte(c.After)); err != nil {
			return fmt.Errorf("--after %w", err)
		}
	}
	services, err := app.Open(ctx, c.Storage, app.Options{WithoutKeys: true})
	if err != nil {
		return err
	}
	defer services.Close()
	if ctx, err = services.Access.Tenants.InTenant(ctx, c.Tenant); err != nil {
		return err
	}
	for more := true; more; {
		lines, end, err := services.Audit.Export(ctx, after)
		if err != nil {
			return err
		}
		if _, err := os.Stdout.Write(lines); err != nil {
			return err
		}
		after, more = &end.Cursor, end.More
	}
	return nil
}
