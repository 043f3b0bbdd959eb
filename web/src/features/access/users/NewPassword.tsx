import { PasswordInput } from '@mantine/core';
import { useText } from '@/i18n';
import { leastPassword, longestPassword, passwordFault } from './fields';
import { userMessages } from './messages';

interface Props {
  label: string;
  value: string;
  /** Somebody tried to send it: now say what is wrong. */
  strict: boolean;
  /** What the service refused of it. */
  refused: string | undefined;
  autoFocus?: boolean;
  disabled?: boolean;
  onChange: (password: string) => void;
}

/** A password that is set for somebody. It lives in the page only: what is typed here is kept nowhere. */
export function NewPassword({ label, value, strict, refused, autoFocus, disabled, onChange }: Props) {
  const t = useText(userMessages);
  const fault = passwordFault(value);
  const wrong = {
    passwordShort: () => t('passwordShort', { n: leastPassword, have: Array.from(value).length }),
    passwordLong: () => t('passwordLong', { n: longestPassword }),
  };
  return (
    <PasswordInput
      label={label}
      description={t('passwordHint', { n: leastPassword })}
      autoComplete="new-password"
      disabled={disabled}
      value={value}
      error={(strict && fault !== undefined && wrong[fault]()) || refused}
      visibilityToggleButtonProps={{ 'aria-label': t('showPassword'), tabIndex: 0 }}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus={autoFocus}
    />
  );
}
