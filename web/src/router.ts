import { createRouter } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { ErrorPage } from './ui/feedback/ErrorPage';
import { NotFoundPage } from './ui/feedback/NotFoundPage';
import { stringifySearch } from './ui/table/search';
import { update, version } from './browser/version';
import { routeTree } from './routeTree.gen';

export function newRouter(queries: QueryClient) {
  const router = createRouter({
    routeTree,
    context: { queries },
    defaultPreload: 'intent',
    // The query cache decides what is fresh.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
    stringifySearch,
  });
  // The next page comes in the version that is deployed.
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
