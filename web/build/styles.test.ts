import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { stylesOfComponents } from './styles';

/** Builds an entry that uses a component of Mantine, with a file of styles. */
async function bundle(styles: string, name = 'Paper') {
  const dir = mkdtempSync(join(tmpdir(), 'styles-'));
  try {
    const file = join(dir, 'styles.ts');
    writeFileSync(file, styles);
    const virtual = {
      name: 'virtual',
      resolveId: (id: string) => (id === '\0entry' ? id : null),
      load: (id: string) => (id === '\0entry' ? `import { ${name} } from '@mantine/core'; globalThis.used = ${name}` : undefined),
    };
    return await build({
      configFile: false,
      logLevel: 'silent',
      plugins: [virtual, stylesOfComponents(file)],
      build: { write: false, rolldownOptions: { input: '\0entry' } },
    });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const imports = (...names: string[]) => names.map((name) => `import '@mantine/core/styles/${name}.css';`).join('\n');

test('a component without styles, or unused styles, fail the build', async () => {
  await expect(bundle('')).rejects.toThrow(/lacks the styles of .*Paper/);
  const lacking = await bundle('').then(String, String);
  const needed = /lacks the styles of ([\w, ]+)/.exec(lacking)?.[1]?.split(', ') ?? [];
  await expect(bundle(imports(...needed))).resolves.toBeTruthy();
  await expect(bundle(imports(...needed, 'Carousel'))).rejects.toThrow(/nothing uses: Carousel/);
});

test('a shared component without styles fails the build', async () => {
  await expect(bundle(imports('Checkbox'), 'Checkbox')).rejects.toThrow(/lacks the styles of .*InlineInput/);
});
