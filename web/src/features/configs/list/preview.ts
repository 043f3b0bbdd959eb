import { encode, type Json } from '@/merge';

/** The maximum length of a value in a row. */
const maxPreviewLength = 400;

/** Returns a value on one line: a string unchanged, every other value as JSON with all digits of numbers. */
export function preview(value: unknown): string {
  const text = typeof value === 'string' ? value : encode(value as Json);
  const line = text.replace(/\s+/g, ' ');
  return line.length > maxPreviewLength ? `${line.slice(0, maxPreviewLength)}…` : line;
}
