import { useText } from '@/i18n';
import { StatusChip } from '@/ui';
import { userMessages } from './messages';

/** Whether a user can sign in. */
export function UserStateChip({ disabled }: { disabled: boolean }) {
  const t = useText(userMessages);
  return <StatusChip tone={disabled ? 'bad' : 'ok'}>{t(disabled ? 'disabled' : 'active')}</StatusChip>;
}
