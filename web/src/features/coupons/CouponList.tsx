import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { CustomerLink, PageHeader, RecordLink, useBulkActions } from '@/ui';
import { aCustomer, anId, DataTable, FilterChoice, FilterText, useColumn, useList, useSelection, filterTextOf, type Column, type Raw } from '@/ui/table';
import { useVoiding, watchedCoupons } from './bulk/useVoiding';
import { CouponStatusChip } from './CouponStatusChip';
import { couponMessages } from './messages';
import { campaignNames, expiries, readCoupons, type Coupon, type CouponSearch } from './queries';
import { useDiscountText } from './useWorth';

const statuses = ['unused', 'used', 'void', 'expired'] as const;

const rowId = ({ code }: Coupon) => code;

/** The issued coupons with their statuses; several can be voided together. */
export function CouponList({ search }: { search: Raw<CouponSearch> }) {
  const t = useText(couponMessages);
  const list = useList<CouponSearch, Coupon>({ search, queryKey: ['coupons', 'list'], read: readCoupons });
  const navigate = useNavigate();
  const mayWrite = useMay()('coupons:write');
  const selection = useSelection(rowId, search);
  const bulk = useBulkActions({ name: 'coupons', actions: [useVoiding()], list, rowId, selection, watched: watchedCoupons });
  const { data: campaigns } = useQuery(campaignNames);
  const options = {
    campaignId: (campaigns?.items ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
    status: statuses.map((status) => ({ value: status, label: t(status) })),
    expiresIn: expiries.map((days) => ({ value: days, label: t('expiresWithin', { n: Number(days) }) })),
  };
  const openCoupon = (code: string) => void navigate({ to: '/coupons/$code', params: { code } });
  return (
    <>
      <PageHeader title={t('title')}>
        <OpenCode open={openCoupon} />
        {mayWrite && bulk.tables}
      </PageHeader>
      {mayWrite && bulk.rest}
      <DataTable
        id="coupons"
        label={t('title')}
        columns={useColumns(new Map(campaigns?.items.map(({ id, name }) => [id, name])))}
        rowId={rowId}
        rowLabel={rowId}
        list={list}
        selection={mayWrite ? selection : undefined}
        bulk={bulk.buttons}
        searchable={false}
        open={({ code }) => openCoupon(code)}
        filters={
          <>
            <FilterChoice state={list.state} name="campaignId" read={anId} label={t('campaign')} any={t('anyCampaign')} options={options.campaignId} />
            <FilterChoice state={list.state} name="status" label={t('status')} any={t('anyStatus')} options={options.status} />
            <FilterChoice state={list.state} name="expiresIn" label={t('expires')} any={t('expiresAnytime')} options={options.expiresIn} />
            <FilterText state={list.state} name="userId" read={aCustomer} label={t('filterUser')} />
          </>
        }
        filterText={filterTextOf({ campaignId: options.campaignId, status: options.status })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: <Link to="/coupon-campaigns">{t('toCampaigns')}</Link> }}
      />
    </>
  );
}

/** An input that opens a coupon by its complete code. The service does not search for parts of codes. */
function OpenCode({ open }: { open: (code: string) => void }) {
  const t = useText(couponMessages);
  const [code, setCode] = useState('');
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim() !== '') open(code.trim());
      }}
    >
      <TextInput type="search" aria-label={t('openCode')} placeholder={t('openCode')} value={code} onChange={(event) => setCode(event.currentTarget.value)} />
    </form>
  );
}

function useColumns(names: ReadonlyMap<number, string>): Column<Coupon>[] {
  const t = useText(couponMessages);
  const { worth, plainWorth } = useDiscountText();
  const campaign = ({ campaignId }: Coupon) => names.get(campaignId) ?? `#${campaignId}`;
  const column = useColumn<Coupon>();
  return [
    column.text('code', t('code'), (c) => c.code, {
      cell: ({ code }) => (
        <Link to="/coupons/$code" params={{ code }}>
          {code}
        </Link>
      ),
      mono: true,
      narrow: true,
    }),
    column.text('campaign', t('campaign'), campaign, {
      cell: (c) => <RecordLink path={`coupon-campaigns/${c.campaignId}`}>{campaign(c)}</RecordLink>,
      narrow: true,
    }),
    column.text('worth', t('discount'), plainWorth, { cell: worth, align: 'end', narrow: true }),
    column.text('status', t('status'), (c) => c.status, { cell: (c) => <CouponStatusChip status={c.status} />, narrow: true }),
    column.text('user', t('user'), (c) => c.userId, { cell: (c) => (c.userId === null ? t('anybody') : <CustomerLink userId={c.userId} />) }),
    column.customer('redeemedBy', t('redeemedBy'), (c) => c.redeemedByUserId),
    column.text('order', t('order'), (c) => c.orderId, {
      cell: (c) => c.orderId !== null && <RecordLink path={`orders/${c.orderId}`}>{c.orderId}</RecordLink>,
      optional: true,
    }),
    column.time('expires', t('expires'), (c) => c.validTo),
    column.time('updated', t('updated'), (c) => c.updatedTime, { sort: 'updatedTime' }),
  ];
}
