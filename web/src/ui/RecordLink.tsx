import { Link, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** What the service calls it, and what its page is called. */
const pageOf: Readonly<Record<string, string>> = { inventory: 'items' };

/** Links a path of the service, "orders/41" or "orders", to its page; plain text where there is none. */
export function RecordLink({ path, children = path }: { path: string; children?: ReactNode }) {
  const router = useRouter();
  const [kind = '', ...rest] = path.split('/');
  const id = rest.join('/');
  const page = pageOf[kind] ?? kind;
  const routes = Object.keys(router.routesByPath);
  const known = routes.find((route) => (id === '' ? route.replace(/\/$/, '') === `/${page}` : route.startsWith(`/${page}/$`)));
  if (known === undefined) return children;
  // Most have one id, which may hold a slash; an aggregate has a type and an id.
  const places = known.split('/').length - 2;
  const address = places === rest.length ? rest.map(encodeURIComponent).join('/') : encodeURIComponent(id);
  // Typed as text: which pages there are is known at run time only.
  const to: string = id === '' ? `/${page}` : `/${page}/${address}`;
  return <Link to={to}>{children}</Link>;
}
