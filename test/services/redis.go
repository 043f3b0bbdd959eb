package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

func startRedis(ctx context.Context, programs programs, directory string, place uint32) (*server, error) {
	if err := os.Mkdir(directory, 0o755); err != nil {
		return nil, fmt.Errorf("make the data directory of Redis: %w", err)
	}
	return launch{
		name:      "redis-server",
		directory: directory,
		place:     place,
		command: func(port int) *exec.Cmd {
			return exec.Command(programs.redisServer, redisArguments(directory, port)...)
		},
		url:      func(port int) string { return fmt.Sprintf("redis://127.0.0.1:%d/0", port) },
		responds: redisAnswers,
	}.start(ctx)
}

func redisArguments(directory string, port int) []string {
	return []string{
		"--bind", "127.0.0.1",
		"--port", strconv.Itoa(port),
		"--dir", directory,
		"--appendonly", "yes",
		"--save", "",
	}
}

func redisAnswers(ctx context.Context, port, pid int) error {
	client := redis.NewClient(&redis.Options{
		Addr: fmt.Sprintf("127.0.0.1:%d", port), MaxRetries: -1, ContextTimeoutEnabled: true,
	})
	defer client.Close()
	about, err := client.Info(ctx, "server").Result()
	if err != nil {
		return err
	}
	if !strings.Contains(about, fmt.Sprintf("process_id:%d\r\n", pid)) {
		return fmt.Errorf("another Redis answers on port %d", port)
	}
	return nil
}
