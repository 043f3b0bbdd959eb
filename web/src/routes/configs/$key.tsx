import { createFileRoute } from '@tanstack/react-router';
import { ConfigPage, type ConfigPageSearch } from '@/features/configs/editor/ConfigPage';
import { anInteger, oneOf } from '@/ui/table';

const tab = oneOf('history');

export const Route = createFileRoute('/configs/$key')({
  staticData: { page: { title: { en: 'Config', zh: '配置' }, permission: 'configs:read' } },
  validateSearch: (raw: Record<string, unknown>): ConfigPageSearch => ({ tab: tab(raw.tab), from: anInteger(raw.from), to: anInteger(raw.to) }),
  component: Page,
});

function Page() {
  const { key } = Route.useParams();
  return <ConfigPage key={key} configKey={key} search={Route.useSearch()} />;
}
