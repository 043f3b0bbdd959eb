import { Button, Group } from '@mantine/core';
import { isProblem, isUnknown } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner } from '@/ui';
import { factorMessages } from './messages';

export const maxNameLength = 100;

/** Explains why a factor was not confirmed. */
export function SetUpRejection({ error }: { error: Error }) {
  const t = useText(factorMessages);
  if (isProblem(error, 'not_found')) return <Banner tone="bad" title={t('expired')} />;
  if (isUnknown(error) || isProblem(error, 'idempotency_key_reused')) return <Banner tone="warn" title={t('lost')} />;
  return <ProblemBanner error={error} />;
}

/** The buttons of a dialog. Without `onConfirm` the confirm button submits the form. */
export function Buttons({ confirm, isSending, onClose, onConfirm }: { confirm: string; isSending: boolean; onClose: () => void; onConfirm?: () => void }) {
  const t = useText(factorMessages);
  return (
    <Group justify="flex-end">
      <Button onClick={onClose}>{t('cancel')}</Button>
      <Button
        type={onConfirm === undefined ? 'submit' : 'button'}
        variant="filled"
        loading={isSending}
        onClick={onConfirm}
        data-autofocus={onConfirm !== undefined || undefined}
        autoFocus={onConfirm !== undefined}
      >
        {confirm}
      </Button>
    </Group>
  );
}
