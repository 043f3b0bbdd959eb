import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '@/api';
import { Waiting } from '@/features/approvals/Waiting';
import { useText } from '@/i18n';
import { pathOf, RecordPage, StatusChip, useRecordForm, type Present } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { readable, type Raw } from '@/ui/table';
import { HistoryView } from '../history/HistoryView';
import { OverwrittenNotice } from '../history/OverwrittenNotice';
import { configMessages } from '../messages';
import { programsOf } from '../owners';
import { authorsBetween, needsOf, oneConfig, rollBackConfig, saveConfig, type Config } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import { ConfigEditor } from './ConfigEditor';
import { DeleteConfig } from './DeleteConfig';
import { DeletedConfig } from './DeletedConfig';
import styles from './Editor.module.css';
import { changedMembers, contentOrError, formOf, formOfContent, type ConfigForm } from './form';
import { editorMessages } from './messages';

/** The search parameters of the page. */
interface ConfigPageSearch {
  tab?: 'history';
  /** The compared versions; without `to`, the current version. */
  from?: number;
  to?: number;
}

interface Props {
  configKey: string;
  search: Raw<ConfigPageSearch>;
}

/** The page of a config: editor and history. */
export function ConfigPage({ configKey, search }: Props) {
  const t = useText(editorMessages);
  const labels = useConfigLabels();
  const configs = useText(configMessages);
  const query = useQuery(oneConfig(configKey));
  const mayWrite = useMay()('configs:write');
  const [field, setField] = useState<string>();
  const queries = useQueryClient();
  return (
    <RecordPage
      query={query}
      name={configKey}
      mono
      parent={{ to: '/configs', label: configs('title') }}
      resource={pathOf('configs', configKey)}
      field={field}
      fieldLabel={(name) => labels.field(`/${name}`)}
      chips={({ valueType, protected: isProtected, secret }) => (
        <>
          <StatusChip>{configs(`type_${valueType}`)}</StatusChip>
          {isProtected && <StatusChip tone="warn">{t('protected')}</StatusChip>}
          {secret && <StatusChip tone="info">{t('secret')}</StatusChip>}
        </>
      )}
      actions={(config) => mayWrite && <DeleteConfig config={config} />}
      renderDraft={(form: ConfigForm, forget) => (
        <DeletedConfig
          configKey={configKey}
          form={form}
          onForget={forget}
          onRecreated={(record) => {
            queries.setQueryData(oneConfig(configKey).queryKey, record);
            forget();
          }}
        />
      )}
    >
      {(config, { isDeleted: gone, present }) => <Open config={config} gone={gone} present={present} search={readable(search)} onField={setField} />}
    </RecordPage>
  );
}

interface OpenProps {
  config: Config;
  gone: boolean;
  present: readonly Present[];
  search: ConfigPageSearch;
  /** The field with the focus. */
  onField: (field: string | undefined) => void;
}

function Open({ config, gone, present, search, onField }: OpenProps) {
  const t = useText(editorMessages);
  const edit = useText(editMessages);
  const queries = useQueryClient();
  const may = useMay();
  const navigate = useNavigate();
  const { key } = config;
  const [reason, setReason] = useState('');
  const programs = (form: ConfigForm) => programsOf(config, changedMembers(formOf(config), form));
  const takeOver = reason.trim() === '' ? undefined : reason.trim();
  const editing = useRecordForm<Config, ConfigForm>({
    resource: pathOf('configs', key),
    title: key,
    current: config,
    labels: useConfigLabels(),
    read: formOf,
    contentOf: contentOrError,
    formOf: formOfContent,
    isSecret: ({ secret }) => secret,
    isComplete: (form) => reason.trim() !== '' || programs(form).length === 0,
    send: (change, etag, sentAs) => saveConfig(key, change, etag, sentAs, { merge: 'disjoint', takeOver }),
    overwrite: may('configs:overwrite')
      ? async (change, etag, why, sentAs) => {
          const saved = await saveConfig(key, change, etag, sentAs, { overwrite: why, takeOver });
          return Object.fromEntries(Object.entries(saved).filter(([name]) => name !== 'overwrote' && name !== 'merged')) as unknown as Config;
        }
      : undefined,
    // A rollback does not restore `protected` and `secret`.
    undoWith: (saved, sentAs, before) =>
      before.protected === saved.protected && before.secret === saved.secret
        ? rollBackConfig(key, saved.etag, saved.version - 1, t('undoNote', { version: String(saved.version) }), sentAs)
        : undefined,
    needs: needsOf,
    authorsBetween: (after, before) => authorsBetween(key, after, before),
    onRecord: (record) => {
      setReason('');
      queries.setQueryData(oneConfig(key).queryKey, record);
      void queries.invalidateQueries({ queryKey: ['configs'] });
    },
  });
  const { draft, mine } = editing;
  return (
    <>
      <nav className={styles.tabs} aria-label={key}>
        <Link to="/configs/$key" params={{ key }} search={{}} activeOptions={{ exact: true }}>
          {t('edit')}
        </Link>
        <Link to="/configs/$key" params={{ key }} search={{ tab: 'history' }}>
          {edit('history')}
        </Link>
      </nav>
      {!gone && <Waiting resource={pathOf('configs', key)} />}
      {!gone && (
        <OverwrittenNotice
          configKey={key}
          content={mine instanceof Error ? undefined : mine}
          onPutBack={
            may('configs:write')
              ? (content) => {
                  editing.change(formOfContent(content));
                  if (search.tab === 'history') void navigate({ to: '/configs/$key', params: { key }, search: {} });
                }
              : undefined
          }
        />
      )}
      {search.tab === 'history' ? (
        <HistoryView config={config} gone={gone} from={search.from} to={search.to} onRolledBack={(record) => !draft.isDirty && draft.saved(record)} />
      ) : (
        <ConfigEditor
          editing={editing}
          mayWrite={may('configs:write')}
          programs={programs(draft.value)}
          takeOver={reason}
          onTakeOver={setReason}
          present={present}
          onField={onField}
          gone={gone ? <DeletedConfig configKey={key} form={draft.value} onRecreated={editing.adopt} /> : undefined}
        />
      )}
    </>
  );
}
