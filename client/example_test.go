package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"interlock/client"
	"interlock/test/apptest"
)

// serve returns a client of a program that was started for these examples.
func serve() *client.Client {
	url, token := apptest.Example()
	c, err := client.New(url, token)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// retries creates the config that the examples change.
func retries(ctx context.Context, c *client.Client) client.Config {
	cfg, err := c.Configs.Create(ctx, client.ConfigCreate{Key: "checkout.retries", Value: json.RawMessage(`3`)})
	if err != nil {
		log.Fatal(err)
	}
	return cfg
}

// Read, edit, save. Unchanged members are not sent, and the save is rejected if another writer was
// first.
func Example() {
	ctx, c := context.Background(), serve()
	retries(ctx, c)

	cfg, err := c.Configs.Get(ctx, "checkout.retries")
	if err != nil {
		log.Fatal(err)
	}
	cfg.Value = json.RawMessage(`5`)
	if err := c.Configs.Save(ctx, &cfg); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("version %d is %s\n", cfg.Version, cfg.Value)
	// Output: version 2 is 5
}

// A conflict contains the changes of both sides. Changes of different members are merged.
func ExampleConflict_Merge() {
	ctx, c := context.Background(), serve()
	mine := retries(ctx, c)
	theirs := mine

	theirs.Remark = "raised for the sale"
	if err := c.Configs.Save(ctx, &theirs); err != nil {
		log.Fatal(err)
	}
	mine.Value = json.RawMessage(`5`)
	err := c.Configs.Save(ctx, &mine)

	var conflict *client.Conflict
	if errors.As(err, &conflict) {
		fmt.Println("theirs:", conflict.TheirsOnly, "yours:", conflict.YoursOnly)
		if err := conflict.Merge(&mine); err != nil {
			log.Fatal(err) // both changed the same pointer: conflict.Conflicts
		}
		err = c.Configs.Save(ctx, &mine)
	}
	fmt.Println(mine.Version, string(mine.Value), mine.Remark, err)
	// Output:
	// theirs: [/remark] yours: [/value]
	// 3 5 raised for the sale <nil>
}

// The loser of a race receives the transitions that are possible now.
func ExampleTransitionRejected() {
	ctx, c := context.Background(), serve()
	campaign, err := c.Campaigns.Create(ctx, client.CampaignCreate{
		Name: "Spring", Kind: client.CampaignKindPercent, Value: 10, Total: 100, PerUser: 1,
		ValidFrom: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), ValidTo: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
	})
	if err != nil {
		log.Fatal(err)
	}
	issued, err := c.Campaigns.IssueCoupons(ctx, campaign.ID, client.IssueCoupons{Count: new(int64(1))})
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		_, err := c.Coupons.Redeem(ctx, issued.Codes[0], client.Redemption{UserID: "user-7"})
		var refused *client.TransitionRejected
		if errors.As(err, &refused) {
			fmt.Printf("it is %s by %s, allowed: %v\n", refused.CurrentStatus, refused.ChangedBy.Name, refused.AllowedTransitions)
		}
	}
	// Output: it is used by admin, allowed: []
}

// With a key of the caller, an operation can be called again with the same key.
func ExampleKey() {
	ctx, c := context.Background(), serve()
	posting := client.WalletPosting{Amount: 1990, Kind: "topup", Reference: "psp-7001"}
	for range 2 {
		var reply client.Reply
		entry, err := c.Wallets.EnterEntry(ctx, "user-12", posting, client.Key("psp-7001"), client.Into(&reply))
		if client.OutcomeUnknown(err) {
			log.Fatal("call it again under the same key: ", err)
		}
		fmt.Println(entry.Balance, reply.Replayed, err)
	}
	// Output:
	// 1990 false <nil>
	// 1990 true <nil>
}

// Entries of an outbox become events of an aggregate. Writer and sequence come from the outbox, so
// an entry that is applied again after a crash counts once.
func ExampleAppendEntry() {
	ctx, c := context.Background(), serve()
	directory, err := os.MkdirTemp("", "outbox")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	box, err := client.OpenOutbox[int64](filepath.Join(directory, "counts"))
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close()
	for i := range 3 {
		if err := box.Add(fmt.Sprintf("pallet-%d", i), int64(10*i)); err != nil {
			log.Fatal(err)
		}
	}
	at := time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	write := func(ctx context.Context, e client.Entry[int64]) error {
		event := client.NewLedgerEvent{EventID: &e.ID, EventType: "stored", EventTime: at, Deltas: map[string]int64{"pieces": e.Value}}
		for range 2 { // as after a crash
			if _, err := client.AppendEntry(ctx, c, e, "shelf", "A-17", event); err != nil {
				return err
			}
		}
		return nil
	}
	err = box.Drain(ctx, write)
	shelf, _ := c.Ledger.Get(ctx, "shelf", "A-17")
	fmt.Println("pending:", box.Pending(), "version:", shelf.Version, "pieces:", shelf.Counters["pieces"], err)
	// Output: pending: 0 version: 3 pieces: 30 <nil>
}

// A list is read page by page while it is ranged over.
func ExampleList_All() {
	ctx, c := context.Background(), serve()
	for i := range 5 {
		if _, err := c.Items.Create(ctx, client.ItemCreate{SKU: fmt.Sprintf("TEA-%d", i), Name: "Tea", Price: 1990}); err != nil {
			log.Fatal(err)
		}
	}
	for item, err := range c.Items.List(client.ItemFilter{Paging: client.Paging{Limit: 2, Sort: "-sku"}}).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(item.SKU, " ")
	}
	// Output: TEA-4 TEA-3 TEA-2 TEA-1 TEA-0
}

// Entries are stored first and sent afterwards. If a process ends in between, the next one sends
// the rest, and nothing is applied twice: keys and sequence come from the file.
func ExampleOutbox() {
	ctx, c := context.Background(), serve()
	directory, err := os.MkdirTemp("", "outbox")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "topups")

	box, err := client.OpenOutbox[client.WalletPosting](path)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		reference := fmt.Sprintf("psp-%d", i)
		if err := box.Add(reference, client.WalletPosting{Amount: 1000, Kind: "topup", Reference: reference}); err != nil {
			log.Fatal(err)
		}
	}
	post := func(ctx context.Context, e client.Entry[client.WalletPosting]) error {
		_, err := c.Wallets.EnterEntry(ctx, "user-12", e.Value, client.Key(e.Key()))
		return err
	}
	crash := errors.New("the machine loses power after the reply")
	_ = box.Drain(ctx, func(ctx context.Context, e client.Entry[client.WalletPosting]) error {
		return errors.Join(post(ctx, e), crash)
	})
	box.Close()

	if box, err = client.OpenOutbox[client.WalletPosting](path); err != nil {
		log.Fatal(err)
	}
	defer box.Close()
	fmt.Println("pending:", box.Pending())
	err = box.Drain(ctx, post)
	wallet, _ := c.Wallets.Get(ctx, "user-12")
	fmt.Println("pending:", box.Pending(), "balance:", wallet.Balance, err)
	// Output:
	// pending: 3
	// pending: 0 balance: 3000 <nil>
}
