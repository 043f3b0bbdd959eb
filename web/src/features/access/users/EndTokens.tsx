import { Checkbox } from '@mantine/core';
import { useText } from '@/i18n';
import { userMessages } from './messages';

interface Props {
  label: string;
  checked: boolean;
  disabled: boolean;
  onChange: (endTokens: boolean) => void;
}

/** Whether API tokens end with a password. They stay unless one says otherwise, since programs of the same user often must go on. */
export function EndTokens({ label, checked, disabled, onChange }: Props) {
  const t = useText(userMessages);
  return (
    <Checkbox
      label={label}
      description={t('endTokensHint')}
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
