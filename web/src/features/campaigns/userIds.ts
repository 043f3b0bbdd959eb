import { isCustomerId } from '@/api';

/** Users as they were pasted, by what the shop calls them. */
export interface PastedIds {
  /** Each once, in the order of the text. */
  ids: string[];
  /** How many stood there again. */
  repeated: number;
  /** What no user can be called. */
  wrong: string[];
}

/** Reads users that are set apart by whatever a spreadsheet, a list or a person sets between them. */
export function readUserIds(text: string): PastedIds {
  const ids = new Set<string>();
  const wrong: string[] = [];
  let repeated = 0;
  for (const word of text.split(/[\s,;，；、|]+/).filter(Boolean)) {
    if (!isCustomerId(word)) wrong.push(word);
    else if (ids.has(word)) repeated++;
    else ids.add(word);
  }
  return { ids: [...ids], repeated, wrong };
}
