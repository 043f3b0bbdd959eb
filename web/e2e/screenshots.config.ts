import { defineConfig } from 'vitest/config';

// Takes the pictures of docs/images with the built binary: `make screenshots`.
export default defineConfig({
  test: {
    environment: 'node',
    include: ['e2e/screenshots.ts'],
    testTimeout: 120_000,
    hookTimeout: 240_000,
  },
});
