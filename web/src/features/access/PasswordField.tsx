import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { accessMessages } from './messages';

interface Props {
  label: string;
  description?: ReactNode;
  /** The autocomplete value for password managers. */
  kind: 'current-password' | 'new-password';
  value: string;
  error: string | false | undefined;
  autoFocus?: boolean | undefined;
  disabled?: boolean | undefined;
  onChange: (password: string) => void;
}

/** A password input with a button that shows the text. The password is never stored in the browser. */
export function PasswordField({ label, description, kind, value, error = false, autoFocus, disabled, onChange }: Props) {
  const t = useText(accessMessages);
  return (
    <PasswordInput
      label={label}
      description={description}
      autoComplete={kind}
      disabled={disabled}
      value={value}
      error={error}
      aria-invalid={error !== false || undefined}
      visibilityToggleButtonProps={{ 'aria-label': t('showPassword'), tabIndex: 0 }}
      onChange={(event) => onChange(event.currentTarget.value)}
      data-autofocus={autoFocus}
    />
  );
}
