// Command pocketbase is PocketBase with default settings and one publicly writable
// collection, for the comparison of `make bench-peers`:
//
//	pocketbase serve --dir FOLDER --http HOST:PORT
//
// It is a separate module, so that the service does not depend on it.
package main

import (
	"log"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
)

func main() {
	app := pocketbase.New()
	app.OnServe().BindFunc(func(serving *core.ServeEvent) error {
		if err := createSettings(serving.App); err != nil {
			return err
		}
		return serving.Next()
	})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

// createSettings creates the collection whose records have a key and a value.
func createSettings(app core.App) error {
	settings := core.NewBaseCollection("settings")
	anybody := ""
	settings.CreateRule, settings.UpdateRule, settings.ViewRule = &anybody, &anybody, &anybody
	settings.Fields.Add(
		&core.TextField{Name: "key", Required: true},
		&core.TextField{Name: "value"},
		&core.AutodateField{Name: "updated", OnCreate: true, OnUpdate: true},
	)
	settings.AddIndex("settings_by_key", true, "key", "")
	return app.Save(settings)
}
