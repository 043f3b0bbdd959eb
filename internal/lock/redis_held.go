package lock

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/clock"
)

// Twice a second each process lists the keys that it has locked or waits for. If the list has
// changed, the process stores it as a report under a key per process. A report has the TTL of a
// lock and is renewed before it expires, so the report of a dead process expires automatically. A
// lock that is acquired and released between two checks costs no report, a long hold costs almost
// nothing, and Held works in a cluster.

// reported is the state of one key in a process.
type reported struct {
	Key string `json:"key"`
	// Held is false when the process only waits for the key; Owner and Age are zero then.
	Held    bool          `json:"held,omitempty"`
	Owner   string        `json:"owner,omitempty"`
	Age     time.Duration `json:"age,omitempty"`
	Waiters int           `json:"waiters,omitempty"`
	// since is when the process acquired the key. It distinguishes two holds of one owner.
	since time.Time
}

func (l *Redis) processesName() string            { return l.prefix + "processes" }
func (l *Redis) reportName(process string) string { return l.prefix + "held:" + process }

// localReport lists the keys that this process has locked or waits for, sorted by key.
func (l *Redis) localReport() []reported {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]reported, 0, len(l.queues))
	for key, q := range l.queues {
		r := reported{Key: key, Waiters: q.waiting.Len()}
		if front := q.front; front.held {
			r.Held, r.Owner, r.Age, r.since = true, front.lease.owner, clock.Since(front.since), front.since
		} else {
			r.Waiters++
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b reported) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// report stores this process's report for other processes, until ctx ends.
func (l *Redis) report(ctx context.Context) {
	ticker := time.NewTicker(l.pollEvery)
	defer ticker.Stop()
	var last written
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		list := l.localReport()
		if last.equals(list) && (len(list) == 0 || clock.Since(last.at) < l.ttl/2) {
			continue
		}
		// Reports are for display only; the next tick retries a failed one.
		if l.writeReport(ctx, list) == nil {
			last = written{list, clock.Mark()}
		}
	}
}

// written is the last stored report and its time.
type written struct {
	list []reported
	at   time.Time
}

// equals reports whether list equals the last report, ignoring ages. Both are sorted.
func (w written) equals(list []reported) bool {
	same := func(a, b reported) bool {
		a.Age, b.Age = 0, 0
		return a == b
	}
	return slices.EqualFunc(w.list, list, same)
}

func (l *Redis) writeReport(ctx context.Context, list []reported) error {
	ctx, cancel := context.WithTimeout(ctx, l.commandTimeout)
	defer cancel()
	if len(list) == 0 {
		return l.client.Del(ctx, l.reportName(l.process)).Err()
	}
	text, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("encode lock report: %w", err)
	}
	_, err = l.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.Set(ctx, l.reportName(l.process), text, l.ttl)
		// A process that finds no report removes the reporting process from the set.
		pipe.SAdd(ctx, l.processesName(), l.process)
		return nil
	})
	return err
}

// Held implements Locker. Errors: ErrUnavailable.
func (l *Redis) Held(ctx context.Context) ([]Holding, error) {
	all := l.localReport()
	processes, err := l.client.SMembers(ctx, l.processesName()).Result()
	if err != nil {
		return nil, fmt.Errorf("list processes with locks: %w: %w", ErrUnavailable, err)
	}
	for _, process := range processes {
		if process == l.process {
			continue
		}
		theirs, err := l.readReport(ctx, process)
		if err != nil {
			return nil, err
		}
		all = append(all, theirs...)
	}
	return mergeReports(all), nil
}

// readReport reads the report of another process. It removes a process without a report
// from the set; the process's next report adds it again.
func (l *Redis) readReport(ctx context.Context, process string) ([]reported, error) {
	var replies struct {
		text *redis.StringCmd
		left *redis.DurationCmd
	}
	_, err := l.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		replies.text, replies.left = pipe.Get(ctx, l.reportName(process)), pipe.PTTL(ctx, l.reportName(process))
		return nil
	})
	if errors.Is(err, redis.Nil) {
		err = l.client.SRem(ctx, l.processesName(), process).Err()
	}
	if err != nil {
		return nil, fmt.Errorf("read lock report of another process: %w: %w", ErrUnavailable, err)
	}
	var list []reported
	if text := replies.text.Val(); text != "" {
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			return nil, fmt.Errorf("read lock report of another process: %w", err)
		}
	}
	// The remaining TTL determines the age of the report, independent of the processes' clocks.
	for i := range list {
		if list[i].Held {
			list[i].Age += max(0, l.ttl-replies.left.Val())
		}
	}
	return list, nil
}

// mergeReports adds up the waiters of all processes per key. If two reports name a holder,
// because the older report is not renewed yet, the shorter hold counts.
func mergeReports(all []reported) []Holding {
	keys := make(map[string]*reported)
	for _, r := range all {
		key := keys[r.Key]
		if key == nil {
			keys[r.Key] = &r
			continue
		}
		key.Waiters += r.Waiters
		if r.Held && (!key.Held || r.Age < key.Age) {
			key.Held, key.Owner, key.Age = true, r.Owner, r.Age
		}
	}
	held := make([]Holding, 0, len(keys))
	for name, key := range keys {
		// A key without a holder is being passed to its next holder.
		if key.Held {
			held = append(held, Holding{Key: name, Owner: key.Owner, Age: key.Age, Waiters: key.Waiters})
		}
	}
	slices.SortFunc(held, func(a, b Holding) int { return cmp.Compare(a.Key, b.Key) })
	return held
}
