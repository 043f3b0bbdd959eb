import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '@/api';
import { CreateButton } from '@/features/CreateButton';
import { DeletedLink } from '@/features/deleted/DeletedLink';
import { useCreation } from '@/features/useCreation';
import { useText } from '@/i18n';
import { Icon, PageHeader, StatusChip, useBulkActions, useToasts } from '@/ui';
import { DataTable, download, FilterChoice, FilterText, useColumn, useList, useSelection, filterTextOf, type Column, type Raw } from '@/ui/table';
import { useConfigBatch, watchedConfigs } from '../batch/useConfigBatch';
import { CreateConfig } from '../create/CreateConfig';
import { ImportDialog } from '../import/ImportDialog';
import { useImportUndo, type Written } from '../import/useImportUndo';
import { configMessages } from '../messages';
import { exportConfigs, readConfigs, valueTypes, type Config, type ConfigSearch } from '../queries';
import { configResource } from '../resource';
import styles from '../watch/Watch.module.css';
import { WatchPane } from '../watch/WatchPane';
import { preview } from './preview';
import { useRecentlyChanged } from './useFresh';
import { ConfigValue, isHidden } from './ValuePreview';

const rowId = ({ key }: Config) => key;

/** The configs, with export, import, batch changes and the live feed. */
export function ConfigList({ search }: { search: Raw<ConfigSearch> }) {
  const t = useText(configMessages);
  const toasts = useToasts();
  const list = useList<ConfigSearch, Config>({ search, queryKey: ['configs', 'list'], read: readConfigs });
  const { prefix } = list.state.search;
  const selection = useSelection(rowId, search);
  const bulk = useBulkActions({ name: 'configs', actions: [useConfigBatch()], list, rowId, selection, watched: watchedConfigs });
  const undo = useBulkActions({ name: 'configs', actions: [useImportUndo()], rowId: ({ key }) => key });
  const mayWrite = useMay()('configs:write');
  const isFresh = useRecentlyChanged();
  const [exporting, setExporting] = useState(false);
  const creation = useCreation(list.state);
  const [importing, imports] = useDisclosure();
  const [watching, watch] = useDisclosure();

  const takeBack = (written: readonly Written[]) => {
    imports.close();
    undo.open('undo-import', written);
  };
  const save = async () => {
    setExporting(true);
    try {
      download('configs.json', await exportConfigs(prefix), 'application/json');
    } catch (error) {
      toasts.failed(error);
    } finally {
      setExporting(false);
    }
  };

  const types = valueTypes.map((value) => ({ value, label: t(`type_${value}`) }));
  const create = <CreateButton of={configResource} onClick={creation.open} />;
  return (
    <>
      <PageHeader title={t('title')}>
        <DeletedLink kind="configs" />
        <Button aria-pressed={watching} onClick={watch.toggle}>
          {t('watch')}
        </Button>
        {mayWrite && <Button onClick={imports.open}>{t('import')}</Button>}
        <Button leftSection={<Icon name="download" />} loading={exporting} onClick={() => void save()} title={t('exportHint')}>
          {prefix === undefined ? t('exportAll') : t('exportPrefix', { prefix })}
        </Button>
        {create}
      </PageHeader>
      {mayWrite && bulk.rest}
      {mayWrite && undo.rest}
      <div className={watching ? styles.beside : undefined}>
        <DataTable
          id="configs"
          label={t('title')}
          columns={useColumns()}
          rowId={rowId}
          rowLabel={rowId}
          list={list}
          filters={
            <>
              <FilterText state={list.state} name="prefix" label={t('filterPrefix')} />
              <FilterChoice state={list.state} name="valueType" label={t('type')} any={t('anyType')} options={types} />
            </>
          }
          selection={mayWrite ? selection : undefined}
          bulk={bulk.buttons}
          isFresh={isFresh}
          filterText={filterTextOf({ valueType: types })}
          empty={{ title: t('empty'), hint: t('emptyHint'), action: create }}
        />
        {watching && <WatchPane onClose={watch.close} />}
      </div>
      {creation.isOpen && <CreateConfig onClose={creation.close} />}
      {importing && <ImportDialog onUndo={takeBack} onClose={imports.close} />}
    </>
  );
}

function useColumns(): Column<Config>[] {
  const t = useText(configMessages);
  const column = useColumn<Config>();
  return [
    column.text('key', t('key'), (c) => c.key, {
      cell: ({ key }) => (
        <Link to="/configs/$key" params={{ key }}>
          {key}
        </Link>
      ),
      sort: 'key',
      mono: true,
      narrow: true,
    }),
    column.text('value', t('value'), (c) => (isHidden(c) ? t('hidden') : preview(c.value)), { cell: (c) => <ConfigValue config={c} />, narrow: true }),
    column.text('type', t('type'), (c) => c.valueType, {
      cell: (c) => (
        <Group gap={6} wrap="nowrap">
          <StatusChip>{t(`type_${c.valueType}`)}</StatusChip>
          {c.secret && <StatusChip tone="info">{t('secret')}</StatusChip>}
        </Group>
      ),
    }),
    column.text('remark', t('remark'), (c) => c.remark),
    column.text('version', t('version'), (c) => c.version, { cell: (c) => `v${c.version}`, sort: 'version', align: 'end' }),
    column.person('who', t('changedBy'), (c) => c.updatedBy),
    column.time('when', t('changed'), (c) => c.updatedTime, { sort: 'updatedTime' }),
  ];
}
