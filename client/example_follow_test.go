package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"interlock/client"
	"interlock/test/apptest"
)

// follow returns the number of attempts, which follows a config of the service. stateFile is the path
// of a file in a folder that survives a restart of the program.
func follow(ctx context.Context, c *client.Client, stateFile string) *client.Followed[int] {
	const fallback = 1
	return client.Follow(ctx, c.Configs, "checkout.retries", fallback, client.FollowOptions{
		File:         stateFile,
		WatchOptions: client.WatchOptions{OnError: func(err error) { log.Print("configs: ", err) }},
	})
}

// A program follows a config.
func Example_follow() {
	url, token := apptest.Example()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	c, err := client.New(url, token)
	if err != nil {
		log.Fatal(err)
	}
	cfg := retries(ctx, c)
	folder, err := os.MkdirTemp("", "follow")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)

	attempts := follow(ctx, c, filepath.Join(folder, "retries"))
	defer attempts.Close()
	if err := attempts.Ready(ctx); err != nil {
		log.Print("start with the stored or fallback value: ", err)
	}
	fmt.Println("attempts:", attempts.Get())

	cfg.Value = json.RawMessage(`5`)
	if err := c.Configs.Save(ctx, &cfg); err != nil {
		log.Fatal(err)
	}
	var last client.Current[int]
	for last = range attempts.Updates(ctx) {
		if last.Value == 5 {
			break
		}
	}
	fmt.Printf("attempts: %d, version %d\n", last.Value, last.Configs[0].Version)
	// Output:
	// attempts: 3
	// attempts: 5, version 2
}

// Limits are followed as one value, so that a batch changes all of them together.
type limits struct{ Low, High int }

// defaults are the limits without configs.
var defaults = limits{Low: 0, High: 10}

// decodeLimits converts the configs with the prefix "limits.".
func decodeLimits(configs []client.Config) (limits, error) {
	l := defaults
	members := map[string]*int{"limits.low": &l.Low, "limits.high": &l.High}
	for _, c := range configs {
		if member := members[c.Key]; member != nil {
			if err := c.Decode(member); err != nil {
				return l, err
			}
		}
	}
	if l.Low > l.High {
		return l, errors.New("limits.low is above limits.high")
	}
	return l, nil
}

// A program follows several configs as one value.
func ExampleFollowPrefix() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	c := serve()
	if _, err := c.Configs.Create(ctx, client.ConfigCreate{Key: "limits.low", Value: json.RawMessage("1")}); err != nil {
		log.Fatal(err)
	}
	followed := client.FollowPrefix(ctx, c.Configs, "limits.", defaults, decodeLimits, client.FollowOptions{})
	defer followed.Close()
	if err := followed.Ready(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(followed.Get())
	// Output: {1 10}
}

// A program receives each state of the configs with a prefix.
func ExampleConfigs_Watch() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	c := serve()
	cfg := retries(ctx, c)

	for state, err := range c.Configs.Watch(ctx, "checkout.", client.WatchOptions{}) {
		if err != nil {
			log.Fatal(err) // the service rejects the token, or ctx ended
		}
		fmt.Println(strings.Join(state.Changed, " "), string(state.Items[0].Value))
		if cfg.Version == 2 {
			break
		}
		cfg.Value = json.RawMessage(`5`)
		if err := c.Configs.Save(ctx, &cfg); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// checkout.retries 3
	// checkout.retries 5
}
