import { useRef, useState } from 'react';
import { encodingsOf, textOf, type Encoding } from './encoding';

/** A selected text file in the current encoding. */
export interface TextFile {
  name: string;
  /** The possible encodings, the most likely first; empty if the file is not text or could not be read. */
  encodings: readonly Encoding[];
  encoding: Encoding | undefined;
  /** The first words that differ between the encodings. */
  sample: string;
  /** The reason why the file could not be read. */
  failure?: { error: unknown; retry: () => void };
}

/** The longest sample, in characters. */
const maxSampleLength = 60;

/** Returns the possible encodings of a file, the most likely first; none if the file is not text. */
type Detect = (bytes: Uint8Array<ArrayBuffer>) => readonly Encoding[] | Promise<readonly Encoding[]>;

/** Reads a text file, and decodes it again if the user selects another encoding. Each text is passed to `onText`. */
export function useTextFile(onText: (text: string, file: TextFile) => void, detect: Detect = encodingsOf) {
  const [file, setFile] = useState<TextFile>();
  const bytes = useRef(new Uint8Array());
  const calls = useRef(0);
  const read = (name: string, encodings: readonly Encoding[], encoding: Encoding | undefined) => {
    const text = encoding === undefined ? '' : textOf(bytes.current, encoding);
    const now = { name, encodings, encoding, sample: encodings.length > 1 ? sampleOf(text) : '' };
    setFile(now);
    if (encoding !== undefined) onText(text, now);
  };
  const take = async (taken: Blob & { name: string }): Promise<void> => {
    const call = ++calls.current;
    try {
      const content = new Uint8Array(await taken.arrayBuffer());
      const encodings = await detect(content);
      // The user chose another file since then.
      if (call !== calls.current) return;
      bytes.current = content;
      read(taken.name, encodings, encodings[0]);
    } catch (error) {
      if (call === calls.current)
        setFile({ name: taken.name, encodings: [], encoding: undefined, sample: '', failure: { error, retry: () => void take(taken) } });
    }
  };
  return {
    file,
    take,
    choose: (encoding: Encoding) => {
      if (file !== undefined) read(file.name, file.encodings, encoding);
    },
  };
}

/** Returns the first words with non-ASCII characters, up to the maximum length. */
function sampleOf(text: string): string {
  const words = new Set(text.split(/[\s,;"]+/).filter((word) => /[^\0-\x7f]/.test(word)));
  return [...words].join(' · ').slice(0, maxSampleLength);
}
