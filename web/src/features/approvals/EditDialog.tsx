import { Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { winnerOf, type Approval, type Winner } from '@/api';
import { useText } from '@/i18n';
import { isObject, JsonSyntaxError, parse, type JsonObject } from '@/merge';
import { FormDialog, useKeyedForm, useToasts } from '@/ui';
import { TimeInput } from '@/ui/TimeInput';
import { approvalMessages } from './messages';
import { patchText } from './places';
import { editApproval, oneApproval, type ApprovalRead } from './queries';

interface Form {
  /** The patch as text, so that its numbers stay exact. */
  patch: string;
  note: string;
  /** The time at which the change is executed; null to execute it once it is approved. */
  at: string | null;
  etag?: string;
}

interface Props {
  approval: ApprovalRead;
  onClose: () => void;
  /** Called if another user has voted or decided since then. */
  onLost: (winner: Winner<Approval>) => void;
}

/** Lets the author change the proposal, if it concerns one record and is a merge patch. */
export function EditDialog({ approval, onClose, onLost }: Props) {
  const t = useText(approvalMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const { id, etag, note, patch, effectiveTime } = approval;
  const keyed = useKeyedForm<Form, Approval>({
    scope: `approvals/${id}/edit`,
    title: t('editTitle'),
    topics: ['approvals'],
    open: () => ({ patch: patchText(patch ?? {}), note, at: effectiveTime }),
    isComplete: ({ patch: text, at }) => patchOf(text) !== undefined && (effectiveTime === null || at !== null),
    isSecret: () => isOfSecret(approval),
    seal: (form) => ({ ...form, etag }),
    send: (form, key) => editApproval(id, editOf(form, effectiveTime), form.etag ?? etag, key),
    onDone: () => {
      toasts.done(t('edited', { id: String(id) }));
      onClose();
    },
    onRejected: (error) => {
      const winner = winnerOf<Approval>(error);
      if (winner === undefined) return;
      void queries.invalidateQueries({ queryKey: oneApproval(id).queryKey });
      onClose();
      onLost(winner);
    },
  });
  const { form, change, strict, isFixed } = keyed;
  return (
    <FormDialog form={keyed} title={t('editTitle')} confirm={t('saveEdit')} onClose={onClose}>
      <Text c="dimmed">{t('editHint')}</Text>
      <Textarea
        label={t('patch')}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        disabled={isFixed}
        value={form.patch}
        error={strict && patchOf(form.patch) === undefined && t('notPatch')}
        onChange={(event) => change({ patch: event.currentTarget.value })}
      />
      {effectiveTime !== null && (
        <TimeInput
          label={t('effective')}
          disabled={isFixed}
          time={form.at}
          error={strict && form.at === null && t('effectiveNeeded')}
          onTime={(at) => change({ at })}
        />
      )}
      <TextInput label={t('note')} maxLength={500} disabled={isFixed} value={form.note} onChange={(event) => change({ note: event.currentTarget.value })} />
    </FormDialog>
  );
}

/** The request body. It omits an unchanged time, which may be in the past by now. */
function editOf({ patch, note, at }: Form, before: string | null): JsonObject {
  const edit = { patch: patchOf(patch) ?? {}, note: note.trim() };
  return at === null || at === before ? edit : { ...edit, effectiveTime: at };
}

function patchOf(text: string): JsonObject | undefined {
  try {
    const json = parse(text);
    return isObject(json) ? json : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Whether the config is secret in any version: base, proposed or current. */
const isOfSecret = ({ sides = [] }: ApprovalRead): boolean =>
  sides.some(({ base, proposed, current }) => [base, proposed, current].some((one) => (one as { secret?: unknown } | null)?.secret === true));
