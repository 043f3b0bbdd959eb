import { fileURLToPath } from 'node:url';
import { tanstackRouter } from '@tanstack/router-plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { firstLoadBudget } from './build/budget.ts';
import { compress } from './build/compress.ts';
import { pageList } from './build/pages.ts';
import { stylesOfComponents } from './build/styles.ts';
import { buildVersion } from './build/version.ts';

const service = process.env.INTERLOCK_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [
    tanstackRouter(),
    react(),
    firstLoadBudget(300_000),
    stylesOfComponents('src/theme/styles.ts'),
    buildVersion(),
    pageList('src/routeTree.gen.ts'),
    compress(1024),
  ],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { host: '127.0.0.1', proxy: { '/api': service } },
  build: {
    target: 'es2023',
    // The content security policy forbids data: fonts and scripts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    // Otherwise the chunks of a renamed page would stay in the binary.
    emptyOutDir: true,
    rolldownOptions: {
      output: {
        // Each file has its own headers and compression, so the code of the first page is one chunk,
        // and the code that most pages share is another.
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 1 },
            // Number inputs are in dialogs, which load later than the first page.
            { name: 'common', minShareCount: 12, minSize: 0, test: (id) => !/react-number-format|(Number|Money|Whole)Input/.test(id) },
          ],
        },
      },
    },
  },
  test: {
    environment: 'happy-dom',
    setupFiles: ['src/test/setup.ts'],
    testTimeout: 30_000,
    css: false,
    restoreMocks: true,
    unstubGlobals: true,
    pool: 'threads',
    maxWorkers: '100%',
    // Isolation, which loads the modules and the window again for each file, took half of the time.
    // Only files that mock a module need it, because the mock stays loaded.
    projects: [
      { extends: true, test: { name: 'shared', isolate: false, include: ['src/**/*.test.{ts,tsx}', 'build/**/*.test.ts'], exclude: ['**/*.mocked.test.tsx'] } },
      { extends: true, test: { name: 'mocked', include: ['src/**/*.mocked.test.tsx'] } },
    ],
  },
});
