import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { OverwriteWatch } from '@/features/configs/history/OverwriteWatch';
import { ErrorPage } from '@/ui/feedback/ErrorPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { SessionGate } from '@/ui/signin/SessionGate';
import { PermissionGate } from '@/ui/shell/PermissionGate';
import { Shell } from '@/ui/shell/Shell';

interface RouterContext {
  queries: QueryClient;
}

export const Route = createRootRouteWithContext<RouterContext>()({
  component: Root,
  errorComponent: ErrorPage,
  notFoundComponent: NotFoundPage,
});

function Root() {
  return (
    <SessionGate>
      <Shell>
        <OverwriteWatch />
        <PermissionGate>
          <Outlet />
        </PermissionGate>
      </Shell>
    </SessionGate>
  );
}
