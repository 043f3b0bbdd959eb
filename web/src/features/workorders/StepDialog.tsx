import { Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay, type Winner } from '@/api';
import { UserPicker } from '@/features/access/users/UserPicker';
import { useText } from '@/i18n';
import { FormDialog, ChangedSinceOpen, useFaults, useStepForm, useToasts } from '@/ui';
import { WholeInput } from '@/ui/WholeInput';
import { workOrderMessages } from './messages';
import { maxTextLength } from './opening';
import { emptyStep, oneWorkOrder, takeStep, type DialogAction, type StepInput, type WorkOrder } from './queries';

interface Props {
  order: WorkOrder;
  action: DialogAction;
  onClose: () => void;
  /** Called if another user was first. */
  onLost: (winner: Winner<WorkOrder>) => void;
}

/** The input of each step. */
const asks = { assign: 'userId', resolve: 'resolution', reopen: undefined, close: undefined } as const satisfies Record<
  DialogAction,
  keyof StepInput | undefined
>;

const isMissing = (action: DialogAction, { userId, resolution }: StepInput): boolean =>
  (action === 'assign' && userId === null) || (action === 'resolve' && resolution.trim() === '');

/** The dialog of a step with its input, guarded by the displayed version. */
export function StepDialog({ order, action, onClose, onLost }: Props) {
  const t = useText(workOrderMessages);
  const toasts = useToasts();
  const seesUsers = useMay()('users:read');
  const { id } = order;
  const { data: now = order } = useQuery(oneWorkOrder(id));
  const title = t(`${action}Title`, { id: String(id) });
  const { keyed, moved, late } = useStepForm<WorkOrder, StepInput>({
    record: order,
    now,
    queryKey: oneWorkOrder(id).queryKey,
    action,
    resource: `work-orders/${id}`,
    title,
    topics: ['work-orders', 'overview'],
    empty: emptyStep,
    isComplete: (step) => !isMissing(action, step),
    send: (etag, step, key) => takeStep(id, etag, action, step, key),
    onDone: (after) => toasts.done(t('done', { id: String(id), status: t(after.status).toLowerCase() })),
    onClose,
    onLost,
  });
  const { form, change, isFixed } = keyed;
  const name = asks[action];
  const { errorOf, hasInput } = useFaults(
    keyed,
    name === undefined ? [] : [name],
    (field) => isMissing(action, form) && t(field === 'userId' ? 'chosenNeeded' : 'resolutionNeeded'),
  );
  const disabled = isFixed || late;
  return (
    <FormDialog form={keyed} title={title} size="md" confirm={t(`${action}Confirm`)} hasInput={hasInput} disabled={late} onClose={onClose}>
      <Text>{t(action === 'resolve' && now.status === 'open' ? 'resolveOpenHint' : `${action}Hint`)}</Text>
      {name === 'userId' &&
        (seesUsers ? (
          <UserPicker
            label={t('user')}
            description={t('userHint')}
            disabled={disabled}
            userId={form.userId}
            error={errorOf('userId')}
            onChange={(userId) => change({ userId })}
          />
        ) : (
          <WholeInput label={t('userNumber')} disabled={disabled} value={form.userId} error={errorOf('userId')} onChange={(userId) => change({ userId })} />
        ))}
      {name === 'resolution' && (
        <Textarea
          label={t('resolution')}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={maxTextLength}
          disabled={disabled}
          value={form.resolution}
          error={errorOf('resolution')}
          onChange={(event) => change({ resolution: event.currentTarget.value })}
          data-autofocus
        />
      )}
      {moved && <ChangedSinceOpen record={now} status={t(now.status)} isPossible={!late} actions={now.allowedTransitions.map((one) => t(one))} />}
    </FormDialog>
  );
}
