import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

const debianBrowsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

// The tests drive the built binary in Debian's Chromium: `make build` first. Deadlines are for hangs only, because a
// busy machine is slow.
export default defineConfig({
  testMatch: '*.e2e.ts',
  outputDir: 'report/failures',
  reporter: 'list',
  forbidOnly: true,
  workers: 2,
  timeout: 600_000,
  expect: { timeout: 120_000 },
  // The retry records the trace. A test that passes only on its retry still fails the run.
  retries: 1,
  failOnFlakyTests: true,
  use: {
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    actionTimeout: 120_000,
    navigationTimeout: 120_000,
    timezoneId: 'Asia/Shanghai',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? debianBrowsers.find((path) => existsSync(path)),
      // A page lives for seconds, so optimizing its scripts costs more than it saves.
      args: ['--disable-gpu', '--disable-quic', '--disable-background-networking', '--js-flags=--no-opt --no-maglev'],
    },
  },
});
