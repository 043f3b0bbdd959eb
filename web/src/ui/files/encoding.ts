/** The supported encodings: Unicode, then the code pages in which spreadsheets save files. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | (typeof codePages)[number];

const codePages = [
  'gb18030',
  'windows-1252',
  'windows-1250',
  'windows-1254',
  'windows-1257',
  'windows-1251',
  'windows-1253',
  'windows-1255',
  'windows-1256',
  'windows-874',
  'big5',
  'shift_jis',
  'euc-kr',
  'macintosh',
] as const;

const marks = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
] as const;

/** The character to which bytes are decoded that are invalid in the encoding. */
export const replacement = '\ufffd';

/** If a text is valid UTF-8 and has more non-ASCII characters than this, it counts as UTF-8. */
const long = 50;

/** Control characters that mark a file as binary: all except tab, line breaks and form feed. */
// eslint-disable-next-line no-control-regex -- control characters mark a binary file
const control = /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]/;
/** Private-use characters: a code page does not define them. */
const privateUse = /[\ue000-\uf8ff]/;

export const textOf = (bytes: Uint8Array, encoding: Encoding): string => new TextDecoder(encoding).decode(bytes);

/**
 * Returns the possible encodings of a file, the most likely first; none if the file is not text.
 * With a byte order mark, or with long text in valid UTF-8, there is only one. If at most half of
 * the non-ASCII characters are invalid in UTF-8, UTF-8 is the most likely; the invalid bytes are
 * decoded to `replacement`.
 */
export function encodingsOf(bytes: Uint8Array): Encoding[] {
  const marked = marks.find(([mark]) => mark.every((byte, i) => bytes[i] === byte));
  if (marked !== undefined) return [marked[1]];
  if (bytes.includes(0)) return unmarkedWide(bytes);
  const text = textOf(bytes, 'utf-8');
  if (control.test(text)) return [];
  const beyond = text.match(/[^\0-\x7f]/g) ?? [];
  const broken = beyond.filter((character) => character === replacement).length;
  // Short text in a code page is rarely valid UTF-8, and long text never.
  if (broken === 0 && (beyond.length === 0 || beyond.length > long)) return ['utf-8'];
  const likely: Encoding = isChinese(bytes) ? 'gb18030' : 'windows-1252';
  const fits = codePages.filter((encoding) => isStrictly(bytes, encoding)).sort((a, b) => Number(b === likely) - Number(a === likely));
  return broken <= beyond.length / 2 ? ['utf-8', ...fits] : fits;
}

/** Detects UTF-16 without a byte order mark: in Western text and in separators every second byte is zero. */
function unmarkedWide(bytes: Uint8Array): Encoding[] {
  const zeros = [0, 0];
  bytes.forEach((byte, i) => {
    if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const encoding = odd > even ? 'utf-16le' : 'utf-16be';
  return Math.min(even, odd) === 0 && isStrictly(bytes, encoding) ? [encoding] : [];
}

function isStrictly(bytes: Uint8Array, encoding: Encoding): boolean {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return !control.test(text) && (encoding.startsWith('utf') || !privateUse.test(text));
  } catch {
    return false;
  }
}

/**
 * Whether most non-ASCII bytes are pairs of GB 2312 from the rows with the common characters and
 * the punctuation. Western text fails the test: a non-ASCII letter pairs with the ASCII letter
 * after it.
 */
function isChinese(bytes: Uint8Array): boolean {
  let [pairs, common] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    const trail = bytes[at + 1] ?? 0;
    if (lead < 0x80) continue;
    pairs++;
    if (trail >= 0xa1 && ((lead >= 0xb0 && lead <= 0xd7) || (lead >= 0xa1 && lead <= 0xa3))) common++;
    at++;
  }
  return common > pairs / 2;
}
