import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** What the service calls it, and what its page is called. */
const pages: Readonly<Record<string, string>> = { inventory: 'items' };

/** What Go's url.PathEscape leaves as it is, and encodeURIComponent does not, and the reverse. */
const [left, spelled] = [/%(?:24|26|2B|3A|3D|40)/g, /[!'()*]/g];

/** The path by which the service names a record: "wallets/Li%20Wei". */
export function pathOf(kind: string, id: string): string {
  const segment = encodeURIComponent(id)
    .replace(left, decodeURIComponent)
    .replace(spelled, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${kind}/${segment}`;
}

/** A segment of a path as it was before it was escaped; one that never was stays as it is. */
export function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The page of a path of the service, given the addresses that there are; undefined where there is none. */
export function pageOf(path: string, routes: readonly string[]): string | undefined {
  const [kind = '', ...rest] = path.split('/').map(unescaped);
  const id = rest.join('/');
  const page = pages[kind] ?? kind;
  const known = routes.find((route) => (id === '' ? route.replace(/\/$/, '') === `/${page}` : route.startsWith(`/${page}/$`)));
  if (known === undefined) return undefined;
  // Most have one id, which may hold a slash; an aggregate has a type and an id.
  const places = known.split('/').length - 2;
  const address = places === rest.length ? rest.map(encodeURIComponent).join('/') : encodeURIComponent(id);
  return id === '' ? `/${page}` : `/${page}/${address}`;
}

/** Links a path of the service, "orders/41" or "orders", to its page; plain text where there is none. */
export function RecordLink({ path, children = path }: { path: string; children?: ReactNode }) {
  const router = useRouter();
  // Typed as text: which pages there are is known at run time only.
  const to: string | undefined = pageOf(path, Object.keys(router.routesByPath));
  return to === undefined ? children : <Link to={to}>{children}</Link>;
}
