import { createFileRoute } from '@tanstack/react-router';
import { ConfigList } from '@/features/configs/list/ConfigList';
import { aFlag, aText, oneOf, tableSearch } from '@/ui/table';

export const Route = createFileRoute('/configs/')({
  staticData: {
    page: { title: { en: 'Configs', zh: '配置' }, permission: 'configs:read', navigation: { group: 'govern', order: 10, icon: 'sliders', key: 'c' } },
  },
  validateSearch: tableSearch({ prefix: aText, valueType: oneOf('string', 'number', 'boolean', 'json'), create: aFlag }),
  component: Page,
});

function Page() {
  return <ConfigList search={Route.useSearch()} />;
}
