import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { changesOf, contentOfFields, History, RecordPage, revisionsOf } from '@/ui';
import { readFields, useSettingsWords } from './fields';
import { settingsMessages } from './messages';
import { settings, settingsHistory } from './queries';
import { SettingsForm } from './SettingsForm';

/** What a tenant has set: one record, edited under its guard, with every version that it had. */
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
  return (
    <History
      query={query}
      words={useSettingsWords()}
      entries={revisions.map((revision, i) => ({
        ...revision,
        action: t(`did_${revision.action}`),
        changes: changesOf(revisions, i, (one) => contentOfFields(readFields(one))),
      }))}
    />
  );
}
