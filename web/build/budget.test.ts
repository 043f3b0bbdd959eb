import { randomBytes } from 'node:crypto';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { firstLoadBudget } from './budget';

/** Builds an entry that imports one module statically and one lazily, with random contents of these sizes in bytes. */
function bundle(first: number, lazy: number) {
  const sources: Record<string, string> = {
    '\0entry': `import '\0first'; import('\0lazy')`,
    '\0first': `globalThis.first = '${randomBytes(first).toString('hex')}'`,
    '\0lazy': `globalThis.lazy = '${randomBytes(lazy).toString('hex')}'`,
  };
  const virtual = { name: 'virtual', resolveId: (id: string) => (id in sources ? id : null), load: (id: string) => sources[id] };
  return build({
    configFile: false,
    logLevel: 'silent',
    plugins: [virtual, firstLoadBudget(20_000)],
    build: { write: false, minify: false, rollupOptions: { input: '\0entry' } },
  });
}

test('a first page that loads too much fails the build', async () => {
  await expect(bundle(40_000, 10)).rejects.toThrow(/first load: \d+\.\d KB of 20\.0 KB/);
});

test('lazily loaded files do not count', async () => {
  await expect(bundle(10, 40_000)).resolves.toBeTruthy();
});
