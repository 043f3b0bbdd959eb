import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { newQueryClient, useSession } from './api';
import { CurrencyProvider, defaultCurrency, LanguageProvider } from './i18n';
import { newRouter } from './router';
import { resolveVariables, theme } from './theme';
import { SessionGate } from './ui/signin/SessionGate';

/** For the sign-in. SessionGate creates a separate cache for each session. */
const queries = newQueryClient();
const router = newRouter();
// public/start.js reads it before the first paint.
const colours = localStorageColorSchemeManager({ key: 'interlock.colours' });

/** The root component with its providers. */
export function App() {
  const state = useSession();
  return (
    <LanguageProvider>
      <CurrencyProvider value={'session' in state ? state.session : defaultCurrency}>
        <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} colorSchemeManager={colours} defaultColorScheme="auto">
          <QueryClientProvider client={queries}>
            <Notifications position="top-center" containerWidth={420} />
            <Pages />
          </QueryClientProvider>
        </MantineProvider>
      </CurrencyProvider>
    </LanguageProvider>
  );
}

function isOpenPage(): boolean {
  const [, , route] = router.getMatchedRoutes(router.latestLocation.pathname);
  return route?.options.staticData?.isOpen === true;
}

/** The pages. For a visitor who is not signed in, no page is loaded: the router starts with the session, or on a page that is open to all. */
function Pages() {
  const { status } = useSession();
  const [hasStarted, setStarted] = useState(() => isOpenPage());
  if (!hasStarted && status === 'in') setStarted(true);
  return hasStarted ? <RouterProvider router={router} /> : <SessionGate>{null}</SessionGate>;
}
