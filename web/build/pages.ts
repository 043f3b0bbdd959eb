import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

/** Emits pages.json, the addresses of the pages in a route tree: the service answers other addresses with 404. */
export function pageList(routeTree: string): Plugin {
  return {
    name: 'page-list',
    apply: 'build',
    generateBundle() {
      const pages = pagesOf(readFileSync(routeTree, 'utf8'));
      if (pages.length === 0) this.error(`${routeTree} has no FileRoutesByTo with the addresses of the pages`);
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(pages) });
    },
  };
}

/** Returns the addresses of a generated route tree, such as /users/$id. */
export function pagesOf(tree: string) {
  const members = /interface FileRoutesByTo \{([^}]*)\}/.exec(tree)?.[1] ?? '';
  return [...members.matchAll(/'([^']+)':/g)].map(([, address]) => address);
}
