import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/**
 * Fails the build if the JavaScript of the first page, the entry with all its static imports,
 * exceeds `limit` bytes after gzip.
 */
export function firstLoadBudget(limit: number): Plugin {
  return {
    name: 'first-load-budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const needed = new Set<string>();
      const visit = (file: string) => {
        const chunk = bundle[file];
        if (needed.has(file) || chunk?.type !== 'chunk') return;
        needed.add(file);
        chunk.imports.forEach(visit);
      };
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk' && file.isEntry) visit(file.fileName);
      }
      const sizes = [...needed].map((file) => gzipSync((bundle[file] as Rolldown.OutputChunk).code).length);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const said = `first load: ${kilobytes(total)} of ${kilobytes(limit)} gzip in ${needed.size} files`;
      if (total > limit) this.error(`${said}; load what the first page does not need lazily`);
      this.info(said);
    },
  };
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;
