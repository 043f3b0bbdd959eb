import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useFormat, useText } from '@/i18n';
import { changesOf, History, RecordPage, revisionsOf } from '@/ui';
import { settingsForm, useSettingsLabels } from './fields';
import { settingsMessages } from './messages';
import { settings, settingsHistory } from './queries';
import { SettingsForm } from './SettingsForm';

/** The settings of a tenant: one guarded record, with all its versions. */
export function SettingsPage() {
  const t = useText(settingsMessages);
  return (
    <RecordPage query={useQuery(settings)} name={t('title')}>
      {(record) => (
        <>
          <SettingsForm record={record} />
          <Past />
        </>
      )}
    </RecordPage>
  );
}

function Past() {
  const t = useText(settingsMessages);
  const query = useInfiniteQuery(settingsHistory);
  const revisions = revisionsOf(query);
  const { read, contentOf } = settingsForm(useFormat());
  return (
    <History
      query={query}
      labels={useSettingsLabels()}
      entries={revisions.map((revision, i) => ({
        ...revision,
        action: t(`did_${revision.action}`),
        changes: changesOf(revisions, i, (one) => contentOf(read(one))),
      }))}
    />
  );
}
