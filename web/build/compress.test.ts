import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressFile } from './compress';

test('a large file is compressed in two formats, a small one not at all', () => {
  const dir = mkdtempSync(join(tmpdir(), 'compress-'));
  try {
    const text = 'export const a = 1;\n'.repeat(500);
    writeFileSync(join(dir, 'large.js'), text);
    writeFileSync(join(dir, 'small.js'), 'export {}');
    compressFile(join(dir, 'large.js'), 1024);
    compressFile(join(dir, 'small.js'), 1024);

    expect(brotliDecompressSync(readFileSync(join(dir, 'large.js.br'))).toString()).toBe(text);
    expect(gunzipSync(readFileSync(join(dir, 'large.js.gz'))).toString()).toBe(text);
    expect(readFileSync(join(dir, 'large.js.br')).length).toBeLessThan(text.length / 4);
    expect(existsSync(join(dir, 'small.js.br'))).toBe(false);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
