// Package catalog is a domain.
package catalog

import (
	"bytes"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"time"
)

type Item struct{ SKU string } // forbidden: revive

// Reprice breaks the rules of every package.
func Reprice(err error) time.Time {
	time.Sleep(time.Second)      // forbidden: forbidigo
	fmt.Println("repriced")      // forbidden: forbidigo
	fmt.Printf("%v", err)        // forbidden: forbidigo
	bytes.NewBuffer(nil).Reset() // other methods are free
	os.Chdir("prices")           // forbidden: errcheck
	if err == sql.ErrNoRows {    // forbidden: errorlint
		panic("panics are free")
	}
	_ = time.Since(time.Unix(0, 0)) // forbidden: forbidigo
	return time.Now()               // forbidden: forbidigo
}

// Fetch leaks the body of the reply that it recieves. // forbidden: misspell
func Fetch() (int, error) {
	reply, err := http.Get("http://127.0.0.1") // forbidden: bodyclose
	if err != nil {
		return 0, err
	}
	return reply.StatusCode, nil
}

// Skus leaks the rows and forgets their error.
func Skus(db *sql.DB) (skus []string, err error) {
	rows, err := db.Query("SELECT sku FROM items") // forbidden: rowserrcheck sqlclosecheck
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var sku string
		if err := rows.Scan(&sku); err != nil {
			return nil, err
		}
		skus = append(skus, sku)
	}
	return skus, nil
}
