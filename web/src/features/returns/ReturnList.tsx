import { OrderRecordList } from '@/features/order-records/OrderRecordList';
import { useText } from '@/i18n';
import { useColumn, type Raw } from '@/ui/table';
import { returnMessages } from './messages';
import { readReturns, type Return, type ReturnSearch } from './queries';
import { ReturnStatusChip } from './ReturnStatusChip';
import { statuses } from './statuses';

/** Every return, newest first. */
export function ReturnList({ search }: { search: Raw<ReturnSearch> }) {
  const t = useText(returnMessages);
  const column = useColumn<Return>();
  return (
    <OrderRecordList<ReturnSearch, Return>
      folder="returns"
      search={search}
      read={readReturns}
      title={t('title')}
      name={(id) => t('return', { id: String(id) })}
      statuses={statuses.map((status) => ({ value: status, label: t(status) }))}
      chip={({ status }) => <ReturnStatusChip status={status} />}
      facts={[column.count('units', t('units'), ({ lines }) => lines.reduce((sum, { quantity }) => sum + quantity, 0), { narrow: true })]}
      more={[
        column.text('reason', t('reason'), ({ reason }) => reason),
        column.time('asked', t('asked'), ({ createdTime }) => createdTime, { sort: 'createdTime' }),
      ]}
      days={{ from: t('filterFrom'), to: t('filterTo') }}
      empty={{ title: t('empty'), hint: t('emptyHint') }}
    />
  );
}
