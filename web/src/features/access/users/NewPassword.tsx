import { useText } from '@/i18n';
import { PasswordField } from '../PasswordField';
import { minPasswordLength, maxPasswordLength, passwordFault } from './fields';
import { userMessages } from './messages';

interface Props {
  label: string;
  value: string;
  /** Whether to show errors: true once the user has tried to submit. */
  strict: boolean;
  /** The fault that the service reported. */
  rejected: string | undefined;
  autoFocus?: boolean;
  disabled?: boolean;
  onChange: (password: string) => void;
}

/** The input for a user's new password, with its rules. */
export function NewPassword({ label, value, strict, rejected, autoFocus, disabled, onChange }: Props) {
  const t = useText(userMessages);
  const fault = passwordFault(value);
  const wrong = {
    passwordShort: () => t('passwordShort', { n: minPasswordLength, have: Array.from(value).length }),
    passwordLong: () => t('passwordLong', { n: maxPasswordLength }),
  };
  return (
    <PasswordField
      label={label}
      description={t('passwordHint', { n: minPasswordLength })}
      kind="new-password"
      disabled={disabled}
      value={value}
      error={strict && fault !== undefined ? wrong[fault]() : rejected}
      autoFocus={autoFocus}
      onChange={onChange}
    />
  );
}
