import { useDisclosure } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { CreateButton } from '@/features/CreateButton';
import { useDiscountText } from '@/features/coupons/useWorth';
import { DeletedLink } from '@/features/deleted/DeletedLink';
import { useFormat, useText } from '@/i18n';
import { PageHeader, useNow } from '@/ui';
import { DataTable, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { CampaignStateChip } from './CampaignStateChip';
import { CreateCampaign } from './CreateCampaign';
import { campaignMessages } from './messages';
import { readCampaigns, type Campaign, type CampaignSearch } from './queries';
import { campaignResource } from './resource';
import { stateOf } from './state';

export function CampaignList({ search }: { search: Raw<CampaignSearch> }) {
  const t = useText(campaignMessages);
  const list = useList<CampaignSearch, Campaign>({ search, queryKey: ['coupon-campaigns', 'list'], read: readCampaigns });
  const navigate = useNavigate();
  const [adding, { open, close }] = useDisclosure();
  const add = <CreateButton of={campaignResource} onClick={open} />;
  return (
    <>
      <PageHeader title={t('title')}>
        <DeletedLink kind="coupon-campaigns" />
        {add}
      </PageHeader>
      <DataTable
        id="coupon-campaigns"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ name }) => name}
        list={list}
        open={({ id }) => void navigate({ to: '/coupon-campaigns/$id', params: { id: String(id) } })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {adding && <CreateCampaign onClose={close} />}
    </>
  );
}

function useColumns(): Column<Campaign>[] {
  const t = useText(campaignMessages);
  const { worth, plainWorth } = useDiscountText();
  const now = useNow();
  const { date, dateTime } = useFormat();
  const day = (time: string) => (
    <time dateTime={time} title={dateTime(time)}>
      {date(time)}
    </time>
  );
  const column = useColumn<Campaign>();
  return [
    column.text('name', t('name'), (c) => c.name, {
      cell: ({ id, name }) => (
        <Link to="/coupon-campaigns/$id" params={{ id: String(id) }}>
          {name}
        </Link>
      ),
      sort: 'name',
      narrow: true,
    }),
    column.text('discount', t('discount'), plainWorth, { cell: worth, align: 'end', narrow: true }),
    column.text('state', t('state'), (c) => stateOf(c, now), { cell: (c) => <CampaignStateChip campaign={c} />, narrow: true }),
    column.count('issued', t('issued'), (c) => c.issued, { cell: (c) => t('issuedOf', { issued: c.issued, total: c.total }), narrow: true }),
    column.time('validFrom', t('validFrom'), (c) => c.validFrom, { cell: (c) => day(c.validFrom), sort: 'validFrom' }),
    column.time('validTo', t('validTo'), (c) => c.validTo, { cell: (c) => day(c.validTo), sort: 'validTo' }),
    column.time('updated', t('updated'), (c) => c.updatedTime, { sort: 'updatedTime' }),
    column.person('updatedBy', t('updatedBy'), (c) => c.updatedBy),
    column.count('total', t('total'), (c) => c.total, { optional: true }),
    column.count('perUser', t('perUser'), (c) => c.perUser, { optional: true }),
    column.money('minimum', t('minimum'), (c) => c.minimumAmount, { optional: true }),
    column.text('id', t('id'), (c) => c.id, { sort: 'id', align: 'end', optional: true }),
  ];
}
