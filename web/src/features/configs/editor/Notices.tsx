import { Anchor, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { diff } from '@/merge';
import { Banner, ProblemBanner, When } from '@/ui';
import { isProblem } from '@/api';
import type { Config } from '../queries';
import { contentOfConfig } from './form';
import { editorMessages } from './messages';
import type { Editing } from './useConfigEditing';
import { useWords } from './words';

/** What happened to the config while its form was open: what was merged, what others saved, what was typed earlier. */
export function Notices({ editing, config }: { editing: Editing; config: Config }) {
  const t = useText(editorMessages);
  const words = useWords();
  const { draft, merged, theirs, base, save, isRefusalCurrent } = editing;
  const version = (record: Config) => ({ who: words.who(record.updatedBy), version: String(record.version), when: <When time={record.updatedTime} /> });
  return (
    <>
      {merged !== undefined && (
        <Banner
          tone="ok"
          title={
            merged.by.length > 0
              ? t('keptTheirs', { who: words.people(merged.by), fields: words.places(merged.pointers) })
              : t('keptOthers', { fields: words.places(merged.pointers) })
          }
          action={
            <Anchor
              renderRoot={(props) => (
                <Link {...props} to="/configs/$key" params={{ key: config.key }} search={{ tab: 'history', from: merged.fromVersion, to: merged.version }} />
              )}
            >
              {t('showDiff')}
            </Anchor>
          }
        />
      )}
      {draft.restored !== undefined && (
        <Banner tone="info" title={t.rich('restored', { when: <When time={new Date(draft.restored).toISOString()} /> })}>
          {t('restoredHint', { version: String(draft.base.version) })}
        </Banner>
      )}
      {theirs !== undefined && (
        <Banner
          tone="warn"
          title={t.rich('while', { ...version(theirs), base: String(draft.base.version) })}
          action={<Button onClick={() => editing.setComparing(true)}>{t('compare')}</Button>}
        >
          {t('nothingLost', { fields: words.places(diff(base, contentOfConfig(theirs)).map(({ pointer }) => pointer)) })}
        </Banner>
      )}
      {theirs === undefined && draft.followed.length > 0 && (
        <Banner tone="info" title={t.rich('followed', version(config))}>
          {t('changedPlaces', { fields: words.places(draft.followed) })}
        </Banner>
      )}
      {save.error !== null && isRefusalCurrent && !isProblem(save.error, 'not_found') && (
        <ProblemBanner error={save.error} told={(pointer) => /^\/(value|valueType|remark|schema)(\/|$)/.test(pointer)} />
      )}
      {save.data?.kind === 'unpatchable' && isRefusalCurrent && <Banner tone="bad" title={t('noNull')} />}
    </>
  );
}
