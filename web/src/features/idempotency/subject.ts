/** The common prefix of the service's resources. */
const root = '/api/v1/';

/** The number of path segments of a record, for kinds with more than one. */
const partsOf: Readonly<Record<string, number>> = { aggregates: 2 };

/** Returns the record of a request path: orders/41 for /api/v1/orders/41/pay. */
export function subjectOf(path: string): string | undefined {
  if (!path.startsWith(root)) return undefined;
  const [kind = '', ...rest] = path.slice(root.length).split('/');
  const parts = partsOf[kind] ?? 1;
  const names = rest.slice(0, parts).map(decodeURIComponent);
  return names.length < parts || names.includes('') ? undefined : [kind, ...names].join('/');
}
