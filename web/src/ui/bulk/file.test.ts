import { expect, test } from 'vitest';
import { readText } from './file';

test.each([
  ['UTF-8', [0xef, 0xbb, 0xbf, 0xe8, 0x8c, 0xb6], '茶'],
  ['UTF-16, which Excel calls Unicode text', [0xff, 0xfe, 0x36, 0x83], '茶'],
  ['the code page of Excel in Chinese', [0xb2, 0xe8, 0x2c, 0x35], '茶,5'],
])('a file in %s is read', async (_, bytes, text) => {
  expect(await readText(new Blob([new Uint8Array(bytes)]))).toBe(text);
});
