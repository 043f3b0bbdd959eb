import { Button, Paper } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { useText } from '@/i18n';
import { at, resolve, type Choice } from '@/merge';
import { Banner } from '../feedback/Banner';
import { useConfirm } from '../feedback/confirm';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { editMessages } from '../edit/messages';
import type { Stamped } from '../edit/save';
import type { Editing } from '../edit/useEditing';
import { useNameLists } from '../edit/labels';
import { OutcomeNotice } from '../edit/WriteNotices';
import { When } from '../When';
import styles from './Conflict.module.css';
import { ContestedField } from './ContestedField';
import { conflictMessages } from './messages';
import { MergedField, MergedList } from './MergedFields';

interface Props<R extends Stamped, F extends object> {
  editing: Editing<R, F>;
  theirs: R;
  /** Whether the user can write a value that differs from both sides. */
  withOther: boolean;
  /** Returns a link to the changes of the other side in the history; undefined if there is no such page. */
  link: ((from: number, to: number, labels: string) => ReactNode) | undefined;
  /** Explains why the service rejected the edit; undefined shows the general text. */
  renderRejection?: ((error: Error) => ReactNode) | undefined;
  onDiscard: () => void;
}

/** Both sides of a conflict: the changes that merge automatically, and the conflicts that need a choice. */
export function ConflictView<R extends Stamped, F extends object>({ editing, theirs, withOther, link, renderRejection, onDiscard }: Props<R, F>) {
  const t = useText(conflictMessages);
  const edit = useText(editMessages);
  const ask = useConfirm();
  const { labels, draft, base, mine, contentOf, outcome, key, error, overwrite, needs } = editing;
  const { who } = useNameLists(labels);
  const { choices } = draft;
  const theirContent = useMemo(() => contentOf(theirs), [contentOf, theirs]);
  const resolution = useMemo(() => resolve(base, mine instanceof Error ? base : mine, theirContent, choices), [base, mine, theirContent, choices]);
  const { contested, sets, theirsOnly, yoursOnly, merged } = resolution;
  const name = who(theirs.updatedBy);
  const [from, version, next] = [draft.base.version, theirs.version, theirs.version + 1].map(String) as [string, string, string];
  const isSaving = outcome === 'sending';
  const isUnknown = outcome === 'unknown';
  const choose = (pointer: string, choice: Choice | undefined) => {
    const rest = Object.fromEntries(Object.entries(choices).filter(([conflict]) => conflict !== pointer));
    draft.choose(choice === undefined ? rest : { ...rest, [pointer]: choice });
  };
  const onOverwrite = async () => {
    const sure = await ask({
      title: t('overwriteTitle', { who: name }),
      body: needs === undefined ? t('overwriteBody', { next, base: from }) : edit('proposes', { version }),
      confirm: needs === undefined ? t('overwriteConfirm', { version }) : edit('propose'),
      tone: 'bad',
      reason: 'required',
    });
    if (sure !== undefined) overwrite?.(sure.reason);
  };
  const fits = yoursOnly.length + sets.length;
  return (
    <>
      <Banner
        tone="warn"
        title={t.rich('while', { who: name, version, when: <When time={theirs.updatedTime} />, base: from })}
        action={link?.(draft.base.version, theirs.version, t('showTheirs'))}
      >
        {fits > 0 && `${t('fit', { n: fits })} `}
        {contested.length > 0 ? t('chooseContested', { n: contested.length }) : t('none')} {t('nothingLost')}
      </Banner>
      <OutcomeNotice write={{ outcome, key }} />
      {error !== null && (renderRejection?.(error) ?? <ProblemBanner error={error} />)}
      <Paper component="section" aria-label={t('both')} className={styles.panel}>
        {contested.map((conflict) => (
          <ContestedField
            key={conflict.pointer}
            conflict={conflict}
            labels={labels}
            baseVersion={from}
            theirVersion={version}
            who={name}
            withOther={withOther}
            onChoose={(choice) => choose(conflict.pointer, choice)}
          />
        ))}
        {sets.map((set) => (
          <MergedList key={set.pointer} set={set} labels={labels} who={name} />
        ))}
        {yoursOnly.map((pointer) => (
          <MergedField
            key={pointer}
            change={{ pointer, before: at(base, pointer), after: mine instanceof Error ? undefined : at(mine, pointer) }}
            labels={labels}
            explanation={t('yoursFits', { who: name })}
          />
        ))}
        {theirsOnly.map((pointer) => (
          <MergedField
            key={pointer}
            change={{ pointer, before: at(base, pointer), after: at(theirContent, pointer) }}
            labels={labels}
            explanation={t('keptTheirs', { who: name })}
          />
        ))}
        <div className={styles.foot}>
          <span className={styles.writes} role="status">
            {merged === undefined ? t('chooseFirst') : needs === undefined ? t('writes', { next, version }) : edit('proposes', { version })}
          </span>
          <Button onClick={onDiscard}>{t('discard')}</Button>
          {overwrite !== undefined && (
            <Button color="bad" onClick={() => void onOverwrite()} disabled={isSaving || isUnknown}>
              {t('overwrite')}
            </Button>
          )}
          <Button onClick={() => editing.setComparing(false)}>{t('back')}</Button>
          <Button
            variant="filled"
            disabled={merged === undefined && !isUnknown}
            loading={isSaving}
            onClick={() => (isUnknown ? editing.save() : merged !== undefined && editing.saveResolved(merged, theirs))}
          >
            {isUnknown ? edit('retryRequest') : needs === undefined ? t('saveMerged', { version: next }) : edit('propose')}
          </Button>
        </div>
      </Paper>
    </>
  );
}
