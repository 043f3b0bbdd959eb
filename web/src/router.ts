import { createRouter, parseSearchWith } from '@tanstack/react-router';
import { ErrorPage } from './ui/feedback/ErrorPage';
import { NotFoundPage } from './ui/feedback/NotFoundPage';
import { stringifySearch } from './ui/table/search';
import { update, version } from './browser/version';
import { routeTree } from './routeTree.gen';

/** Parses a search parameter as JSON. A number in another spelling, such as 042 or 1e3, stays text: it may be a user name. */
function asWritten(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return typeof value === 'number' && String(value) !== text ? text : value;
}

export function newRouter() {
  const router = createRouter({
    routeTree,
    parseSearch: parseSearchWith(asWritten),
    defaultPreload: 'intent',
    // The query cache decides whether data is stale.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
    stringifySearch,
  });
  // A navigation loads the deployed version if it differs.
  router.subscribe('onBeforeNavigate', ({ toLocation, pathChanged }) => {
    if (version.isOutdated() && pathChanged) update(toLocation.href);
  });
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}
