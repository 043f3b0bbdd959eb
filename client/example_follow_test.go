package client_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log"
	"net/http"
	"strings"
	"time"

	"interlock/client"
	"interlock/test/apptest"
)

// change is one server-sent event of GET /configs/watch.
type change struct{ name, id, data string }

// watch returns the changes of all configs after a revision; "" is the current one.
// It ends when the connection does.
func watch(ctx context.Context, address, token, after string) iter.Seq2[change, error] {
	return func(yield func(change, error) bool) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/api/v1/configs/watch", nil)
		if err != nil {
			yield(change{}, err)
			return
		}
		r.Header.Set("Authorization", "Bearer "+token)
		if after != "" {
			r.Header.Set("Last-Event-ID", after)
		}
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			yield(change{}, err)
			return
		}
		defer reply.Body.Close()
		if reply.StatusCode != http.StatusOK {
			yield(change{}, fmt.Errorf("watch configs: %s", reply.Status))
			return
		}
		var e change
		for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				e.name = value
			case "id":
				e.id = value
			case "data":
				e.data = value
			case "":
				if e.name != "" && !yield(e, nil) {
					return
				}
				e = change{}
			}
		}
	}
}

// follow calls use with the current version of a config and with later ones, until ctx ends.
func follow(ctx context.Context, c *client.Client, address, token, key string, use func(client.Config)) {
	last := ""
	for ctx.Err() == nil {
		for e, err := range watch(ctx, address, token, last) {
			if err == nil && e.name != "gone" && e.concerns(key) {
				var cfg client.Config
				if cfg, err = c.Configs.Get(ctx, key); err == nil {
					use(cfg)
				}
			}
			if err != nil {
				log.Print(err) // last is unchanged, so the change is delivered again
				break
			}
			if last = e.id; e.name == "gone" {
				last = "" // the log was truncated, or the database was restored
				break
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// concerns reports whether the config may have changed; the first event is "ready".
func (e change) concerns(key string) bool {
	var about struct {
		Key string `json:"key"`
	}
	return e.name == "ready" || json.Unmarshal([]byte(e.data), &about) == nil && about.Key == key
}

// A program follows a config and resumes after a lost connection.
func Example_follow() {
	url, token := apptest.Example()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	c, err := client.New(url, token)
	if err != nil {
		log.Fatal(err)
	}
	retries(ctx, c)

	follow(ctx, c, url, token, "checkout.retries", func(cfg client.Config) {
		fmt.Printf("version %d is %s\n", cfg.Version, cfg.Value)
		if cfg.Version > 1 {
			stop()
			return
		}
		cfg.Value = json.RawMessage(`5`)
		if err := c.Configs.Save(ctx, &cfg); err != nil {
			log.Fatal(err)
		}
	})
	// Output:
	// version 1 is 3
	// version 2 is 5
}
