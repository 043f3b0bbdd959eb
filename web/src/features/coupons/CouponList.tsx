import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isCustomerId } from '@/api';
import { useText } from '@/i18n';
import { PageHeader, When } from '@/ui';
import { anInteger, DataTable, FilterChoice, FilterText, useTableState, type Column } from '@/ui/table';
import { CampaignLink } from './CampaignLink';
import { CouponStatusChip } from './CouponStatusChip';
import { couponMessages } from './messages';
import { campaignNames, couponList, readCoupons, type Coupon, type CouponSearch } from './queries';
import { useWorth } from './useWorth';

const statuses = ['unused', 'used', 'void', 'expired'] as const;

/** Coupons that were issued, and what became of them. */
export function CouponList({ search }: { search: CouponSearch }) {
  const t = useText(couponMessages);
  const state = useTableState(search);
  const navigate = useNavigate();
  const query = useQuery(couponList({ ...search, limit: state.limit }));
  const { data: campaigns } = useQuery(campaignNames);
  const openCoupon = (code: string) => void navigate({ to: '/coupons/$code', params: { code } });
  return (
    <>
      <PageHeader title={t('title')}>
        <OpenCode open={openCoupon} />
      </PageHeader>
      <DataTable
        id="coupons"
        label={t('title')}
        columns={useColumns(new Map(campaigns?.items.map(({ id, name }) => [id, name])))}
        rowId={({ code }) => code}
        rowLabel={({ code }) => code}
        query={query}
        state={state}
        searchable={false}
        open={({ code }) => openCoupon(code)}
        filters={
          <>
            <FilterChoice
              label={t('campaign')}
              any={t('anyCampaign')}
              options={campaignOptions(campaigns?.items ?? [], search.campaignId)}
              value={search.campaignId?.toString()}
              onChange={(campaign) => state.set({ campaignId: anInteger(campaign) })}
            />
            <FilterChoice
              label={t('status')}
              any={t('anyStatus')}
              options={statuses.map((status) => ({ value: status, label: t(status) }))}
              value={search.status}
              onChange={(status) => state.set({ status })}
            />
            <FilterText label={t('filterUser')} value={search.userId} onChange={(user) => state.set({ userId: user !== undefined && isCustomerId(user) ? user : undefined })} />
          </>
        }
        readPage={(cursor) => readCoupons({ ...search, cursor, limit: 200 })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
    </>
  );
}

/** The campaigns to choose from; the one in the address may be older than those. */
function campaignOptions(campaigns: readonly { id: number; name: string }[], chosen: number | undefined) {
  const options = campaigns.map(({ id, name }) => ({ value: String(id), label: name }));
  if (chosen !== undefined && !campaigns.some(({ id }) => id === chosen)) options.push({ value: String(chosen), label: `#${chosen}` });
  return options;
}

/** Codes are looked up whole: the service does not search in parts of them. */
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
  const worth = useWorth();
  const campaign = ({ campaignId }: Coupon) => names.get(campaignId) ?? `#${campaignId}`;
  return [
    { id: 'code', header: t('code'), cell: ({ code }) => <Link to="/coupons/$code" params={{ code }}>{code}</Link>, text: (c) => c.code, mono: true, narrow: true },
    { id: 'campaign', header: t('campaign'), cell: (c) => <CampaignLink id={c.campaignId} name={campaign(c)} />, text: campaign },
    { id: 'worth', header: t('takesOff'), cell: worth, text: worth, align: 'end' },
    { id: 'status', header: t('status'), cell: (c) => <CouponStatusChip status={c.status} />, text: (c) => t(c.status), narrow: true },
    { id: 'user', header: t('user'), cell: (c) => c.userId ?? t('anybody'), text: (c) => c.userId ?? '' },
    { id: 'redeemedBy', header: t('redeemedBy'), cell: (c) => c.redeemedByUserId ?? '', text: (c) => c.redeemedByUserId ?? '' },
    { id: 'order', header: t('order'), cell: (c) => c.orderId ?? '', text: (c) => String(c.orderId ?? ''), optional: true },
    { id: 'updated', header: t('updated'), cell: (c) => <When time={c.updatedTime} />, text: (c) => c.updatedTime, sort: 'updatedTime' },
  ];
}
