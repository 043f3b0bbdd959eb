import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const component = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/;
const styles = (name: string) => fileURLToPath(new URL(`../node_modules/@mantine/core/styles/${name}.css`, import.meta.url));

/**
 * Fails the build if the bundle contains a Mantine component, or a shared part of components, without an import of its styles in `file`, or if `file`
 * imports unused styles.
 */
export function stylesOfComponents(file: string): Plugin {
  return {
    name: 'styles-of-components',
    apply: 'build',
    generateBundle(_options, bundle) {
      const imported = new Set([...readFileSync(file, 'utf8').matchAll(/@mantine\/core\/styles\/([A-Z]\w+)\.css/g)].map(([, name]) => name ?? ''));
      const used = new Set<string>();
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        for (const id of Object.keys(chunk.modules)) {
          const name = component.exec(id)?.[1];
          if (name !== undefined && existsSync(styles(name))) used.add(name);
        }
      }
      const [lacking, idle] = [[...used].filter((name) => !imported.has(name)), [...imported].filter((name) => !used.has(name))];
      if (lacking.length > 0) this.error(`${file} lacks the styles of ${lacking.sort().join(', ')}`);
      if (idle.length > 0) this.error(`${file} has styles that nothing uses: ${idle.sort().join(', ')}`);
    },
  };
}
