import { Text } from '@mantine/core';
import { useText } from '@/i18n';
import { editOf, encode, parse, type Edit } from '@/merge';
import { TimeInput } from '../TimeInput';
import { useToasts } from '../feedback/toasts';
import { Difference } from './Difference';
import { FormDialog } from './FormDialog';
import { editMessages } from './messages';
import type { Stamped } from './save';
import { useKeyedForm } from './useKeyedForm';
import type { Editing } from './useEditing';

/** Schedules a change of a record. The promise always rejects, because the client throws the proposal that the service returns. */
export type Schedule = (edit: Edit, etag: string, at: string, key: string) => Promise<unknown>;

interface Form {
  /** The execution time in RFC 3339; null while none is entered. */
  at: string | null;
  /** The submitted edit, stored as text until its response, so that numbers stay exact. */
  edit?: string;
  etag?: string;
}

interface Props<R extends Stamped, F extends object> {
  editing: Editing<R, F>;
  schedule: Schedule;
  onClose: () => void;
}

/** Schedules the change in a record's form. Shows the changed fields and the base version. */
export function ScheduleDialog<R extends Stamped, F extends object>({ editing, schedule, onClose }: Props<R, F>) {
  const t = useText(editMessages);
  const toasts = useToasts();
  const { draft, base, mine, changes, labels, needs, resource, title } = editing;
  const version = String(draft.base.version);
  const keyed = useKeyedForm<Form, unknown>({
    scope: `${resource}/schedule`,
    title: `${t('scheduleTitle')} · ${title}`,
    topics: ['approvals', 'overview', resource.split('/')[0] ?? ''],
    open: () => ({ at: null }),
    isComplete: ({ at }) => at !== null && !(mine instanceof Error),
    seal: (form) => (mine instanceof Error ? form : { ...form, edit: encode(editOf(base, mine)), etag: draft.base.etag }),
    send: ({ at, edit = '{}', etag = '' }, key) => schedule(parse(edit) as Edit, etag, at ?? '', key),
    onDone: onClose,
    onProposed: (approval) => {
      toasts.proposed(approval);
      // A proposal does not change the record, so the form shows the base.
      draft.proposed(draft.base.value);
      onClose();
    },
  });
  const { form, change, strict, isFixed } = keyed;
  return (
    <FormDialog form={keyed} title={t('scheduleTitle')} confirm={t('schedule')} disabled={form.at === null} onClose={onClose}>
      <Text c="dimmed">{t(needs === undefined ? 'scheduleHint' : 'scheduleHintVotes', { version })}</Text>
      {changes !== undefined && <Difference changes={changes} labels={labels} />}
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
