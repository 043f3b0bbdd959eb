package telemetry

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/mq"
)

// queueMetrics are labelled by family: there are few families and many queues.
type queueMetrics struct {
	enqueued *prometheus.CounterVec
	settled  *prometheus.CounterVec
	returned *prometheus.CounterVec
}

func newQueueMetrics() queueMetrics {
	return queueMetrics{
		enqueued: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_queue_enqueued_total",
			Help: "Messages that this process enqueued, by family of queues.",
		}, []string{"family"}),
		settled: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_queue_settled_total",
			Help: "Messages that this process settled, by family of queues and outcome (done, retried, postponed, dead).",
		}, []string{"family", "outcome"}),
		returned: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_queue_crashed_total",
			Help: "Messages with a lease that expired before an acknowledgement, by family of queues.",
		}, []string{"family"}),
	}
}

func (m queueMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.enqueued, m.settled, m.returned}
}

// QueueObserver returns the observer for a broker.
func (m *Metrics) QueueObserver() mq.Observer {
	add := func(c *prometheus.CounterVec, n int, labels ...string) {
		if n > 0 {
			c.WithLabelValues(labels...).Add(float64(n))
		}
	}
	return mq.Observer{
		Enqueued: func(queue string, n int) { add(m.queues.enqueued, n, mq.Family(queue)) },
		Settled: func(queue string, t mq.OutcomeCounts) {
			family := mq.Family(queue)
			add(m.queues.settled, t.Done, family, "done")
			add(m.queues.settled, t.Retried, family, "retried")
			add(m.queues.settled, t.Postponed, family, "postponed")
			add(m.queues.settled, t.Dead, family, "dead")
		},
		Reaped: func(queue string, returned, dead int) {
			add(m.queues.returned, returned+dead, mq.Family(queue))
			add(m.queues.settled, dead, mq.Family(queue), "dead")
		},
	}
}

const (
	// queueScrapeLimit bounds the time that a scrape waits for the queues.
	queueScrapeLimit = 2 * time.Second
	// maxQueuesMeasured bounds the queues of one scrape. The queues with the highest numbers in
	// their names are measured: the numbers ascend with creation, and old queues are empty.
	maxQueuesMeasured = 200
)

// Queues provides the sizes of a broker's queues, summed by family, and the age of the oldest
// message. While the store is unavailable a scrape contains neither.
type Queues struct{ Broker mq.Broker }

// Collectors implements Measured.
func (q Queues) Collectors() []prometheus.Collector { return []prometheus.Collector{queueSizes(q)} }

var (
	queueDepth = prometheus.NewDesc("interlock_queue_messages", "Messages by family of queues and place (pending, claimed, delayed, dead).", []string{"family", "place"}, nil)
	queueAge   = prometheus.NewDesc("interlock_queue_oldest_seconds", "Age of the oldest pending message, by family of queues.", []string{"family"}, nil)
)

type queueSizes struct{ Broker mq.Broker }

// Describe implements prometheus.Collector.
func (queueSizes) Describe(ch chan<- *prometheus.Desc) {
	ch <- queueDepth
	ch <- queueAge
}

// Collect implements prometheus.Collector.
func (c queueSizes) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), queueScrapeLimit)
	defer cancel()
	sums, err := c.sums(ctx)
	if err != nil {
		return
	}
	for family, s := range sums {
		for place, n := range map[string]int64{"pending": s.Pending, "claimed": s.Claimed, "delayed": s.Delayed, "dead": s.Dead} {
			ch <- prometheus.MustNewConstMetric(queueDepth, prometheus.GaugeValue, float64(n), family, place)
		}
		ch <- prometheus.MustNewConstMetric(queueAge, prometheus.GaugeValue, s.OldestAge.Seconds(), family)
	}
}

func (c queueSizes) sums(ctx context.Context) (map[string]mq.Stats, error) {
	names, err := c.Broker.Names(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(b, a))
	})
	sums := make(map[string]mq.Stats)
	for _, name := range names[:min(len(names), maxQueuesMeasured)] {
		s, err := c.Broker.Queue(name).Stats(ctx)
		if err != nil {
			return nil, err
		}
		sum := sums[mq.Family(name)]
		sum.Pending += s.Pending
		sum.Claimed += s.Claimed
		sum.Delayed += s.Delayed
		sum.Dead += s.Dead
		sum.OldestAge = max(sum.OldestAge, s.OldestAge)
		sums[mq.Family(name)] = sum
	}
	return sums, nil
}
