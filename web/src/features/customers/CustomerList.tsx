import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { PageHeader } from '@/ui';
import { DataTable, useColumn, useList, type Column, type Raw, type TableSearch } from '@/ui/table';
import { customerMessages } from './messages';
import { readCustomers, type Customer } from './queries';

/** The customers: everyone with an order, the latest order first. */
export function CustomerList({ search }: { search: Raw<TableSearch> }) {
  const t = useText(customerMessages);
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title={t('customers')} />
      <DataTable
        id="customers"
        label={t('customers')}
        columns={useColumns()}
        rowId={({ userId }) => userId}
        rowLabel={({ userId }) => userId}
        list={useList<TableSearch, Customer>({ search, queryKey: ['orders', 'list', 'customers'], read: readCustomers })}
        open={({ userId }) => void navigate({ to: '/customers/$userId', params: { userId } })}
        empty={{ title: t('noCustomers'), hint: t('noCustomersHint') }}
      />
    </>
  );
}

function useColumns(): Column<Customer>[] {
  const t = useText(customerMessages);
  const column = useColumn<Customer>();
  const seesWallets = useMay()('wallets:read');
  return [
    column.text('user', t('user'), ({ userId }) => userId, {
      cell: ({ userId }) => (
        <Link to="/customers/$userId" params={{ userId }}>
          {userId}
        </Link>
      ),
      sort: 'userId',
      mono: true,
      narrow: true,
    }),
    column.text('email', t('email'), ({ email }) => email),
    column.count('orders', t('orders'), ({ orders }) => orders, { narrow: true }),
    column.money('spent', t('spent'), ({ spent }) => spent, { narrow: true }),
    ...(seesWallets ? [column.money('balance', t('wallet'), ({ balance }) => balance)] : []),
    column.time('last', t('lastOrder'), ({ lastOrderTime }) => lastOrderTime, { sort: 'lastOrderTime' }),
  ];
}
