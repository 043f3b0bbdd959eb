// Mutants tests the tests: it breaks the program in one small way after the other, and
// fails if a test that must detect a break passes.
//
// Usage:
//
//	go run ./test/services -- go run ./test/mutants [-only TEXT] [-list]
//
// A mutant is one entry of a list in this package: a text of a file, its replacement, and
// the tests that must fail, by package. The tests run in the change tier, or in the nightly
// tier if the mutant names one that runs only there. The mutant is built as an overlay, so
// the tree does not change. First all of these tests run without a mutant and must pass. A
// mutant is caught if each of its tests fails; it is not caught if it does not compile, if
// its tests hang, or if its text is no longer in its file.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"
)

// all are the mutants, by what they break.
var all = slices.Concat(core, commits, locks, tenants, callers, grants, signOns, passkeys, votes, scheduled, money, placing, ofPayments, refunding, shipping, sendingBack, delivering, statuses, events, keys, sales, rates, limits, servers, clients, secrets, unlocked, inputs)

func main() {
	only := flag.String("only", "", "only mutants with this text in their name")
	list := flag.Bool("list", false, "say which mutants there are, and run none")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *only, *list); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, only string, list bool) error {
	chosen := slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return !strings.Contains(m.name, only) })
	if len(chosen) == 0 {
		return fmt.Errorf("no mutant has %q in its name", only)
	}
	if list {
		for _, m := range chosen {
			fmt.Fprintln(out, m.name)
		}
		return nil
	}
	tree, err := openTree()
	if err != nil {
		return err
	}
	defer tree.close()
	if err := tree.control(ctx, chosen); err != nil {
		return fmt.Errorf("without any mutant: %w", err)
	}
	alive := tree.judge(ctx, chosen, out)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(alive) > 0 {
		return fmt.Errorf("%d of %d were not caught: %s", len(alive), len(chosen), strings.Join(alive, "; "))
	}
	fmt.Fprintf(out, "all %d were caught\n", len(chosen))
	return nil
}

// atOnce is the number of mutants that are built and tested concurrently: a build needs the
// processors, while tests mostly wait.
const atOnce = 2

// judge runs the tests of each mutant, prints its verdict, and returns the names of the
// mutants that were not caught.
func (t *tree) judge(ctx context.Context, mutants []mutant, out io.Writer) (alive []string) {
	var said sync.Mutex
	ended := 0
	judge := func(m mutant) {
		start := time.Now()
		verdict := t.verdict(ctx, m)
		said.Lock()
		defer said.Unlock()
		if ctx.Err() != nil {
			return
		}
		ended++
		fmt.Fprintf(out, "%3d/%d  %4.0f s  %-9s %s\n", ended, len(mutants), time.Since(start).Seconds(), verdict.is, m.name)
		if verdict.is != caught {
			alive = append(alive, m.name)
			fmt.Fprintf(out, "    %s\n", strings.ReplaceAll(strings.TrimSpace(verdict.why), "\n", "\n    "))
		}
	}
	waiting := make(chan mutant, len(mutants))
	for _, m := range mutants {
		waiting <- m
	}
	close(waiting)
	var working sync.WaitGroup
	for range atOnce {
		working.Go(func() {
			for m := range waiting {
				if ctx.Err() == nil {
					judge(m)
				}
			}
		})
	}
	working.Wait()
	return alive
}
