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

// print prints the table and the ratios.
func (c *comparison) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\n%s\tper second\tmin–max", c.title)
	for _, process := range c.processes {
		fmt.Fprintf(table, "\tµs CPU %s", process.name)
	}
	fmt.Fprintln(table)
	for _, subject := range c.subjects {
		fmt.Fprintf(table, "%s\t%s", subject.name, spread(subject.rates(), "%.0f\t%.0f–%.0f"))
		for i := range c.processes {
			fmt.Fprintf(table, "\t%.0f", median(subject.cpu(i)))
		}
		fmt.Fprintln(table)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, r := range c.ratios {
		share := ratios(r.of.rates(), r.to.rates())
		fmt.Fprintf(out, "%s  %s", r.name, spread(share, "%.2f (%.2f–%.2f)"))
		if r.aim > 0 {
			fmt.Fprintf(out, "  aim: at least %.1f, %s", r.aim, verdict(median(share), r.aim))
		}
		fmt.Fprintln(out)
	}
	return nil
}

// printMachine prints the environment of the measurements.
func printMachine(ctx context.Context, out io.Writer, e *engine, o options) error {
	settings, err := e.settings(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nMedians of %d interleaved rounds of %s each, after one that warms up; ratios within a round; successes only.\n", o.rounds, o.period)
	fmt.Fprintf(out, "%d writers or connections; config values of %d bytes.\n", o.workers, len(valueOf(0)))
	fmt.Fprintf(out, "MariaDB %s. Redis appendonly yes, appendfsync everysec. Pools: the service's default.\n", settings)
	fmt.Fprintf(out, "%d CPUs shared by MariaDB, Redis, the services and the generator.\n", runtime.NumCPU())
	return nil
}

// settings describes the durability of a commit on this engine.
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

// cpu returns the CPU time of the i-th process per operation, by round.
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
