import { createRootRoute, Outlet } from '@tanstack/react-router';
import { OverwriteWatch } from '@/features/configs/history/OverwriteWatch';
import { ErrorPage } from '@/ui/feedback/ErrorPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { SessionGate } from '@/ui/signin/SessionGate';
import { PermissionGate } from '@/ui/shell/PermissionGate';
import { Shell } from '@/ui/shell/Shell';

export const Route = createRootRoute({
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
