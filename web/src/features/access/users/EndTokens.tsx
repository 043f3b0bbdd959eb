import { Checkbox } from '@mantine/core';
import { useText } from '@/i18n';
import { userMessages } from './messages';

interface Props {
  label: string;
  checked: boolean;
  disabled: boolean;
  onChange: (endTokens: boolean) => void;
}

/** Whether a password change also revokes API tokens. By default they stay valid, since programs often depend on them. */
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
