import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '@/api';
import { MovementTable } from '@/features/inventory/MovementTable';
import type { MovementSearch } from '@/features/inventory/queries';
import { StockPanel } from '@/features/inventory/StockPanel';
import { useText } from '@/i18n';
import { changesOf, contentOfFields, History, RecordPage, revisionsOf } from '@/ui';
import type { Raw } from '@/ui/table';
import { DeletedItem } from './DeletedItem';
import { readFields, useItemLabels, type ItemFields } from './fields';
import { ItemActions } from './ItemActions';
import { ItemForm } from './ItemForm';
import { ItemStatusChip } from './ItemStatusChip';
import { itemMessages } from './messages';
import { itemHistory, oneItem } from './queries';

interface Props {
  sku: string;
  /** The search parameters of the stock movements. */
  search: Raw<MovementSearch>;
}

/** The page of an item: stock, form, actions and history. */
export function ItemPage({ sku, search }: Props) {
  const t = useText(itemMessages);
  const labels = useItemLabels();
  const seesStock = useMay()('inventory:read');
  const queries = useQueryClient();
  const [field, setField] = useState<string>();
  return (
    <RecordPage
      query={useQuery(oneItem(sku))}
      name={sku}
      mono
      parent={{ to: '/items', label: t('title') }}
      resource={`items/${sku}`}
      field={field}
      fieldLabel={(name) => labels.field(`/${name}`)}
      chips={({ status }) => <ItemStatusChip status={status} />}
      actions={(item) => <ItemActions item={item} />}
      renderDraft={(form: ItemFields, forget) => (
        <DeletedItem
          sku={sku}
          form={form}
          status="active"
          onForget={forget}
          onRecreated={(made) => {
            queries.setQueryData(oneItem(sku).queryKey, made);
            forget();
          }}
        />
      )}
    >
      {(item, { isDeleted: gone }) => (
        <>
          {!gone && seesStock && <StockPanel sku={sku} />}
          <ItemForm item={item} gone={gone} onField={setField} />
          {!gone && seesStock && <MovementTable sku={sku} search={search} />}
          {!gone && <Revisions sku={sku} />}
        </>
      )}
    </RecordPage>
  );
}

/** Every version of an item, with its changes. */
function Revisions({ sku }: { sku: string }) {
  const t = useText(itemMessages);
  const query = useInfiniteQuery(itemHistory(sku));
  const revisions = revisionsOf(query);
  return (
    <History
      query={query}
      labels={useItemLabels()}
      entries={revisions.map((revision, i) => ({
        ...revision,
        action: t(revision.action === 'create' ? 'created' : 'edited'),
        changes: changesOf(revisions, i, (one) => contentOfFields({ ...readFields(one), status: one.status })),
      }))}
    />
  );
}
