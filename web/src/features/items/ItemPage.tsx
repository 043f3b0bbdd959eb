import { Loader, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { isProblem, useMay } from '@/api';
import { MovementTable } from '@/features/inventory/MovementTable';
import type { MovementSearch } from '@/features/inventory/queries';
import { StockPanel } from '@/features/inventory/StockPanel';
import { useText } from '@/i18n';
import { EtagVersion, PageHeader, ProblemBanner } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { ItemActions } from './ItemActions';
import { ItemForm } from './ItemForm';
import { ItemRevisions } from './ItemRevisions';
import { ItemStatusChip } from './ItemList';
import { itemMessages } from './messages';
import { oneItem } from './queries';

interface Props {
  sku: string;
  /** Which movements of its stock are shown. */
  search: MovementSearch;
}

/** One item: its stock, its form, what can be done with it, and its history. */
export function ItemPage({ sku, search }: Props) {
  const t = useText(itemMessages);
  const ui = useText(uiMessages);
  const { data: item, error, refetch } = useQuery(oneItem(sku));
  const seesStock = useMay()('inventory:read');
  const gone = isProblem(error, 'not_found');
  return (
    <>
      <PageHeader
        title={sku}
        mono
        parent={{ to: '/items', label: t('title') }}
        chips={
          item !== undefined && (
            <>
              <ItemStatusChip status={item.status} />
              <EtagVersion version={item.version} etag={item.etag} />
            </>
          )
        }
      >
        {item !== undefined && !gone && <ItemActions item={item} />}
      </PageHeader>
      <Stack gap="md">
        {error !== null && !(gone && item !== undefined) && <ProblemBanner error={error} retry={() => void refetch()} />}
        {item === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
        {item !== undefined && !gone && seesStock && <StockPanel sku={sku} />}
        {item !== undefined && <ItemForm item={item} gone={gone} />}
        {item !== undefined && !gone && seesStock && <MovementTable sku={sku} search={search} />}
        {item !== undefined && !gone && <ItemRevisions sku={sku} />}
      </Stack>
    </>
  );
}
