// Command gen writes api/openapi.yaml from api/base.yaml and the registered routes.
package main

import (
	"fmt"
	"os"

	"interlock/internal/app"
	"interlock/internal/edge/openapi"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen BASE OUTPUT")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(base, output string) error {
	text, err := os.ReadFile(base)
	if err != nil {
		return err
	}
	document, err := openapi.Document(text, app.Routes(), app.Enums(), "..", "interlock")
	if err != nil {
		return err
	}
	return os.WriteFile(output, document, 0o600)
}
