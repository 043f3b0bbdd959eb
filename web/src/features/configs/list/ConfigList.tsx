import { Button, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { Icon, PageHeader, Person, StatusChip, useToasts, When } from '@/ui';
import { DataTable, download, FilterText, oneOf, useSelection, useTableState, type Column } from '@/ui/table';
import { BatchDialog } from '../batch/BatchDialog';
import { CreateConfig } from '../create/CreateConfig';
import { ImportDialog } from '../import/ImportDialog';
import { configMessages } from '../messages';
import { configList, exportConfigs, readConfigs, valueTypes, type Config, type ConfigSearch } from '../queries';
import styles from '../watch/Watch.module.css';
import { WatchPane } from '../watch/WatchPane';
import { preview } from './preview';
import { useFresh } from './useFresh';
import { ValuePreview } from './ValuePreview';

const aType = oneOf(...valueTypes);

/** The configs, and what is done with many of them: export, import, changes in one go, the feed. */
export function ConfigList({ search }: { search: ConfigSearch }) {
  const t = useText(configMessages);
  const toasts = useToasts();
  const state = useTableState(search);
  const query = useQuery(configList({ ...search, limit: state.limit }));
  const selection = useSelection<Config>(({ key }) => key, search);
  const mayWrite = useMay()('configs:write');
  const isFresh = useFresh();
  const [exporting, setExporting] = useState(false);
  const [creating, creation] = useDisclosure();
  const [importing, imports] = useDisclosure();
  const [changing, changes] = useDisclosure();
  const [watching, watch] = useDisclosure();

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

  const create = mayWrite && (
    <Button variant="filled" leftSection={<Icon name="plus" />} onClick={creation.open}>
      {t('create')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')}>
        <Button aria-pressed={watching} onClick={watch.toggle}>
          {t('watch')}
        </Button>
        {mayWrite && <Button onClick={imports.open}>{t('import')}</Button>}
        <Button leftSection={<Icon name="download" />} loading={exporting} onClick={() => void save()} title={t('exportHint')}>
          {search.prefix === undefined ? t('exportAll') : t('exportPrefix', { prefix: search.prefix })}
        </Button>
        {create}
      </PageHeader>
      <div className={watching ? styles.beside : undefined}>
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
                data={valueTypes.map((value) => ({ value, label: t(`type_${value}`) }))}
                value={search.valueType ?? null}
                onChange={(type) => state.set({ valueType: aType(type) })}
                clearable
                clearButtonProps={{ 'aria-label': t('anyType') }}
                w={140}
              />
            </>
          }
          selection={mayWrite ? selection : undefined}
          bulk={
            <Button size="xs" onClick={changes.open}>
              {t('batch')}
            </Button>
          }
          isFresh={isFresh}
          readPage={(cursor) => readConfigs({ ...search, cursor, limit: 200 })}
          empty={{ title: t('empty'), hint: t('emptyHint'), action: create }}
        />
        {watching && <WatchPane onClose={watch.close} />}
      </div>
      {creating && <CreateConfig onClose={creation.close} />}
      {importing && <ImportDialog onClose={imports.close} />}
      {changing && <BatchDialog search={search} selection={selection} shown={query.data?.items ?? []} onClose={changes.close} />}
    </>
  );
}

function useColumns(): Column<Config>[] {
  const t = useText(configMessages);
  return [
    {
      id: 'key',
      header: t('key'),
      cell: ({ key }) => (
        <Link to="/configs/$key" params={{ key }}>
          {key}
        </Link>
      ),
      text: ({ key }) => key,
      sort: 'key',
      mono: true,
      narrow: true,
    },
    { id: 'value', header: t('value'), cell: ({ value }) => <ValuePreview value={value} />, text: ({ value }) => preview(value), narrow: true },
    { id: 'type', header: t('type'), cell: ({ valueType }) => <StatusChip>{t(`type_${valueType}`)}</StatusChip>, text: ({ valueType }) => valueType },
    { id: 'remark', header: t('remark'), cell: ({ remark }) => remark, text: ({ remark }) => remark },
    { id: 'version', header: t('version'), cell: ({ version }) => `v${version}`, text: ({ version }) => String(version), sort: 'version', align: 'end' },
    { id: 'who', header: t('changedBy'), cell: ({ updatedBy }) => <Person person={updatedBy} withAvatar />, text: ({ updatedBy }) => updatedBy.name },
    { id: 'when', header: t('changed'), cell: ({ updatedTime }) => <When time={updatedTime} />, text: ({ updatedTime }) => updatedTime, sort: 'updatedTime' },
  ];
}
