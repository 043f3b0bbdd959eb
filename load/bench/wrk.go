package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

//go:embed requests.lua
var requestsScript []byte

// volley is one kind of request that wrk repeats. The replies are counted from the
// service's metrics, so that wrk need not inspect them.
type volley struct {
	service *benchServer
	method  string
	path    string // below the API's base
	body    string
	headers []string
	// customers sign the requests, each a different one; nil uses the headers.
	customers *customers
	route     string // its label in the metrics, below the API's base
	status    string // of every reply
}

// wrkSlack is the extra time for wrk to end after its period.
const wrkSlack = 20 * time.Second

var errNoWrk = errors.New("wrk is not installed: run it with `make bench`")

// load creates the tokens for one period and returns their file, "" without customers.
func (v *volley) load(period time.Duration) (tokens string, err error) {
	if v.customers == nil {
		return "", nil
	}
	tokens = filepath.Join(v.service.home, "tokens")
	return tokens, v.customers.write(tokens, period)
}

// fire sends requests for a period and returns the number of replies and the duration. Any
// other reply is an error. A request that wrk interrupted at its end may have been handled.
func (v *volley) fire(ctx context.Context, connections int, period time.Duration, tokens string) (int64, time.Duration, error) {
	before, err := v.service.settled(ctx, v.method, v.route)
	if err != nil {
		return 0, 0, err
	}
	answered, took, err := v.wrk(ctx, connections, period, tokens)
	if err != nil {
		return 0, 0, err
	}
	if v.customers != nil {
		v.customers.came(answered, took)
	}
	return answered, took, v.check(ctx, before, answered, int64(connections))
}

func (v *volley) wrk(ctx context.Context, connections int, period time.Duration, tokens string) (int64, time.Duration, error) {
	seconds := int(math.Ceil(period.Seconds()))
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second+wrkSlack)
	defer cancel()
	arguments := append([]string{
		"--threads", "1", "--connections", strconv.Itoa(connections), "--duration", strconv.Itoa(seconds) + "s", "--timeout", "10s",
		"--script", filepath.Join(v.service.home, "requests.lua"), "http://" + v.service.address,
		"--", v.method, base + v.path, v.body, tokens,
	}, v.headers...)
	said, err := exec.CommandContext(ctx, "wrk", arguments...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return 0, 0, errNoWrk
	}
	if err != nil {
		return 0, 0, fmt.Errorf("wrk: %w\n%s", err, said)
	}
	return parseWrk(string(said))
}

var wrkLine = regexp.MustCompile(`(?m)^bench: (\d+) (\d+) (\d+)$`)

func parseWrk(said string) (answered int64, took time.Duration, err error) {
	found := wrkLine.FindStringSubmatch(said)
	if found == nil {
		return 0, 0, fmt.Errorf("wrk said nothing that can be read: %s", said)
	}
	var numbers [3]int64
	for i := range numbers {
		if numbers[i], err = strconv.ParseInt(found[i+1], 10, 64); err != nil {
			return 0, 0, err
		}
	}
	if numbers[2] != 0 {
		return 0, 0, fmt.Errorf("%d connections failed: %s", numbers[2], said)
	}
	return numbers[0], time.Duration(numbers[1]) * time.Microsecond, nil
}

// gone is the status under which the service counts requests whose client disconnected.
const gone = "499"

// check compares the service's replies with wrk's count.
func (v *volley) check(ctx context.Context, before map[string]int64, answered, connections int64) error {
	after, err := v.service.settled(ctx, v.method, v.route)
	if err != nil {
		return err
	}
	for status, n := range after {
		n -= before[status]
		switch {
		case status == v.status && n >= answered && n <= answered+connections:
		case status == gone && n <= connections:
		case status == v.status || n != 0:
			return fmt.Errorf("%d replies of status %s to %d requests, expected status %s only", n, status, answered, v.status)
		}
	}
	return nil
}

// benchServer is the service with no-op routes, and with a Redis.
type benchServer struct {
	*service
}

func startBenchServer(ctx context.Context, o options, e *engine, r redisServer, secret string) (*benchServer, error) {
	s, err := launchProfiled(ctx, o,
		"INTERLOCK_DATABASE_URL="+e.serviceURL(), "INTERLOCK_REDIS_URL="+r.url, "INTERLOCK_CUSTOMER_JWT_SECRET="+secret)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(s.home, "requests.lua"), requestsScript, 0o600); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return &benchServer{s}, nil
}

// settled returns replies once no request is in flight.
func (s *benchServer) settled(ctx context.Context, method, route string) (map[string]int64, error) {
	for last := int64(-1); ; {
		found, err := s.replies(ctx, method, route)
		if err != nil {
			return nil, err
		}
		sum := int64(0)
		for _, n := range found {
			sum += n
		}
		if sum == last {
			return found, nil
		}
		last = sum
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

var counted = regexp.MustCompile(`^interlock_http_request_duration_seconds_count\{method="(\w+)",route="([^"]*)",status="(\d+)"\} (\S+)$`)

// replies returns the number of the service's replies on a route by status.
func (s *benchServer) replies(ctx context.Context, method, route string) (map[string]int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	found := map[string]int64{}
	lines := bufio.NewScanner(reply.Body)
	for lines.Scan() {
		match := counted.FindStringSubmatch(lines.Text())
		if match == nil || match[1] != method || match[2] != base+route {
			continue
		}
		n, err := strconv.ParseFloat(match[4], 64)
		if err != nil {
			return nil, err
		}
		found[match[3]] = int64(n)
	}
	return found, lines.Err()
}

// subject measures the volley. around, if any, is called before and returns a function to
// call afterwards.
func (v *volley) subject(o options, name string, around func(ctx context.Context) (func() error, error)) *subject {
	measured := &subject{name: name}
	measured.run = func(ctx context.Context, processes []process) (taken sample, err error) {
		if around != nil {
			after, err := around(ctx)
			if err != nil {
				return sample{}, err
			}
			defer func() { err = errors.Join(err, after()) }()
		}
		tokens, err := v.load(o.period)
		if err != nil {
			return sample{}, err
		}
		profileErr := v.service.profiled(ctx, o.profile, measured.letter(), o.period, func() {
			taken, err = timed(processes, func() (int64, time.Duration, error) { return v.fire(ctx, o.workers, o.period, tokens) })
		})
		return taken, errors.Join(err, profileErr)
	}
	return measured
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
