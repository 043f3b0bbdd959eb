import { NumberInput, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { useFaults } from '@/ui';
import { missingOf, type StockForm } from './adjustment';
import { bulkStockMessages } from './bulk/messages';
import { inventoryMessages } from './messages';

interface Props {
  form: StockForm;
  onChange: (part: Partial<StockForm>) => void;
  /** Whether to show missing inputs: the user has tried to save. */
  strict: boolean;
  /** The rejection, which may concern a field. */
  error: Error | null;
  disabled: boolean;
  /** For a single item: the quantity at the start of the count. Undefined for several items. */
  countedFrom?: number;
  /** Whether each line of a table has a separate number. */
  hasRowValues?: boolean;
}

const wholeOf = (typed: string | number) => (typeof typed === 'number' && Number.isSafeInteger(typed) ? typed : null);

/** The inputs of an adjustment, for one item or several. */
export function AdjustmentInputs({ form, onChange, strict, error, disabled, countedFrom, hasRowValues = false }: Props) {
  const t = useText(inventoryMessages);
  const many = useText(bulkStockMessages);
  const isMany = countedFrom === undefined;
  const missing = missingOf(form);
  const { errorOf } = useFaults({ strict, error }, ['delta', 'setTo', 'reason', 'reference'], (name) => missing.has(name) && t(`${name}Needed`));
  return (
    <>
      <SegmentedControl
        aria-label={t('way')}
        disabled={disabled}
        value={form.way}
        data={[
          { value: 'delta', label: t('wayDelta') },
          { value: 'count', label: t('wayCount') },
        ]}
        onChange={(way) => onChange({ way })}
      />
      {hasRowValues ? null : form.way === 'delta' ? (
        <NumberInput
          key="delta"
          label={t('delta')}
          description={t('deltaHint')}
          allowDecimal={false}
          disabled={disabled}
          value={form.delta ?? ''}
          error={errorOf('delta')}
          onChange={(typed) => onChange({ delta: wholeOf(typed) })}
          data-autofocus
        />
      ) : (
        <NumberInput
          key="count"
          label={t('setTo')}
          description={!isMany && t('setToHint', { n: countedFrom })}
          allowDecimal={false}
          allowNegative={false}
          disabled={disabled}
          value={form.setTo ?? ''}
          error={errorOf('setTo')}
          onChange={(typed) => onChange({ setTo: wholeOf(typed) })}
        />
      )}
      <Textarea
        label={t('reason')}
        description={isMany ? many('reasonHint') : t('reasonHint')}
        autosize
        minRows={2}
        maxLength={500}
        disabled={disabled}
        value={form.reason}
        error={errorOf('reason')}
        onChange={(event) => onChange({ reason: event.currentTarget.value })}
      />
      <TextInput
        label={t('reference')}
        description={isMany ? many('referenceHint') : t('referenceHint')}
        classNames={{ input: 'mono' }}
        maxLength={100}
        disabled={disabled}
        value={form.reference}
        error={errorOf('reference')}
        onChange={(event) => onChange({ reference: event.currentTarget.value })}
      />
    </>
  );
}
