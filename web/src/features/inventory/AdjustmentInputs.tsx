import { NumberInput, Textarea, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { useFaults } from '@/ui';
import { missingOf, type AdjustmentForm } from './adjustment';
import { inventoryMessages } from './messages';

interface Props {
  form: AdjustmentForm;
  onChange: (part: Partial<AdjustmentForm>) => void;
  /** Says what is not filled in, once somebody tried to save. */
  strict: boolean;
  /** Why it was refused, which may be for a field. */
  error: Error | null;
  disabled: boolean;
}

const wholeOf = (typed: string | number) => (typeof typed === 'number' && Number.isSafeInteger(typed) ? typed : null);

/** The inputs of an adjustment. */
export function AdjustmentInputs({ form, onChange, strict, error, disabled }: Props) {
  const t = useText(inventoryMessages);
  const missing = missingOf(form);
  const { wrong } = useFaults({ strict, error }, ['delta', 'setTo', 'reason', 'reference'], (name) => missing.has(name) && t(`${name}Needed`));
  return (
    <>
      {form.way === 'delta' ? (
        <NumberInput
          key="delta"
          label={t('delta')}
          description={t('deltaHint')}
          allowDecimal={false}
          disabled={disabled}
          value={form.delta ?? ''}
          error={wrong('delta')}
          onChange={(typed) => onChange({ delta: wholeOf(typed) })}
          data-autofocus
        />
      ) : (
        <NumberInput
          key="count"
          label={t('setTo')}
          description={t('setToHint', { n: form.changeFrom })}
          allowDecimal={false}
          allowNegative={false}
          disabled={disabled}
          value={form.setTo ?? ''}
          error={wrong('setTo')}
          onChange={(typed) => onChange({ setTo: wholeOf(typed) })}
        />
      )}
      <Textarea
        label={t('reason')}
        description={t('reasonHint')}
        autosize
        minRows={2}
        maxLength={500}
        disabled={disabled}
        value={form.reason}
        error={wrong('reason')}
        onChange={(event) => onChange({ reason: event.currentTarget.value })}
      />
      <TextInput
        label={t('reference')}
        description={t('referenceHint')}
        classNames={{ input: 'mono' }}
        maxLength={100}
        disabled={disabled}
        value={form.reference}
        error={wrong('reference')}
        onChange={(event) => onChange({ reference: event.currentTarget.value })}
      />
    </>
  );
}
