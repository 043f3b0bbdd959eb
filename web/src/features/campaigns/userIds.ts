/** User numbers as they were pasted. */
export interface PastedIds {
  /** Each once, in the order of the text. */
  ids: number[];
  /** How many stood there again. */
  repeated: number;
  /** What is no user number. */
  wrong: string[];
}

/** Reads numbers that are set apart by whatever a spreadsheet, a list or a person sets between them. */
export function readUserIds(text: string): PastedIds {
  const ids = new Set<number>();
  const wrong: string[] = [];
  let repeated = 0;
  for (const word of text.split(/[\s,;，；、|]+/).filter(Boolean)) {
    const id = /^\d{1,16}$/.test(word) ? Number(word) : 0;
    if (id < 1 || !Number.isSafeInteger(id)) wrong.push(word);
    else if (ids.has(id)) repeated++;
    else ids.add(id);
  }
  return { ids: [...ids], repeated, wrong };
}
