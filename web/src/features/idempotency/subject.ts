/** Where the service's resources begin. */
const root = '/api/v1/';

/** The record that a request was about: /api/v1/orders/41/pay is of orders/41. */
export function subjectOf(path: string): string | undefined {
  if (!path.startsWith(root)) return undefined;
  const [kind, id] = path.slice(root.length).split('/');
  return kind === undefined || id === undefined || id === '' ? undefined : `${kind}/${decodeURIComponent(id)}`;
}
