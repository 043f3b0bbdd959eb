const marks = [
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
] as const;

/** Reads a text file as spreadsheets write them: UTF-8, UTF-16 with its mark, or the Chinese code page that Excel saves CSV in. */
export async function readText(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const wide = marks.find(([mark]) => mark.every((byte, i) => bytes[i] === byte));
  if (wide !== undefined) return new TextDecoder(wide[1]).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('gb18030').decode(bytes);
  }
}
