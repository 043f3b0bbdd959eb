import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Maps the path segment of a record in the service to the segment of its page, if they differ. */
const pages: Readonly<Record<string, string>> = { inventory: 'items' };

/** The escapes that encodeURIComponent writes and Go's url.PathEscape does not, and the characters that only url.PathEscape escapes. */
const [left, spelled] = [/%(?:24|26|2B|3A|3D|40)/g, /[!'()*]/g];

/** The path of a record in the service, such as "wallets/Li%20Wei". */
export function pathOf(kind: string, id: string): string {
  const segment = encodeURIComponent(id)
    .replace(left, decodeURIComponent)
    .replace(spelled, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${kind}/${segment}`;
}

/** Unescapes a path segment; returns it unchanged if it is not escaped. */
export function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The page of a service path among the given routes; undefined if there is none. */
export function pageOf(path: string, routes: readonly string[]): string | undefined {
  const [kind = '', ...rest] = path.split('/').map(unescaped);
  const id = rest.join('/');
  const page = pages[kind] ?? kind;
  const known = routes.find((route) => (id === '' ? route.replace(/\/$/, '') === `/${page}` : route.startsWith(`/${page}/$`)));
  if (known === undefined) return undefined;
  // Most records have one id, which may contain a slash; an aggregate has a type and an id.
  const places = known.split('/').length - 2;
  const address = places === rest.length ? rest.map(encodeURIComponent).join('/') : encodeURIComponent(id);
  return id === '' ? `/${page}` : `/${page}/${address}`;
}

/** Links a path of the service, such as "orders/41" or "orders", to its page. Displays plain text if there is no page. */
export function RecordLink({ path, children = path }: { path: string; children?: ReactNode }) {
  const router = useRouter();
  // Typed as string: the pages are only known at run time.
  const to: string | undefined = pageOf(path, Object.keys(router.routesByPath));
  return to === undefined ? children : <Link to={to}>{children}</Link>;
}
