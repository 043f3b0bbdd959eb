package main

import (
	"fmt"
	"io"
	"slices"
)

// series are a subject's measurements, one per round.
type series struct {
	free, rate, p99, jain []float64
}

func (s *series) add(free float64, c contention) {
	s.free = append(s.free, free)
	s.rate = append(s.rate, c.rate)
	s.p99 = append(s.p99, float64(c.p99.Microseconds())/1000)
	s.jain = append(s.jain, c.jain)
}

func printReport(w io.Writer, o options, subjects []subject, results []series) {
	fmt.Fprintf(w, "%d rounds of %s; free: %d workers; contended: %d on one lock; median (lowest–highest)\n\n",
		o.rounds, o.period, o.workers, o.contenders)
	fmt.Fprintf(w, "%-10s %28s %28s %28s %22s\n", "", "free, locks/s", "contended, locks/s", "contended, p99 wait in ms", "contended, Jain index")
	for i, s := range subjects {
		r := results[i]
		fmt.Fprintf(w, "%-10s %28s %28s %28s %22s\n", s.name, spread(r.free, "%.0f"), spread(r.rate, "%.0f"), spread(r.p99, "%.1f"), spread(r.jain, "%.3f"))
	}
	fmt.Fprintln(w, "\ninterlock ÷ the other, within each round")
	for i := 1; i < len(subjects); i++ {
		fmt.Fprintf(w, "%-10s %28s %28s %28s\n", subjects[i].name,
			spread(ratios(results[0].free, results[i].free), "%.2f"),
			spread(ratios(results[0].rate, results[i].rate), "%.2f"),
			spread(ratios(results[0].p99, results[i].p99), "%.4f"))
	}
}

func ratios(own, others []float64) []float64 {
	result := make([]float64, len(own))
	for i := range own {
		result[i] = own[i] / others[i]
	}
	return result
}

func spread(values []float64, format string) string {
	sorted := slices.Sorted(slices.Values(values))
	return fmt.Sprintf(format+" ("+format+"–"+format+")", sorted[len(sorted)/2], sorted[0], sorted[len(sorted)-1])
}
