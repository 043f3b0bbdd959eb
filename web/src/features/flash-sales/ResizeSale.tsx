import { Button, NumberInput, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useFormat, useText } from '@/i18n';
import { Facts, FormDialog, useFieldErrorText, useKeyedForm, useToasts } from '@/ui';
import { TimeInput } from '@/ui/TimeInput';
import { editMessages } from '@/ui/edit/messages';
import { resized } from './balance';
import { saleMessages } from './messages';
import { oneSale, resizeSale, scheduleSale, type Sale, type SaleStats } from './queries';

interface Props {
  sale: Sale;
  /** The latest numbers; undefined for a draft. */
  stats: SaleStats | undefined;
  onClose: () => void;
}

interface Form {
  delta: number;
  /** The time at which the change is executed: null while the input is empty; undefined for immediately. */
  at?: string | null;
  /** The ETag of the displayed version, which guards the write. */
  etag?: string;
}

/** Adds units to a sale or removes unsold ones, immediately or at a time, with a preview. */
export function ResizeSale({ sale, stats, onClose }: Props) {
  const t = useText(saleMessages);
  const edit = useText(editMessages);
  const { number } = useFormat();
  const queries = useQueryClient();
  const toasts = useToasts();
  const { id, name, etag, quantity, status, version } = sale;
  const keyed = useKeyedForm<Form, Sale>({
    scope: `flash-sales/${id}/quantity`,
    title: t('resizeTitle', { name }),
    topics: ['flash-sales', 'approvals', 'overview'],
    open: () => ({ delta: 0 }),
    seal: (typed) => ({ ...typed, etag }),
    isComplete: (typed) => typed.at !== null && resized(quantity, stats, typed.delta).fault === undefined,
    send: ({ delta, at, etag: seen = '' }, key) =>
      typeof at === 'string' ? scheduleSale(id, { quantityDelta: delta }, seen, at, key) : resizeSale(id, delta, seen, key),
    onDone: (now) => {
      queries.setQueryData(oneSale(id).queryKey, now);
      toasts.done(t('resized', { n: now.quantity }));
      onClose();
    },
  });
  const { form, change, strict, error, isFixed } = keyed;
  const { delta, at } = form;
  const isLater = at !== undefined;
  const rejected = useFieldErrorText(error);
  // After the write was sent there is no preview: the displayed numbers may already include the change.
  const after = isFixed ? undefined : resized(quantity, stats, delta);
  const fault = (strict || delta !== 0) && after?.fault;
  const step = (before: number, next: number) => (
    <span className="tabular">
      {number(before)} <span aria-hidden="true">→</span> <strong>{number(next)}</strong>
    </span>
  );
  return (
    <FormDialog
      form={keyed}
      title={t('resizeTitle', { name })}
      size="lg"
      confirm={isLater ? edit('schedule') : t('resizeConfirm')}
      hasInput={(pointer) => pointer === '/quantityDelta'}
      onClose={onClose}
      actions={
        status !== 'draft' && (
          <Button disabled={isFixed} onClick={() => change({ at: isLater ? undefined : null })}>
            {isLater ? t('resizeNow') : edit('scheduleLater')}
          </Button>
        )
      }
    >
      <Text c="dimmed">{t('resizeHint')}</Text>
      <NumberInput
        label={t('delta')}
        disabled={isFixed}
        hideControls
        allowDecimal={false}
        thousandSeparator=","
        value={delta === 0 ? '' : delta}
        error={fault !== undefined && fault !== false ? t(fault) : rejected('/quantityDelta')}
        onChange={(typed) => change({ delta: Number.isSafeInteger(Number(typed)) ? Number(typed) : 0 })}
        data-autofocus
      />
      {after !== undefined && (
        <Facts
          facts={[[t('quantityNow'), step(quantity, after.quantity)], stats !== undefined && [t('remainingNow'), step(stats.remaining, after.remaining ?? 0)]]}
        />
      )}
      {status !== 'draft' && after !== undefined && after.fault === undefined && (
        <Text>{delta > 0 ? t('resizeMore', { n: delta }) : t('resizeLess', { n: -delta })}</Text>
      )}
      {isLater && (
        <>
          <TimeInput
            label={edit('scheduleAt')}
            disabled={isFixed}
            time={at}
            error={strict && at === null && edit('scheduleNeeded')}
            onTime={(typed) => change({ at: typed })}
          />
          <Text c="dimmed">{edit('scheduleHint', { version: String(version) })}</Text>
        </>
      )}
    </FormDialog>
  );
}
