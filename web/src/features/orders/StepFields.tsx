import { Textarea, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { orderMessages } from './messages';
import type { OrderAction, StepInput } from './queries';

/** What each action asks for; a name with `required` may not stay empty. */
const fieldsOf: Record<OrderAction, readonly { name: keyof StepInput; required: boolean; most: number }[]> = {
  pay: [{ name: 'reference', required: false, most: 100 }],
  ship: [
    { name: 'carrier', required: true, most: 100 },
    { name: 'trackingNo', required: true, most: 100 },
  ],
  complete: [],
  cancel: [{ name: 'reason', required: true, most: 500 }],
};

/** Whether an action asks for this place of its request. */
export const asks = (action: OrderAction, pointer: string): boolean => fieldsOf[action].some(({ name }) => pointer === `/${name}`);

export function missingOf(action: OrderAction, step: StepInput): Set<string> {
  return new Set(fieldsOf[action].filter(({ name, required }) => required && step[name].trim() === '').map(({ name }) => name));
}

interface Props {
  action: OrderAction;
  step: StepInput;
  onChange: (step: StepInput) => void;
  /** What is wrong, by field. */
  errors: Readonly<Partial<Record<string, string>>>;
  disabled: boolean;
}

/** The inputs of an action, for one order or many. */
export function StepFields({ action, step, onChange, errors, disabled }: Props) {
  const t = useText(orderMessages);
  return fieldsOf[action].map(({ name, required, most }, i) => {
    const props = {
      label: t(name),
      description: name === 'reference' ? t('referenceHint') : name === 'reason' ? t('reasonHint') : undefined,
      value: step[name],
      onChange: (event: { currentTarget: { value: string } }) => onChange({ ...step, [name]: event.currentTarget.value }),
      error: errors[name],
      withAsterisk: required,
      maxLength: most,
      disabled,
      'data-autofocus': i === 0 || undefined,
    };
    return name === 'reason' ? <Textarea key={name} autosize minRows={2} {...props} /> : <TextInput key={name} {...props} />;
  });
}
