import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { defineConfig } from 'vitest/config';

/** Starts the longest files first, so that no worker is left alone with one at the end. */
class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => Number(/\/(pages|orders)\./.test(moduleId));
    return Promise.resolve(files.toSorted((a, b) => isLong(b) - isLong(a) || a.moduleId.localeCompare(b.moduleId)));
  }
}

// Drives the built binary in Chromium: `make build` first.
export default defineConfig({
  test: {
    environment: 'node',
    include: ['e2e/**/*.e2e.ts'],
    globalSetup: ['e2e/service.ts'],
    // Each file has a browser and a service of its own, and two keep two cores busy.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // How long to wait for what has to come about; on a busy machine it comes late.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
