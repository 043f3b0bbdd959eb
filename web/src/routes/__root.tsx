import { createRootRoute, Outlet, useRouterState } from '@tanstack/react-router';
import { OverwriteWatch } from '@/features/configs/history/OverwriteWatch';
import { SearchBox } from '@/features/search/SearchBox';
import { RecordWork } from '@/features/workorders/RecordWork';
import { ErrorPage } from '@/ui/feedback/ErrorPage';
import { NotFoundPage } from '@/ui/feedback/NotFoundPage';
import { RecordTools } from '@/ui/record/tools';
import { SessionGate } from '@/ui/signin/SessionGate';
import { PermissionGate } from '@/ui/shell/PermissionGate';
import { Shell } from '@/ui/shell/Shell';

export const Route = createRootRoute({
  component: Root,
  errorComponent: ErrorPage,
  notFoundComponent: NotFoundPage,
});

function Root() {
  const isOpen = useRouterState({ select: ({ matches }) => matches.some(({ staticData }) => staticData.isOpen === true) });
  if (isOpen) return <Outlet />;
  return (
    <SessionGate>
      <Shell search={<SearchBox />}>
        <OverwriteWatch />
        <PermissionGate>
          <RecordTools value={RecordWork}>
            <Outlet />
          </RecordTools>
        </PermissionGate>
      </Shell>
    </SessionGate>
  );
}
