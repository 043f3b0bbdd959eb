import { defineConfig } from 'vitest/config';

// Drives the built binary in Chromium: `make build` first.
export default defineConfig({
  test: {
    environment: 'node',
    include: ['e2e/**/*.e2e.ts'],
    globalSetup: ['e2e/service.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One browser and one service at a time on a small machine.
    fileParallelism: false,
  },
});
