import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { isProblem, useMay } from '@/api';
import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { Gone, RecordPage, StatusChip, typedInto, useKeyedMutation, useRecordForm, useSlot, useTelling, useToasts, When, type Present } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { readable, type Raw } from '@/ui/table';
import { HistoryView } from '../history/HistoryView';
import { OverwrittenNotice } from '../history/OverwrittenNotice';
import { configMessages } from '../messages';
import { authorsBetween, configHistory, createConfig, oneConfig, rollBackConfig, saveConfig, type Config } from '../queries';
import { useConfigWords } from '../useConfigWords';
import { ConfigEditor } from './ConfigEditor';
import { DeleteConfig } from './DeleteConfig';
import styles from './Editor.module.css';
import { contentOrError, FormError, formOf, formOfContent, type ConfigForm } from './form';
import { editorMessages } from './messages';

/** What of the page is in its address. */
export interface ConfigPageSearch {
  tab?: 'history';
  /** Versions that are compared; without `to` with the current one. */
  from?: number;
  to?: number;
}

interface Props {
  configKey: string;
  search: Raw<ConfigPageSearch>;
}

/** One config: its editor, and its history. */
export function ConfigPage({ configKey, search }: Props) {
  const t = useText(editorMessages);
  const words = useConfigWords();
  const configs = useText(configMessages);
  const query = useQuery(oneConfig(configKey));
  const mayWrite = useMay()('configs:write');
  const [field, setField] = useState<string>();
  // What was typed into one that is gone by now.
  const { kept, slot } = useSlot(`configs/${configKey}`, configKey);
  const form = typedInto(kept) as ConfigForm | undefined;
  return (
    <RecordPage
      query={query}
      name={configKey}
      mono
      parent={{ to: '/configs', label: configs('title') }}
      resource={`configs/${configKey}`}
      field={field}
      fieldLabel={(name) => words.place(`/${name}`)}
      chips={({ valueType, protected: isProtected }) => (
        <>
          <StatusChip>{valueType}</StatusChip>
          {isProtected && <StatusChip tone="warn">{t('protected')}</StatusChip>}
        </>
      )}
      actions={(config) => mayWrite && <DeleteConfig config={config} />}
      missing={form && <Kept configKey={configKey} form={form} slot={slot} onSettled={() => void query.refetch()} />}
    >
      {(config, { gone, present }) => <Open config={config} gone={gone} present={present} search={readable(search)} onField={setField} />}
    </RecordPage>
  );
}

interface OpenProps {
  config: Config;
  gone: boolean;
  present: readonly Present[];
  search: ConfigPageSearch;
  /** Which field has the focus. */
  onField: (field: string | undefined) => void;
}

function Open({ config, gone, present, search, onField }: OpenProps) {
  const t = useText(editorMessages);
  const edit = useText(editMessages);
  const queries = useQueryClient();
  const may = useMay();
  const navigate = useNavigate();
  const { key } = config;
  const editing = useRecordForm<Config, ConfigForm>({
    resource: `configs/${key}`,
    title: key,
    current: config,
    words: useConfigWords(),
    read: formOf,
    contentOf: contentOrError,
    formOf: formOfContent,
    send: (patch, etag, sentAs) => saveConfig(key, patch, etag, sentAs, { merge: 'disjoint' }),
    overwrite: may('configs:overwrite')
      ? async (patch, etag, reason, sentAs) => {
          const saved = await saveConfig(key, patch, etag, sentAs, { overwrite: reason });
          return Object.fromEntries(Object.entries(saved).filter(([name]) => name !== 'overwrote' && name !== 'merged')) as unknown as Config;
        }
      : undefined,
    takeBack: ({ etag, version }, sentAs) => rollBackConfig(key, etag, version - 1, t('undoNote', { version: String(version) }), sentAs),
    authorsBetween: (after, before) => authorsBetween(key, after, before),
    onRecord: (record) => {
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
          present={present}
          onField={onField}
          gone={
            gone ? <Deleted configKey={key} content={mine instanceof FormError ? undefined : (mine as JsonObject)} onRecreated={editing.adopt} /> : undefined
          }
        />
      )}
    </>
  );
}

interface DeletedProps {
  configKey: string;
  content: JsonObject | undefined;
  onRecreated: (record: Config) => void;
  /** It was deleted before the page was opened. */
  onForget?: () => void;
}

/** The config was deleted: who did it, and what can become of what was typed. */
function Deleted({ configKey, content, onRecreated, onForget }: DeletedProps) {
  const edit = useText(editMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const words = useConfigWords();
  const { who } = useTelling(words);
  const [last] = useInfiniteQuery(configHistory(configKey)).data?.pages[0]?.items ?? [];
  const mayWrite = useMay()('configs:write');
  const recreate = useKeyedMutation<JsonObject, Config>({
    scope: `configs/${configKey}/recreate`,
    title: configKey,
    send: (members, key) => createConfig({ key: configKey, ...members }, key),
    onDone: (record) => {
      onRecreated(record);
      toasts.done(edit('recreated', { name: configKey }));
    },
    onRefused: (error) => {
      // Somebody else was faster: theirs is what is compared with now.
      if (isProblem(error, 'already_exists')) void queries.invalidateQueries({ queryKey: ['configs', 'one', configKey] });
    },
  });
  const title: ReactNode = last?.action === 'delete' ? edit.rich('deletedBy', { who: who(last.changedBy), when: <When time={last.changedTime} /> }) : undefined;
  const again = { ...recreate, run: content && (() => recreate.run(content)) };
  return <Gone title={title} content={content} words={words} recreate={mayWrite ? again : undefined} onForget={onForget} />;
}

interface KeptProps {
  configKey: string;
  form: ConfigForm;
  slot: { drop: () => void };
  /** It was made again, or is not wanted any more. */
  onSettled: () => void;
}

/** What was typed into a config that was deleted before it was opened again. */
function Kept({ configKey, form, slot, onSettled }: KeptProps) {
  const queries = useQueryClient();
  const content = contentOrError(form);
  const forget = () => {
    slot.drop();
    onSettled();
  };
  const adopt = (record: Config) => {
    queries.setQueryData(oneConfig(configKey).queryKey, record);
    forget();
  };
  return <Deleted configKey={configKey} content={content instanceof FormError ? undefined : content} onRecreated={adopt} onForget={forget} />;
}
