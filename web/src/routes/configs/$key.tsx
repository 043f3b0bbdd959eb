import { createFileRoute } from '@tanstack/react-router';
import { ConfigPage } from '@/features/configs/editor/ConfigPage';
import { anId, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/configs/$key')({
  staticData: { page: { title: { en: 'Config', zh: '配置' }, permission: 'configs:read' } },
  validateSearch: tableSearch({ tab: oneOf('history'), from: anId, to: anId }),
  component: Page,
});

function Page() {
  const { key } = Route.useParams();
  return <ConfigPage key={key} configKey={key} search={Route.useSearch()} />;
}
