import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { act, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { LanguageProvider } from '@/i18n';
import { theme } from '@/theme';
import { stringifySearch } from '@/ui/table/search';

/** The providers that every component needs, without a router. */
export function Surroundings({ children }: { children: ReactNode }) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return (
    <LanguageProvider initial="en">
      <MantineProvider theme={theme} env="test">
        <QueryClientProvider client={queries}>{children}</QueryClientProvider>
      </MantineProvider>
    </LanguageProvider>
  );
}

/** Renders a page at an address; the page receives the address's `search` as read by validate. */
export async function renderPage<S extends object>(Page: (props: { search: S }) => ReactNode, validate: (raw: Record<string, unknown>) => S, address = '/') {
  const root = createRootRoute();
  const route = createRoute({
    getParentRoute: () => root,
    path: '/',
    validateSearch: validate,
    component: function Shown() {
      return <Page search={route.useSearch() as S} />;
    },
  });
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree: root.addChildren([route]), history, stringifySearch });
  const view = render(
    <Surroundings>
      <RouterProvider router={router as never} />
    </Surroundings>,
  );
  await act(() => router.load());
  return { ...view, address: () => history.location.href };
}
