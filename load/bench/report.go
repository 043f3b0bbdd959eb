package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

const (
	// aim is the share of the raw unit's rate that a PATCH through the whole stack should reach.
	aim = 0.5
	// replayAim is the share of the rate of a GET from memory that a replay should reach.
	replayAim = 0.7
)

// checkStore compares what the store holds with the successes that were counted: no more, no less.
func checkStore(ctx context.Context, e *engine, subjects []*subject, units int, audited int64) error {
	const steps = "SELECT SUM(version - 1) FROM configs WHERE `key` LIKE "
	a, b, c := subjects[0].done, subjects[1].done, subjects[2].done
	for _, expected := range []struct {
		what, query string
		want        int64
	}{
		{"version increments by A", steps + "'bench.a.%'", a},
		{"version increments by B, with the edits that the patterns were taken from", steps + "'bench.b.%'", b + int64(units)},
		{"version increments by C", steps + "'bench.c.%'", c},
		{"audit rows", "SELECT COUNT(*) FROM audit_entries", audited + b + c},
		{"configs whose history is not one row a version", "SELECT COUNT(*) FROM configs c WHERE `key` NOT LIKE 'bench.a.%' AND" +
			" version <> (SELECT COUNT(*) FROM config_histories h WHERE h.config_id = c.id)", 0},
	} {
		got, err := e.count(ctx, expected.query)
		if err != nil {
			return fmt.Errorf("count %s: %w", expected.what, err)
		}
		if got != expected.want {
			return fmt.Errorf("%d %s, expected %d", got, expected.what, expected.want)
		}
	}
	return nil
}

// printReport prints the table, the ratios and everything needed to read them.
func printReport(ctx context.Context, out io.Writer, e *engine, o options, subjects []*subject, processes []process) error {
	settings, err := e.settings(ctx)
	if err != nil {
		return err
	}
	rows, err := e.count(ctx, "SELECT COUNT(*) FROM configs")
	if err != nil {
		return err
	}
	histories, err := e.count(ctx, "SELECT COUNT(*) FROM config_histories")
	if err != nil {
		return err
	}

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\n\tper second\tmin–max")
	for _, process := range processes {
		fmt.Fprintf(table, "\tµs CPU %s", process.name)
	}
	fmt.Fprintln(table)
	for _, subject := range subjects {
		fmt.Fprintf(table, "%s\t%s", subject.name, spread(subject.rates(), "%.0f\t%.0f–%.0f"))
		for i := range processes {
			fmt.Fprintf(table, "\t%.0f", median(subject.cpu(i)))
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}

	a, b, c := subjects[0].rates(), subjects[1].rates(), subjects[2].rates()
	share := ratios(c, b)
	replayed := ratios(subjects[4].rates(), subjects[3].rates())
	fmt.Fprintf(out, "\nC/B  %s  aim: at least %.2f, %s\n", spread(share, "%.2f (%.2f–%.2f)"), aim, verdict(median(share), aim))
	fmt.Fprintf(out, "E/D  %s  aim: at least %.2f, %s\n", spread(replayed, "%.2f (%.2f–%.2f)"), replayAim, verdict(median(replayed), replayAim))
	fmt.Fprintf(out, "B/A  %s\n", spread(ratios(b, a), "%.2f (%.2f–%.2f)"))
	fmt.Fprintf(out, "\nMedians of %d interleaved rounds of %s each, after one that warms up; ratios within a round; successes only.\n", o.rounds, o.period)
	fmt.Fprintf(out, "%d writers, each its own row and connection; values of %d bytes; %d configs, %d history rows at the end.\n", o.workers, len(valueOf(0)), rows, histories)
	fmt.Fprintf(out, "MariaDB %s. Pools: %d connections here, the service's default there.\n", settings, o.workers)
	fmt.Fprintf(out, "%d CPUs shared by MariaDB, Redis, the services and the generator.\n", runtime.NumCPU())
	return nil
}

// settings says what a commit of this engine is worth.
func (e *engine) settings(ctx context.Context) (string, error) {
	var version, method string
	var flush, binlog, buffer int64
	err := e.QueryRowContext(ctx, "SELECT VERSION(), @@innodb_flush_method, @@innodb_flush_log_at_trx_commit, @@log_bin, @@innodb_buffer_pool_size").
		Scan(&version, &method, &flush, &binlog, &buffer)
	return fmt.Sprintf("%s, innodb_flush_log_at_trx_commit=%d, innodb_flush_method=%s, log_bin=%d, buffer pool %d MiB",
		version, flush, method, binlog, buffer>>20), err
}

func (s *subject) rates() []float64 {
	var rates []float64
	for _, sample := range s.samples {
		rates = append(rates, sample.perSecond)
	}
	return rates
}

// cpu returns what the i-th process spent on one operation, by round.
func (s *subject) cpu(i int) []float64 {
	var spent []float64
	for _, sample := range s.samples {
		spent = append(spent, sample.cpuMicros[i])
	}
	return spent
}

func ratios(of, to []float64) []float64 {
	var result []float64
	for i := range of {
		result = append(result, of[i]/to[i])
	}
	return result
}

func verdict(share, aim float64) string {
	if share >= aim {
		return "reached"
	}
	return "MISSED"
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// spread formats median, minimum and maximum.
func spread(values []float64, format string) string {
	return strings.TrimSpace(fmt.Sprintf(format, median(values), slices.Min(values), slices.Max(values)))
}
