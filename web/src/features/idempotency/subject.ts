/** Where the service's resources begin. */
const root = '/api/v1/';

/** Kinds whose records are named by more than one part of the path. */
const partsOf: Readonly<Record<string, number>> = { aggregates: 2 };

/** The record that a request was about: /api/v1/orders/41/pay is of orders/41. */
export function subjectOf(path: string): string | undefined {
  if (!path.startsWith(root)) return undefined;
  const [kind = '', ...rest] = path.slice(root.length).split('/');
  const parts = partsOf[kind] ?? 1;
  const names = rest.slice(0, parts).map(decodeURIComponent);
  return names.length < parts || names.includes('') ? undefined : [kind, ...names].join('/');
}
