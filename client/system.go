package client

import (
	"context"
	"time"
)

// System is what the engines below the service promise, of its last look at them.
type System struct {
	CheckedTime time.Time     `json:"checkedTime"`
	Findings    []Finding     `json:"findings"`
	Redis       []RedisMemory `json:"redis"`
	Clocks      []EngineClock `json:"clocks"`
}

// Finding is one setting of an engine and what follows from it.
type Finding struct {
	// Engine is database or redis; Node is the number of a node of a cluster, 0 elsewhere.
	Engine string `json:"engine"`
	Node   int    `json:"node"`
	Name   string `json:"name"`
	// Value is what was found, "" when it cannot be read; Want, if any, takes the risk away.
	Value string `json:"value"`
	Want  string `json:"want"`
	// Level is ok, risk, unknown or broken.
	Level string `json:"level"`
	// Loss says how much can be lost, by what happens: process, machine, failover, memory.
	Loss map[string]string `json:"loss"`
	// Detail is whole sentences for people.
	Detail string `json:"detail"`
}

// RedisMemory is that of one Redis server. A limit of 0 means none.
type RedisMemory struct {
	Node        int    `json:"node"`
	UsedBytes   int64  `json:"usedBytes"`
	LimitBytes  int64  `json:"limitBytes"`
	Policy      string `json:"policy"`
	EvictedKeys int64  `json:"evictedKeys"`
}

// EngineClock is how far an engine's clock is ahead of the service's, known to within
// ErrorSeconds.
type EngineClock struct {
	Engine       string  `json:"engine"`
	Node         int     `json:"node"`
	SkewSeconds  float64 `json:"skewSeconds"`
	ErrorSeconds float64 `json:"errorSeconds"`
}

// System reads what a crash of the engines could lose.
func (c *Client) System(ctx context.Context, options ...CallOption) (System, error) {
	return get[System](ctx, c, "/system", options)
}
