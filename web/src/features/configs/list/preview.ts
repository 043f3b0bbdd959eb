import { encode, type Json } from '@/merge';

/** How much of a value a row holds; the rest is for its title and its page. */
const longest = 400;

/** A value on one line: a string as it is, all else as JSON with its numbers as they were spelled. */
export function preview(value: unknown): string {
  const text = typeof value === 'string' ? value : encode(value as Json);
  const line = text.replace(/\s+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
