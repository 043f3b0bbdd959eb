import { Textarea, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { useFaults } from '@/ui';
import { orderMessages } from './messages';
import type { OrderAction, StepInput } from './queries';

type Name = keyof StepInput;

/** The fields of each transition; a `required` field must not be empty. */
const fieldsOf: Record<OrderAction, readonly { name: Name; required: boolean; maxLength: number }[]> = {
  pay: [{ name: 'reference', required: true, maxLength: 100 }],
  ship: [
    { name: 'carrier', required: true, maxLength: 100 },
    { name: 'trackingNo', required: true, maxLength: 100 },
  ],
  complete: [],
  cancel: [{ name: 'reason', required: true, maxLength: 500 }],
};

/** The required fields that are empty. */
export const missingOf = (action: OrderAction, step: StepInput): ReadonlySet<Name> =>
  new Set(fieldsOf[action].filter(({ name, required }) => required && step[name].trim() === '').map(({ name }) => name));

/** The faults of a transition's inputs. */
export function useStepFaults(action: OrderAction, step: StepInput, form: { strict: boolean; error: Error | null }) {
  const t = useText(orderMessages);
  const missing = missingOf(action, step);
  return useFaults(
    form,
    fieldsOf[action].map(({ name }) => name),
    (name) => missing.has(name) && t('needed'),
  );
}

interface Props {
  action: OrderAction;
  step: StepInput;
  onChange: (part: Partial<StepInput>) => void;
  errorOf: (name: Name) => string | undefined;
  /** The fields without an input, because a pasted or uploaded table contains their values. */
  without?: readonly Name[];
  disabled: boolean;
}

/** The inputs of a transition, for one order or several. */
export function StepFields({ action, step, onChange, errorOf, without = [], disabled }: Props) {
  const t = useText(orderMessages);
  const inputs = fieldsOf[action].filter(({ name }) => !without.includes(name));
  return inputs.map(({ name, required, maxLength }, i) => {
    const props = {
      label: t(name),
      description: name === 'reference' ? t('referenceHint') : name === 'reason' ? t('reasonHint') : undefined,
      value: step[name],
      onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
      error: errorOf(name),
      withAsterisk: required,
      maxLength: maxLength,
      disabled,
      'data-autofocus': i === 0 || undefined,
    };
    return name === 'reason' ? <Textarea key={name} autosize minRows={2} {...props} /> : <TextInput key={name} {...props} />;
  });
}
