import { Text } from '@mantine/core';
import { useText } from '@/i18n';
import { encode, isPatchable, parse, patchOf, type JsonObject } from '@/merge';
import { TimeInput } from '../TimeInput';
import { useToasts } from '../feedback/toasts';
import { Difference } from './Difference';
import { FormDialog } from './FormDialog';
import { editMessages } from './messages';
import type { Stamped } from './save';
import { useKeyedForm } from './useKeyedForm';
import type { Editing } from './useEditing';

/** Asks for a change of a record at a time; what it is answered with is thrown as a proposal. */
export type Schedule = (patch: JsonObject, etag: string, at: string, key: string) => Promise<unknown>;

interface Form {
  /** When, as the service spells it; null while none is typed. */
  at: string | null;
  /** What it was asked for, kept until it is answered: as text, so that numbers keep their digits. */
  patch?: string;
  etag?: string;
}

interface Props<R extends Stamped, F extends object> {
  editing: Editing<R, F>;
  schedule: Schedule;
  onClose: () => void;
}

/** Has what is typed in a record's form be made at a time: shows what will change, and on which version it stands. */
export function ScheduleDialog<R extends Stamped, F extends object>({ editing, schedule, onClose }: Props<R, F>) {
  const t = useText(editMessages);
  const toasts = useToasts();
  const { draft, base, mine, changes, words, needs, resource, title } = editing;
  const version = String(draft.base.version);
  const keyed = useKeyedForm<Form, unknown>({
    scope: `${resource}/schedule`,
    title: `${t('scheduleTitle')} · ${title}`,
    topics: ['approvals', 'overview', resource.split('/')[0] ?? ''],
    open: () => ({ at: null }),
    isComplete: ({ at }) => at !== null && !(mine instanceof Error) && isPatchable(base, mine),
    seal: (form) => (mine instanceof Error ? form : { ...form, patch: encode(patchOf(base, mine)), etag: draft.base.etag }),
    send: ({ at, patch = '{}', etag = '' }, key) => schedule(parse(patch) as JsonObject, etag, at ?? '', key),
    onDone: onClose,
    onProposed: (approval) => {
      toasts.proposed(approval);
      // Nothing of the record was changed, so that the form is what it was.
      draft.proposed(draft.base.value);
      onClose();
    },
  });
  const { form, change, strict, isFixed } = keyed;
  return (
    <FormDialog form={keyed} title={t('scheduleTitle')} confirm={t('schedule')} disabled={form.at === null} onClose={onClose}>
      <Text c="dimmed">{t(needs === undefined ? 'scheduleHint' : 'scheduleHintVotes', { version })}</Text>
      {changes !== undefined && <Difference changes={changes} words={words} />}
      <TimeInput
        label={t('scheduleAt')}
        data-autofocus
        disabled={isFixed}
        time={form.at}
        error={strict && form.at === null && t('scheduleNeeded')}
        onTime={(at) => change({ at })}
      />
    </FormDialog>
  );
}
