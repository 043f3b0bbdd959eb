import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import type { FocusEvent, ReactNode, SubmitEvent } from 'react';
import { useText } from '@/i18n';
import { diff } from '@/merge';
import { ConflictView } from '../conflict/ConflictView';
import { Banner } from '../feedback/Banner';
import { useConfirm } from '../feedback/confirm';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { useToasts } from '../feedback/toasts';
import { When } from '../When';
import styles from './RecordForm.module.css';
import { editMessages } from './messages';
import { ScheduleDialog, type Schedule } from './ScheduleDialog';
import type { Saved, Stamped } from './save';
import { useEditing, type Editing, type EditingOptions, type Needs } from './useEditing';
import { useUnlessPressed } from './useUnlessPressed';
import { useTelling } from './words';
import { OutcomeNotice, RestoredNotice, StorageNotice } from './WriteNotices';

/** The editing of a record, and what is told of it in the corner. `onSaved` closes what the form stands in. */
export function useRecordForm<R extends Stamped, F extends object>(options: EditingOptions<R, F>, onSaved?: () => void): Editing<R, F> {
  const t = useText(editMessages);
  const toasts = useToasts();
  const { who, people, places } = useTelling(options.words);
  const told = {
    saved: (saved: Saved<R>, undo: () => void) => {
      if (saved.kind === 'proposed') toasts.proposed(saved.approval);
      if (saved.kind === 'same') toasts.info(t('same', { who: who(saved.record.updatedBy) }));
      if (saved.kind === 'saved' && saved.kept === undefined) toasts.done(t('savedAs', { version: String(saved.record.version) }), undo);
      if (saved.kind === 'saved' && saved.kept?.by !== undefined && onSaved !== undefined) {
        toasts.done(t('keptTheirs', { who: people([saved.kept.by]), fields: places(saved.kept.pointers) }));
      }
      if (saved.kind !== 'contested' && saved.kind !== 'unpatchable') onSaved?.();
    },
    undone: ({ version }: R) => toasts.done(t('undone', { version: String(version - 1) })),
  };
  return useEditing(options, told);
}

interface Props<R extends Stamped, F extends object> {
  editing: Editing<R, F>;
  /** What stands above everything. */
  head?: ReactNode;
  /** Stands in for what can be done with the record: it was deleted while it was open. */
  gone?: ReactNode;
  /** The permission that is missing to save it. */
  lacks?: string;
  /** Which places of a refused request have an input that says what is wrong. */
  told?: (pointer: string) => boolean;
  /** Why it was refused, and what can be done; undefined leaves it to the general words. */
  refusal?: (error: Error) => ReactNode;
  /** It stands on a card of its own, its inputs from edge to edge. */
  framed?: boolean;
  /** Its inputs take all the width and are more than a screen, so that what saves them stays in sight. */
  long?: boolean;
  /** Names the form, for screen readers. */
  label?: string;
  /** Another value than either side's can be written at a contested place. */
  withOther?: boolean;
  /** Leads to the difference of two versions; undefined where there is no such page. */
  link?: (from: number, to: number, words: string) => ReactNode;
  /** Has a change be made at a time; undefined where it cannot be. */
  schedule?: Schedule;
  /** Which field has the focus. */
  onField?: (field: string | undefined) => void;
  /** The inputs; what is around one with data-field is its field. */
  children: ReactNode;
}

/** A form that edits a record, or both sides of its conflict; what others change meanwhile is merged or asked for, place by place. */
export function RecordForm<R extends Stamped, F extends object>(props: Props<R, F>) {
  const { editing, gone, lacks, told, refusal, withOther = false, link } = props;
  const t = useText(editMessages);
  const ask = useConfirm();
  const { draft, theirs, isComparing } = editing;
  const [scheduling, scheduleDialog] = useDisclosure();
  const canSave = lacks === undefined && gone === undefined;
  const discard = async () => {
    const version = String(theirs?.version ?? draft.base.version);
    const sure = await ask({
      title: t('discardTitle'),
      body: editing.outcome === 'unknown' ? t('giveUpBody') : t('discardBody', { version }),
      confirm: t('discardConfirm'),
      tone: 'bad',
    });
    if (sure !== undefined) editing.discard();
  };
  const save = () => {
    if (canSave && !isComparing) editing.save();
  };
  useHotkeys([['mod+S', save]], [], true);
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => props.onField?.(target.closest<HTMLElement>('[data-field]')?.dataset.field);
  const onBlur = ({ relatedTarget, currentTarget }: FocusEvent<HTMLElement>) => {
    if (!currentTarget.contains(relatedTarget)) props.onField?.(undefined);
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <Stack gap="md">
      {props.head}
      {gone}
      {isComparing && theirs !== undefined && gone === undefined ? (
        <ConflictView editing={editing} theirs={theirs} withOther={withOther} link={link} refusal={refusal} onDiscard={() => void discard()} />
      ) : (
        <>
          {gone === undefined && <Notices editing={editing} told={told} refusal={refusal} link={link} />}
          <form
            aria-label={props.label}
            className={props.framed === true ? styles.framed : styles.form}
            data-long={props.long === true || undefined}
            noValidate
            onFocus={onFocus}
            onBlur={onBlur}
            onSubmit={onSubmit}
          >
            {props.children}
            {lacks !== undefined && (
              <Text c="dimmed" className={styles.foot}>
                {t('readOnly', { permission: lacks })}
              </Text>
            )}
            {canSave && <Foot editing={editing} onSchedule={props.schedule && scheduleDialog.open} onDiscard={() => void discard()} />}
          </form>
          {scheduling && canSave && props.schedule !== undefined && (
            <ScheduleDialog editing={editing} schedule={props.schedule} onClose={scheduleDialog.close} />
          )}
        </>
      )}
    </Stack>
  );
}

interface FootProps<R extends Stamped, F extends object> {
  editing: Editing<R, F>;
  onDiscard: () => void;
  onSchedule?: () => void;
}

function Foot<R extends Stamped, F extends object>({ editing, onDiscard, onSchedule }: FootProps<R, F>) {
  const t = useText(editMessages);
  const { draft, theirs, mine, changes, outcome, needs } = editing;
  const version = theirs?.version ?? draft.base.version;
  const next = String(version + 1);
  const isEdited = changes === undefined || changes.length > 0;
  const isUnreadable = mine instanceof Error;
  const isUnknown = outcome === 'unknown';
  return (
    <div className={styles.foot}>
      <span className={styles.writes}>
        {isUnreadable
          ? t('fixFirst')
          : isEdited
            ? needs === undefined
              ? t('writes', { next, version: String(version) })
              : t('proposes', { version: String(version) })
            : t(draft.isDirty ? 'onlyLayout' : 'unchanged')}
      </span>
      <Button disabled={!draft.isDirty || outcome === 'sending'} onClick={onDiscard}>
        {t('discardMine')}
      </Button>
      {onSchedule !== undefined && (
        <Button disabled={!isEdited || isUnreadable || outcome === 'sending' || isUnknown} onClick={onSchedule}>
          {t('scheduleLater')}
        </Button>
      )}
      <Button type="submit" variant="filled" disabled={!isUnknown && (!isEdited || isUnreadable)} loading={outcome === 'sending'} title={t('saveHint')}>
        {isUnknown ? t('askAgain') : needs === undefined ? t('save', { version: next }) : t('propose')}
      </Button>
    </div>
  );
}

/** Says before anything is typed that a change is a proposal. */
export function NeedsNotice({ needs: { votes } }: { needs: Needs }) {
  const t = useText(editMessages);
  return <Banner tone="info" title={votes === undefined ? t('needsVotes') : t('needs', { n: votes })} />;
}

/** What happened to the record while its form was open: what was merged, what others saved, what was typed earlier. */
function Notices<R extends Stamped, F extends object>({ editing, told, refusal, link }: Pick<Props<R, F>, 'editing' | 'told' | 'refusal' | 'link'>) {
  const t = useText(editMessages);
  const { draft, current, merged, base, words, error, contentOf } = editing;
  // What others do comes at any moment, also while Save is being pressed.
  const theirs = useUnlessPressed(editing.theirs);
  const followed = useUnlessPressed(draft.followed);
  const { who, people, places } = useTelling(words);
  const saved = (record: R) => ({ who: who(record.updatedBy), version: String(record.version), when: <When time={record.updatedTime} /> });
  return (
    <>
      <OutcomeNotice write={editing} />
      <StorageNotice />
      {editing.needs !== undefined && <NeedsNotice needs={editing.needs} />}
      {merged !== undefined && (
        <Banner
          tone="ok"
          title={
            merged.by.length > 0
              ? t('keptTheirs', { who: people(merged.by), fields: places(merged.pointers) })
              : t('keptOthers', { fields: places(merged.pointers) })
          }
          action={link?.(merged.fromVersion, merged.version, t('showDiff'))}
        />
      )}
      <RestoredNotice at={draft.restored} />
      {theirs !== undefined && (
        <Banner
          tone="warn"
          title={t.rich('while', { ...saved(theirs), base: String(draft.base.version) })}
          action={<Button onClick={() => editing.setComparing(true)}>{t('compare')}</Button>}
        >
          {t('nothingLost', { fields: places(diff(base, contentOf(theirs)).map(({ pointer }) => pointer)) })}
        </Banner>
      )}
      {theirs === undefined && followed.length > 0 && (
        <Banner tone="info" title={t.rich('followed', saved(current))}>
          {t('changedPlaces', { fields: places(followed) })}
        </Banner>
      )}
      {error !== null && (refusal?.(error) ?? <ProblemBanner error={error} told={told} />)}
      {editing.isUnpatchable && <Banner tone="bad" title={t('noNull')} />}
    </>
  );
}
