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
	Export auditExport `cmd:"" help:"Write the audit log of a tenant to standard output, as JSON lines; the last line has the cursor to go on from."`
}

type auditExport struct {
	settings.Storage `embed:""`
	Tenant           string `arg:"" help:"Name of the tenant."`
	After            string `help:"Cursor of the export before. Default: from the first entry that is kept." placeholder:"CURSOR"`
}

// Run writes all entries that there are by now. Each part ends with a line that has a cursor, so
// what was written before an error need not be written again.
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
	if ctx, err = services.Access.InTenant(ctx, c.Tenant); err != nil {
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
