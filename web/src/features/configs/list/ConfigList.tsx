import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useText } from '@/i18n';
import { Icon, PageHeader, Person, StatusChip, useToasts, When } from '@/ui';
import { DataTable, download, FilterText, oneOf, useTableState, type Column } from '@/ui/table';
import { configMessages } from '../messages';
import { configList, exportConfigs, readConfigs, type Config, type ConfigSearch } from '../queries';
import { preview } from './preview';
import { ValuePreview } from './ValuePreview';

const types = ['string', 'number', 'boolean', 'json'] as const;
const aType = oneOf(...types);

/** The configs: filters, order and page in the address, and the export. */
export function ConfigList({ search }: { search: ConfigSearch }) {
  const t = useText(configMessages);
  const toasts = useToasts();
  const state = useTableState(search);
  const query = useQuery(configList({ ...search, limit: state.limit }));
  const [exporting, setExporting] = useState(false);

  const save = async () => {
    setExporting(true);
    try {
      download('configs.json', await exportConfigs(search.prefix), 'application/json');
    } catch (error) {
      toasts.failed(error);
    } finally {
      setExporting(false);
    }
  };

  return (
    <>
      <PageHeader title={t('title')}>
        <Button leftSection={<Icon name="download" />} loading={exporting} onClick={() => void save()} title={t('exportHint')}>
          {search.prefix === undefined ? t('exportAll') : t('exportPrefix', { prefix: search.prefix })}
        </Button>
      </PageHeader>
      <DataTable
        id="configs"
        label={t('title')}
        columns={useColumns()}
        rowId={({ key }) => key}
        rowLabel={({ key }) => key}
        query={query}
        state={state}
        filters={
          <>
            <FilterText label={t('filterPrefix')} value={search.prefix} onChange={(prefix) => state.set({ prefix })} />
            <Select
              aria-label={t('type')}
              placeholder={t('anyType')}
              data={[...types]}
              value={search.valueType ?? null}
              onChange={(type) => state.set({ valueType: aType(type) })}
              clearable
              clearButtonProps={{ 'aria-label': t('anyType') }}
              w={140}
            />
          </>
        }
        readPage={(cursor) => readConfigs({ ...search, cursor, limit: 200 })}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
      />
    </>
  );
}

function useColumns(): Column<Config>[] {
  const t = useText(configMessages);
  return [
    {
      id: 'key',
      header: t('key'),
      cell: ({ key }) => <Link to="/configs/$key" params={{ key }}>{key}</Link>,
      text: ({ key }) => key,
      sort: 'key',
      mono: true,
      narrow: true,
    },
    { id: 'value', header: t('value'), cell: ({ value }) => <ValuePreview value={value} />, text: ({ value }) => preview(value), narrow: true },
    { id: 'type', header: t('type'), cell: ({ valueType }) => <StatusChip>{valueType}</StatusChip>, text: ({ valueType }) => valueType },
    { id: 'remark', header: t('remark'), cell: ({ remark }) => remark, text: ({ remark }) => remark },
    { id: 'version', header: t('version'), cell: ({ version }) => `v${version}`, text: ({ version }) => String(version), sort: 'version', align: 'end' },
    { id: 'who', header: t('changedBy'), cell: ({ updatedBy }) => <Person person={updatedBy} withAvatar />, text: ({ updatedBy }) => updatedBy.name },
    { id: 'when', header: t('changed'), cell: ({ updatedTime }) => <When time={updatedTime} />, text: ({ updatedTime }) => updatedTime, sort: 'updatedTime' },
  ];
}
