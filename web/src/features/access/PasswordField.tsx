import { PasswordInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { accessMessages } from './messages';

interface Props {
  label: string;
  description?: ReactNode;
  /** Tells what fills in passwords whether it is that of now. */
  kind: 'current-password' | 'new-password';
  value: string;
  /** What is wrong with it. */
  error: string | false | undefined;
  autoFocus?: boolean | undefined;
  disabled?: boolean | undefined;
  onChange: (password: string) => void;
}

/** The input of a password, which can be shown while it is typed. It lives in the page only: what is typed here is kept nowhere. */
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
