import { Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { StepProps } from '@/features/order-records/OrderRecordPage';
import { useText } from '@/i18n';
import { ChangedSinceOpen, FormDialog, useFaults, useStepForm, useToasts } from '@/ui';
import { WholeInput } from '@/ui/WholeInput';
import { returnMessages } from './messages';
import { oneReturn, takeStep, type Return, type ReturnAction, type StepInput } from './queries';
import { allArrived, arrivedLines, isBeyond, type Arrival } from './receipt';

const maxReasonLength = 500;

/** The dialog of a transition with its inputs, guarded by the displayed version. */
export function StepDialog({ row, action, onClose, onLost }: StepProps<Return, ReturnAction>) {
  const t = useText(returnMessages);
  const toasts = useToasts();
  const { id } = row;
  const { data: now = row } = useQuery(oneReturn(id));
  const title = t(`${action}Title`, { id: String(id) });
  const isMissing = ({ reason, lines }: StepInput) =>
    (action === 'reject' && reason.trim() === '') || (action === 'receive' && (arrivedLines(lines).length === 0 || lines.some((line) => isBeyond(line, row))));
  const { keyed, moved, late } = useStepForm<Return, StepInput>({
    record: row,
    now,
    queryKey: oneReturn(id).queryKey,
    action,
    resource: `returns/${id}`,
    title,
    topics: ['returns', 'orders', 'inventory'],
    empty: { reason: '', exchangeOrderId: null, lines: allArrived(row) },
    isComplete: (step) => !isMissing(step),
    send: (etag, step, key) => takeStep(id, etag, action, step, key),
    onDone: (after) => toasts.done(t('done', { id: String(id), status: t(after.status).toLowerCase() })),
    onClose,
    onLost,
  });
  const { form, change, isFixed } = keyed;
  const { errorOf, hasInput } = useFaults(keyed, ['reason', 'exchangeOrderId', 'lines'], (field) => {
    if (field === 'reason') return action === 'reject' && form.reason.trim() === '' && t('needed');
    return field === 'lines' && action === 'receive' && arrivedLines(form.lines).length === 0 && t('unitsNeeded');
  });
  const disabled = isFixed || late;
  const setLine = (lineId: number, part: Partial<Arrival>) =>
    change({ lines: form.lines.map((line) => (line.lineId === lineId ? { ...line, ...part } : line)) });
  return (
    <FormDialog
      form={keyed}
      title={title}
      size="md"
      confirm={t(`${action}Confirm`)}
      color={action === 'reject' ? 'bad' : 'accent'}
      hasInput={hasInput}
      disabled={late}
      onClose={onClose}
    >
      <Text>{t(`${action}Hint`)}</Text>
      {action === 'receive' && (
        <Stack gap="sm">
          {row.lines.map(({ lineId, sku, name, quantity }) => {
            const line = form.lines.find((one) => one.lineId === lineId) ?? { lineId, restocked: null, writtenOff: null };
            return (
              <div key={lineId} role="group" aria-label={sku}>
                <WholeInput
                  label={t('restockedOf', { sku })}
                  description={t('ofUnits', { name, n: String(quantity) })}
                  clampBehavior="none"
                  disabled={disabled}
                  value={line.restocked}
                  error={isBeyond(line, row) && t('beyond', { n: String(quantity) })}
                  onChange={(restocked) => setLine(lineId, { restocked })}
                />
                <WholeInput
                  label={t('writtenOffOf', { sku })}
                  clampBehavior="none"
                  disabled={disabled}
                  value={line.writtenOff}
                  onChange={(writtenOff) => setLine(lineId, { writtenOff })}
                />
              </div>
            );
          })}
          {errorOf('lines') !== undefined && <Text c="bad">{errorOf('lines')}</Text>}
        </Stack>
      )}
      {action === 'close' && (
        <WholeInput
          label={t('exchange')}
          description={t('exchangeHint')}
          disabled={disabled}
          value={form.exchangeOrderId}
          error={errorOf('exchangeOrderId')}
          onChange={(exchangeOrderId) => change({ exchangeOrderId })}
        />
      )}
      {action === 'reject' && (
        <Textarea
          label={t('reason')}
          autosize
          minRows={2}
          maxLength={maxReasonLength}
          disabled={disabled}
          value={form.reason}
          error={errorOf('reason')}
          onChange={(event) => change({ reason: event.currentTarget.value })}
          data-autofocus
        />
      )}
      {moved && <ChangedSinceOpen record={now} status={t(now.status)} isPossible={!late} actions={now.allowedTransitions.map((one) => t(one))} />}
    </FormDialog>
  );
}
