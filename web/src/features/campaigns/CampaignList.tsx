import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useWorth } from '@/features/coupons/useWorth';
import { useFormat, useText } from '@/i18n';
import { Icon, Money, PageHeader, Person, useNow, When } from '@/ui';
import { DataTable, useTableState, type Column } from '@/ui/table';
import { CampaignStateChip } from './CampaignStateChip';
import { CreateCampaign } from './CreateCampaign';
import { campaignMessages } from './messages';
import { campaignList, readCampaigns, type Campaign, type CampaignSearch } from './queries';
import { stateOf } from './state';

/** What coupons are issued from. */
export function CampaignList({ search }: { search: CampaignSearch }) {
  const t = useText(campaignMessages);
  const state = useTableState(search);
  const navigate = useNavigate();
  const query = useQuery(campaignList({ ...search, limit: state.limit }));
  const mayWrite = useMay()('coupons:write');
  const [adding, { open, close }] = useDisclosure();
  const add = mayWrite && (
    <Button variant="filled" leftSection={<Icon name="plus" />} onClick={open}>
      {t('add')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')}>{add}</PageHeader>
      <DataTable
        id="coupon-campaigns"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ name }) => name}
        query={query}
        state={state}
        open={({ id }) => void navigate({ to: '/coupon-campaigns/$id', params: { id: String(id) } })}
        readPage={(cursor) => readCampaigns({ ...search, cursor, limit: 200 })}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {adding && <CreateCampaign onClose={close} />}
    </>
  );
}

function useColumns(): Column<Campaign>[] {
  const t = useText(campaignMessages);
  const worth = useWorth();
  const now = useNow();
  const { money, number, date, dateTime } = useFormat();
  const day = (time: string) => (
    <time dateTime={time} title={dateTime(time)}>
      {date(time)}
    </time>
  );
  return [
    {
      id: 'name',
      header: t('name'),
      cell: ({ id, name }) => (
        <Link to="/coupon-campaigns/$id" params={{ id: String(id) }}>
          {name}
        </Link>
      ),
      text: (c) => c.name,
      sort: 'name',
      narrow: true,
    },
    { id: 'discount', header: t('discount'), cell: worth, text: worth, align: 'end', narrow: true },
    { id: 'state', header: t('state'), cell: (c) => <CampaignStateChip campaign={c} />, text: (c) => t(stateOf(c, now)), narrow: true },
    { id: 'issued', header: t('issued'), cell: (c) => t('issuedOf', { issued: c.issued, total: c.total }), text: (c) => String(c.issued), align: 'end' },
    { id: 'validFrom', header: t('validFrom'), cell: (c) => day(c.validFrom), text: (c) => c.validFrom, sort: 'validFrom' },
    { id: 'validTo', header: t('validTo'), cell: (c) => day(c.validTo), text: (c) => c.validTo, sort: 'validTo' },
    { id: 'updated', header: t('updated'), cell: (c) => <When time={c.updatedTime} />, text: (c) => c.updatedTime, sort: 'updatedTime' },
    { id: 'updatedBy', header: t('updatedBy'), cell: (c) => <Person person={c.updatedBy} withAvatar />, text: (c) => c.updatedBy.name },
    { id: 'total', header: t('total'), cell: (c) => number(c.total), text: (c) => String(c.total), align: 'end', optional: true },
    { id: 'perUser', header: t('perUser'), cell: (c) => number(c.perUser), text: (c) => String(c.perUser), align: 'end', optional: true },
    { id: 'minimum', header: t('minimum'), cell: (c) => <Money minor={c.minimumAmount} />, text: (c) => money(c.minimumAmount), align: 'end', optional: true },
    { id: 'id', header: t('id'), cell: (c) => c.id, text: (c) => String(c.id), sort: 'id', align: 'end', optional: true },
  ];
}
