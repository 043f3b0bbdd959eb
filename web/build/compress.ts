import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** The file types that compress well; fonts and pictures are already compressed. */
const kinds = /\.(js|css|html|svg|json)$/;

/** Writes a brotli and a gzip version next to each file of more than `least` bytes; the service sends them unchanged. */
export function compress(least: number): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    enforce: 'post',
    writeBundle({ dir }) {
      if (dir === undefined) return;
      for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        const path = join(dir, name);
        if (kinds.test(name)) compressFile(path, least);
      }
    },
  };
}

export function compressFile(path: string, least: number) {
  const content = readFileSync(path);
  if (content.length <= least) return;
  const brotli = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } };
  writeFileSync(`${path}.br`, brotliCompressSync(content, brotli));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
