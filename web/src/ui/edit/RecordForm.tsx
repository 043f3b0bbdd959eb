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
import { FormFoot } from './FormFoot';
import { editMessages } from './messages';
import { ScheduleDialog, type Schedule } from './ScheduleDialog';
import type { Saved, Stamped } from './save';
import { useEditing, type Editing, type EditingOptions, type Needs } from './useEditing';
import { useUnlessPressed } from './useUnlessPressed';
import { useNameLists } from './labels';
import { OutcomeNotice, RestoredNotice, StorageNotice } from './WriteNotices';

/** Edits a record and reports each save in a toast. `onSaved` closes the container of the form. */
export function useRecordForm<R extends Stamped, F extends object>(options: EditingOptions<R, F>, onSaved?: () => void): Editing<R, F> {
  const t = useText(editMessages);
  const toasts = useToasts();
  const { who, people, fields } = useNameLists(options.labels);
  const callbacks = {
    onSaved: (saved: Saved<R>, undo: () => void) => {
      if (saved.kind === 'proposed') toasts.proposed(saved.approval);
      if (saved.kind === 'same') toasts.info(t('same', { who: who(saved.record.updatedBy) }));
      if (saved.kind === 'saved' && saved.preserved === undefined) toasts.done(t('savedAs', { version: String(saved.record.version) }), undo);
      if (saved.kind === 'saved' && saved.preserved?.by !== undefined && onSaved !== undefined) {
        toasts.done(t('keptTheirs', { who: people([saved.preserved.by]), fields: fields(saved.preserved.pointers) }));
      }
      if (saved.kind !== 'contested') onSaved?.();
    },
    onUndone: ({ version }: R) => toasts.done(t('undone', { version: String(version - 1) })),
  };
  return useEditing(options, callbacks);
}

interface Props<R extends Stamped, F extends object> {
  editing: Editing<R, F>;
  /** The content above the notices and the form. */
  head?: ReactNode;
  /** Replaces the buttons if the record was deleted while it was open. */
  deletedNotice?: ReactNode;
  /** The permission that is missing for a save. */
  missingPermission?: string;
  /** Whether an input shows the violation at a JSON Pointer; the banner omits it. */
  hasInput?: (pointer: string) => boolean;
  /** An error message with its actions; undefined for the default message. */
  renderRejection?: (error: Error) => ReactNode;
  /** The form is a card; its inputs extend to the edges. */
  framed?: boolean;
  /** The inputs are wider than a line of text. */
  wide?: boolean;
  /** The accessible name of the form. */
  label?: string;
  /** For a contested field the user can also enter a value of neither side. */
  withOther?: boolean;
  /** A link to the diff of two versions; undefined if there is no such page. */
  link?: (from: number, to: number, labels: string) => ReactNode;
  /** Schedules the change; undefined if it cannot be scheduled. */
  schedule?: Schedule;
  /** Reports the field that has the focus. */
  onField?: (field: string | undefined) => void;
  /** The inputs. An element with data-field is the container of a field. */
  children: ReactNode;
}

/** The form for a record, or the conflict view. Concurrent changes by others are merged, or resolved field by field. */
export function RecordForm<R extends Stamped, F extends object>(props: Props<R, F>) {
  const { editing, deletedNotice, missingPermission, hasInput, renderRejection, withOther = false, link } = props;
  const t = useText(editMessages);
  const ask = useConfirm();
  const { draft, theirs, isComparing } = editing;
  const [scheduling, scheduleDialog] = useDisclosure();
  const canSave = missingPermission === undefined && deletedNotice === undefined;
  const discard = async () => {
    const version = String(theirs?.version ?? draft.base.version);
    const sure = await ask({
      title: t('discardTitle'),
      body: editing.outcome === 'unknown' ? t('abandonBody') : t('discardBody', { version }),
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
      {deletedNotice}
      {isComparing && theirs !== undefined && deletedNotice === undefined ? (
        <ConflictView editing={editing} theirs={theirs} withOther={withOther} link={link} renderRejection={renderRejection} onDiscard={() => void discard()} />
      ) : (
        <>
          {deletedNotice === undefined && <Notices editing={editing} hasInput={hasInput} renderRejection={renderRejection} link={link} />}
          <form
            aria-label={props.label}
            className={props.framed === true ? styles.framed : styles.form}
            data-wide={props.wide === true || undefined}
            noValidate
            onFocus={onFocus}
            onBlur={onBlur}
            onSubmit={onSubmit}
          >
            {props.children}
            {missingPermission !== undefined && (
              <Text c="dimmed" className={styles.readOnly}>
                {t('readOnly', { permission: missingPermission })}
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
  const others = useOthers(editing);
  const status = isUnreadable
    ? t('fixFirst')
    : isEdited
      ? needs === undefined
        ? t('writes', { next, version: String(version) })
        : t('proposes', { version: String(version) })
      : t(draft.isDirty ? 'onlyLayout' : 'unchanged');
  return (
    <FormFoot status={others?.text ?? status} tone={others?.tone}>
      <Button disabled={!draft.isDirty || outcome === 'sending'} onClick={onDiscard}>
        {t('discardMine')}
      </Button>
      {onSchedule !== undefined && (
        <Button disabled={!isEdited || isUnreadable || outcome === 'sending' || isUnknown} onClick={onSchedule}>
          {t('scheduleLater')}
        </Button>
      )}
      <Button type="submit" variant="filled" disabled={!isUnknown && (!isEdited || isUnreadable)} loading={outcome === 'sending'} title={t('saveHint')}>
        {isUnknown ? t('retryRequest') : needs === undefined ? t('save', { version: next }) : t('propose')}
      </Button>
    </FormFoot>
  );
}

/**
 * Reports changes by others in the foot of the form, where they move no field. They can arrive while
 * the user presses Save.
 */
function useOthers<R extends Stamped, F extends object>(editing: Editing<R, F>): { tone: 'warn' | 'ok'; text: ReactNode } | undefined {
  const t = useText(editMessages);
  const { draft, current, base, labels, contentOf } = editing;
  const theirs = useUnlessPressed(editing.theirs);
  const followed = useUnlessPressed(draft.followed);
  const { who, fields } = useNameLists(labels);
  const saved = (record: R) => ({ who: who(record.updatedBy), version: String(record.version), when: <When time={record.updatedTime} /> });
  if (theirs !== undefined) {
    const changed = fields(diff(base, contentOf(theirs)).map(({ pointer }) => pointer));
    const text = (
      <>
        <span>{t.rich('while', { ...saved(theirs), base: String(draft.base.version) })}</span>
        <span title={t('onlyBoth')}>{t('nothingLost', { fields: changed })}</span>
        <Button size="compact-sm" onClick={() => editing.setComparing(true)}>
          {t('compare')}
        </Button>
      </>
    );
    return { tone: 'warn', text };
  }
  if (followed.length === 0) return undefined;
  const text = (
    <>
      <span>{t.rich('followed', saved(current))}</span>
      <span>{t('changedFields', { fields: fields(followed) })}</span>
    </>
  );
  return { tone: 'ok', text };
}

/** Explains, before the user types, that a save becomes a proposal. */
export function NeedsNotice({ needs: { votes } }: { needs: Needs }) {
  const t = useText(editMessages);
  return <Banner tone="info" title={votes === undefined ? t('needsVotes') : t('needs', { n: votes })} />;
}

/** Notices above the form about the user's own save or draft. */
function Notices<R extends Stamped, F extends object>({
  editing,
  hasInput,
  renderRejection,
  link,
}: Pick<Props<R, F>, 'editing' | 'hasInput' | 'renderRejection' | 'link'>) {
  const t = useText(editMessages);
  const { draft, merged, labels, error } = editing;
  const { people, fields } = useNameLists(labels);
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
              ? t('keptTheirs', { who: people(merged.by), fields: fields(merged.pointers) })
              : t('keptOthers', { fields: fields(merged.pointers) })
          }
          action={link?.(merged.fromVersion, merged.version, t('showDiff'))}
        />
      )}
      <RestoredNotice at={draft.restored} />
      {error !== null && (renderRejection?.(error) ?? <ProblemBanner error={error} hasInput={hasInput} />)}
    </>
  );
}
