// Proves G6.6.

import { expect, test } from 'vitest';
import { encodingsOf, textOf, type Encoding } from './encoding';

const bytesOf = (...parts: (string | readonly number[])[]) =>
  new Uint8Array(parts.flatMap((part) => (typeof part === 'string' ? Array.from(part, (character) => character.charCodeAt(0)) : part)));

test.each<[string, Uint8Array, Encoding, string]>([
  ['ASCII', bytesOf('a,b'), 'utf-8', 'a,b'],
  ['UTF-8', new TextEncoder().encode('Müller 茶'), 'utf-8', 'Müller 茶'],
  ['UTF-8 with its mark', new TextEncoder().encode('\ufeff茶'), 'utf-8', '茶'],
  ['UTF-16 with its mark, which Excel calls Unicode text', bytesOf([0xff, 0xfe, 0x36, 0x83]), 'utf-16le', '茶'],
  ['UTF-16 without its mark', bytesOf('T\0E\0A\0,\0', [0x36, 0x83]), 'utf-16le', 'TEA,茶'],
  ['UTF-16 in the other order', bytesOf('\0T\0E\0A'), 'utf-16be', 'TEA'],
  ['the code page of Excel in the West', bytesOf('M', [0xfc], 'ller,Gr', [0xf6, 0xdf], 'e'), 'windows-1252', 'Müller,Größe'],
  ['the code page of Excel in Chinese', bytesOf([0xb2, 0xe8, 0xd2, 0xb6], ',5'), 'gb18030', '茶叶,5'],
])('a file in %s is read as what it is', (_, bytes, encoding, text) => {
  const [likely = 'utf-8'] = encodingsOf(bytes);
  expect([likely, textOf(bytes, likely)]).toEqual([encoding, text]);
});

test('a code page can be exchanged for each other one that fits', () => {
  const [first, ...others] = encodingsOf(bytesOf('M', [0xfc], 'ller'));
  expect(first).toBe('windows-1252');
  expect(others).toEqual(expect.arrayContaining(['gb18030', 'windows-1250', 'windows-1251']));
  expect(others).not.toContain('utf-8');
});

test('UTF-8 with a broken byte stays UTF-8, and shows where the byte is', () => {
  const bytes = bytesOf([...new TextEncoder().encode('Müller\nGröße')], [0xff], '\n');
  expect(encodingsOf(bytes)[0]).toBe('utf-8');
  expect(textOf(bytes, 'utf-8')).toBe('Müller\nGröße\ufffd\n');
});

test.each([
  ['a workbook', bytesOf('PK', [3, 4, 20, 0, 0, 0, 8])],
  ['a picture', bytesOf([0x89], 'PNG\r\n', [0x1a], '\n')],
])('%s is no text', (_, bytes) => expect(encodingsOf(bytes)).toEqual([]));
