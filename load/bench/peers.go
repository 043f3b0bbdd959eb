package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// etcdClients is the number of connections that the etcd writers share; a single one would
// be the bottleneck.
const etcdClients = 4

// benchPeers compares a config PATCH, whose unit is a version check, a history row and an
// audit row, with the write of one value elsewhere: a compare-and-swap of etcd, which
// stores earlier versions until they are compacted, and a record update of PocketBase,
// which checks no version and stores none. All write to the same disk. etcd, MariaDB and
// the embedded service sync it before they reply; PocketBase does not (synchronous=NORMAL,
// its default), so that a loss of power can lose acknowledged writes.
func benchPeers(ctx context.Context, o options, e *engine) (err error) {
	onMariaDB, err := startService(ctx, o, e.serviceURL())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, onMariaDB.stop()) }()
	embedded, err := startService(ctx, o, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, embedded.stop()) }()
	etcd, err := startEtcd(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, etcd.stop()) }()
	pocketBase, err := startPocketBase(ctx, o.peer)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pocketBase.stop()) }()

	edits, err := seededPatches(ctx, onMariaDB, o)
	if err != nil {
		return err
	}
	defer edits.close()
	embeddedEdits, err := seededPatches(ctx, embedded, o)
	if err != nil {
		return err
	}
	defer embeddedEdits.close()
	swaps, err := newSwaps(ctx, etcd, o.workers)
	if err != nil {
		return err
	}
	defer swaps.close()
	updates, err := newRecordUpdates(ctx, pocketBase, o.workers)
	if err != nil {
		return err
	}
	defer updates.close()

	m := onMariaDB.profiling(o, stepping("M  config PATCH, on MariaDB", o.workers, o.period, 1, edits.step))
	s := embedded.profiling(o, stepping("S  config PATCH, embedded", o.workers, o.period, 1, embeddedEdits.step))
	k := stepping("K  etcd compare-and-swap", o.workers, o.period, 1, swaps.step)
	p := stepping("P  PocketBase record update, not durable", o.workers, o.period, 1, updates.step)
	compared := &comparison{
		title: "writes of one value", subjects: []*subject{m, s, k, p},
		processes: []process{
			{"mariadbd", e.pid}, {"service", onMariaDB.pid()}, {"embedded", embedded.pid()}, {"etcd", etcd.pid()},
			{"PocketBase", pocketBase.pid()}, {"generator", os.Getpid()},
		},
		ratios: []ratio{{"M/K", m, k, 0.6}, {"S/K", s, k, 1}, {"S/P", s, p, 3}},
	}
	compared.only(o.rows)
	if err := compared.measure(ctx, o.rounds); err != nil {
		return err
	}
	for _, check := range []struct {
		of      *subject
		written func(context.Context) (int64, error)
	}{{m, edits.versions}, {s, embeddedEdits.versions}, {k, swaps.versions}} {
		if written, err := check.written(ctx); err != nil || written != check.of.done {
			return errors.Join(err, fmt.Errorf("%s: %d versions were made and %d acknowledged", check.of.name, written, check.of.done))
		}
	}
	return compared.print(os.Stdout)
}

// seededPatches returns senders of one config each, among other configs.
func seededPatches(ctx context.Context, s *service, o options) (*servicePatches, error) {
	etags, err := seed(ctx, s, o)
	if err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	return &servicePatches{newPatches(s, "c", etags, o.workers), s}, nil
}

// servicePatches are senders of edits with their service.
type servicePatches struct {
	senders
	service *service
}

// versions counts the versions made by edits.
func (p *servicePatches) versions(ctx context.Context) (made int64, err error) {
	for worker := range p.senders {
		config, _, err := p.service.ask(ctx, http.MethodGet, "/configs/"+configKey("c", worker), nil)
		if err != nil {
			return 0, err
		}
		version, _ := config["version"].(float64)
		made += int64(version) - 1
	}
	return made, nil
}

// startEtcd starts one member with default settings.
func startEtcd(ctx context.Context) (*server, error) {
	return startPeer(ctx, "etcd", "/health", func(s *server) []string {
		return []string{
			"--data-dir", filepath.Join(s.home, "data"), "--listen-client-urls", "http://" + s.address, "--advertise-client-urls", "http://" + s.address,
			"--listen-peer-urls", "http://127.0.0.1:0",
		}
	})
}

// startPocketBase starts it with a publicly writable collection (load/pocketbase).
func startPocketBase(ctx context.Context, program string) (*server, error) {
	return startPeer(ctx, program, "/api/health", func(s *server) []string {
		return []string{"serve", "--dir", filepath.Join(s.home, "data"), "--http", s.address}
	})
}

// startPeer starts a third-party server.
func startPeer(ctx context.Context, program, health string, arguments func(*server) []string) (*server, error) {
	s, err := newServer(filepath.Base(program))
	if err != nil {
		return nil, err
	}
	err = s.serve(nil, program, arguments(s)...)
	if err == nil {
		err = s.awaitReady(ctx, health)
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// swaps writes each worker's key if it still has the revision that the worker read last.
type swaps struct {
	clients   []*clientv3.Client
	revisions []int64
	edits     []int
}

func newSwaps(ctx context.Context, p *server, workers int) (*swaps, error) {
	s := &swaps{revisions: make([]int64, workers), edits: make([]int, workers)}
	for range etcdClients {
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{p.address}, DialTimeout: readyLimit})
		if err != nil {
			s.close()
			return nil, err
		}
		s.clients = append(s.clients, client)
	}
	for worker := range workers {
		put, err := s.clients[0].Put(ctx, configKey("k", worker), valueOf(0))
		if err != nil {
			s.close()
			return nil, err
		}
		s.revisions[worker] = put.Header.Revision
	}
	return s, nil
}

func (s *swaps) step(ctx context.Context, worker int) error {
	s.edits[worker]++
	key := configKey("k", worker)
	done, err := s.clients[worker%len(s.clients)].Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(key), "=", s.revisions[worker])).
		Then(clientv3.OpPut(key, valueOf(s.edits[worker]))).Commit()
	if err != nil {
		return err
	}
	if !done.Succeeded {
		return fmt.Errorf("%s has another revision than %d", key, s.revisions[worker])
	}
	s.revisions[worker] = done.Header.Revision
	return nil
}

// versions counts the versions made by swaps.
func (s *swaps) versions(ctx context.Context) (made int64, err error) {
	all, err := s.clients[0].Get(ctx, "bench.k.", clientv3.WithPrefix())
	if err != nil {
		return 0, err
	}
	for _, kept := range all.Kvs {
		made += kept.Version - 1
	}
	return made, nil
}

func (s *swaps) close() {
	for _, client := range s.clients {
		_ = client.Close()
	}
}

// newRecordUpdates creates a record for each worker and returns senders of their updates.
func newRecordUpdates(ctx context.Context, p *server, workers int) (senders, error) {
	const records = "/api/collections/settings/records"
	var edits senders
	for worker := range workers {
		body, err := json.Marshal(map[string]string{"key": configKey("p", worker), "value": valueOf(0)})
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+p.address+records, strings.NewReader(string(body)))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/json")
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, err
		}
		var made struct{ ID string }
		err = json.NewDecoder(reply.Body).Decode(&made)
		reply.Body.Close()
		if err != nil || made.ID == "" {
			return nil, errors.Join(err, fmt.Errorf("PocketBase made no record: %d", reply.StatusCode))
		}
		edits = append(edits, &sender{
			address: p.address, status: http.StatusOK, body: patchOf,
			head: "PATCH " + records + "/" + made.ID + " HTTP/1.1\r\nHost: " + p.address + "\r\nContent-Type: application/json\r\n",
		})
	}
	return edits, nil
}
