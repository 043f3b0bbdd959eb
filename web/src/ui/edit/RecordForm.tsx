import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { EditNotices } from './EditNotices';
import { FieldConflicts } from './FieldConflicts';
import type { Fields } from './fields';
import { editMessages } from './messages';
import type { RecordForm as State, Stamped } from './useRecordForm';

interface Props<R extends Stamped, T extends Fields> {
  form: State<R, T>;
  /** What stands above everything. */
  head?: ReactNode;
  /** What can be done with a record that was deleted while it was open; it cannot be saved. */
  gone?: ReactNode;
  readOnly?: boolean;
  /** Which places of a refused request have an input that says what is wrong. */
  told?: (pointer: string) => boolean;
  /** The inputs. */
  children: ReactNode;
}

/** A form that edits a record; what others change meanwhile is merged, or asked for field by field. */
export function RecordForm<R extends Stamped, T extends Fields>({ form, head, gone, readOnly = false, told, children }: Props<R, T>) {
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack gap="md">
        {head}
        {gone ?? <Between form={form} told={told} />}
        {children}
        {!readOnly && gone === undefined && <Buttons form={form} />}
      </Stack>
    </form>
  );
}

/** What stands between what is typed and the record: a refusal, what others did, a conflict. */
function Between<R extends Stamped, T extends Fields>({ form, told }: Pick<Props<R, T>, 'form' | 'told'>) {
  const { draft, current, read, texts, guarded } = form;
  return (
    <>
      {form.error !== null && <ProblemBanner error={form.error} told={told} />}
      {guarded.conflict === undefined ? (
        <EditNotices draft={draft} current={current} read={read} texts={texts} />
      ) : (
        <FieldConflicts
          conflict={guarded.conflict}
          mine={draft.value}
          texts={texts}
          saving={form.isSaving}
          onChoose={guarded.choose}
          onLater={guarded.giveUp}
          onResolve={form.resolve}
        />
      )}
    </>
  );
}

function Buttons<R extends Stamped, T extends Fields>({ form }: { form: State<R, T> }) {
  const t = useText(editMessages);
  const { draft, guarded } = form;
  return (
    <Group justify="flex-end">
      <Button disabled={!draft.isDirty} onClick={draft.discard}>
        {t('discard')}
      </Button>
      <Button type="submit" variant="filled" disabled={!draft.isDirty || guarded.conflict !== undefined} loading={form.isSaving}>
        {t('save')}
      </Button>
    </Group>
  );
}
