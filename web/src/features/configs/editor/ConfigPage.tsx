import { Loader, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isProblem, useMay, useUser } from '@/api';
import { useText } from '@/i18n';
import { EtagVersion, keptDraft, PageHeader, ProblemBanner, StatusChip, usePresence } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { HistoryView } from '../history/HistoryView';
import type { Config } from '../queries';
import { ConfigEditor } from './ConfigEditor';
import { DeleteConfig } from './DeleteConfig';
import styles from './Editor.module.css';
import type { ConfigForm } from './form';
import { KeptDraft } from './KeptDraft';
import { editorMessages } from './messages';
import { PeopleHere } from './PeopleHere';
import { oneConfig } from './queries';
import { useConfigEditing } from './useConfigEditing';

/** What of the page is in its address. */
export interface ConfigPageSearch {
  tab?: 'history';
  /** Versions that are compared; without `to` with the current one. */
  from?: number;
  to?: number;
}

interface Props {
  configKey: string;
  search: ConfigPageSearch;
}

/** One config: its editor, and its history. */
export function ConfigPage({ configKey, search }: Props) {
  const t = useText(editorMessages);
  const ui = useText(uiMessages);
  const user = useUser();
  const { data: config, error, refetch } = useQuery(oneConfig(configKey));
  const gone = isProblem(error, 'not_found');
  if (config !== undefined) {
    return <OpenConfig config={config} gone={gone} failure={gone ? null : error} retry={() => void refetch()} search={search} />;
  }
  const kept = gone ? (keptDraft(user.id, `configs/${configKey}`) as ConfigForm | undefined) : undefined;
  return (
    <>
      <PageHeader title={configKey} mono parent={{ to: '/configs', label: t('configs') }} />
      {error === null && <Loader role="img" aria-label={ui('loading')} />}
      {kept !== undefined && <KeptDraft configKey={configKey} form={kept} onSettled={() => void refetch()} />}
      {error !== null && kept === undefined && <ProblemBanner error={error} retry={() => void refetch()} />}
    </>
  );
}

interface OpenProps {
  config: Config;
  gone: boolean;
  failure: Error | null;
  retry: () => void;
  search: ConfigPageSearch;
}

function OpenConfig({ config, gone, failure, retry, search }: OpenProps) {
  const t = useText(editorMessages);
  const mayWrite = useMay()('configs:write');
  const { key } = config;
  const editing = useConfigEditing(config);
  const { draft } = editing;
  const [field, setField] = useState<string>();
  const present = usePresence(`configs/${key}`, field);
  const isHistory = search.tab === 'history';
  return (
    <>
      <PageHeader
        title={key}
        mono
        parent={{ to: '/configs', label: t('configs') }}
        chips={
          <>
            <EtagVersion version={config.version} etag={config.etag} />
            <StatusChip>{config.valueType}</StatusChip>
            {config.protected && <StatusChip tone="warn">{t('protected')}</StatusChip>}
          </>
        }
      >
        <PeopleHere present={present} />
        {mayWrite && !gone && <DeleteConfig configKey={key} seen={draft.base} onDeleted={draft.discard} />}
      </PageHeader>
      <nav className={styles.tabs} aria-label={key}>
        <Link to="/configs/$key" params={{ key }} search={{}} activeOptions={{ exact: true }}>
          {t('edit')}
        </Link>
        <Link to="/configs/$key" params={{ key }} search={{ tab: 'history' }}>
          {t('history')}
        </Link>
      </nav>
      <Stack gap="md">
        {failure !== null && <ProblemBanner error={failure} retry={retry} />}
        {isHistory ? (
          <HistoryView config={config} gone={gone} from={search.from} to={search.to} onRolledBack={(record) => !draft.isDirty && draft.saved(record)} />
        ) : (
          <ConfigEditor config={config} editing={editing} gone={gone} mayWrite={mayWrite} present={present} onField={setField} />
        )}
      </Stack>
    </>
  );
}
