import { useText } from '@/i18n';
import { PasswordField } from '../PasswordField';
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

/** A password that is to be somebody's, with its rule. */
export function NewPassword({ label, value, strict, refused, autoFocus, disabled, onChange }: Props) {
  const t = useText(userMessages);
  const fault = passwordFault(value);
  const wrong = {
    passwordShort: () => t('passwordShort', { n: leastPassword, have: Array.from(value).length }),
    passwordLong: () => t('passwordLong', { n: longestPassword }),
  };
  return (
    <PasswordField
      label={label}
      description={t('passwordHint', { n: leastPassword })}
      kind="new-password"
      disabled={disabled}
      value={value}
      error={strict && fault !== undefined ? wrong[fault]() : refused}
      autoFocus={autoFocus}
      onChange={onChange}
    />
  );
}
