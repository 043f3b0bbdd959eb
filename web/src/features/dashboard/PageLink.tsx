import { Anchor } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';

/**
 * A path of the service, "orders" or "orders/41", as a link to its page where the admin
 * has one. A resource that gets a page is linked from then on.
 */
export function PageLink({ path }: { path: string }) {
  const pages = Object.keys(useRouter().routesByPath);
  const [resource = '', ...key] = path.split('/');
  const open = key.length === 0 ? pages.some((page) => page.replace(/\/$/, '') === `/${resource}`) : pages.some((page) => page.startsWith(`/${resource}/$`));
  if (!open) return <code>{path}</code>;
  const to: string = key.length === 0 ? `/${resource}` : `/${resource}/${encodeURIComponent(key.join('/'))}`;
  return (
    <Anchor component={Link} to={to} className="mono">
      {path}
    </Anchor>
  );
}
