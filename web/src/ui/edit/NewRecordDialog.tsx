import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode, SubmitEvent } from 'react';
import { useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { KeyedNotice } from '../feedback/KeyedNotice';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { uiMessages } from '../messages';
import { When } from '../When';
import { editMessages } from './messages';
import type { NewRecord } from './useNewRecord';

interface Props {
  record: Omit<NewRecord<object>, 'value' | 'change'>;
  title: string;
  /** What the button that sends says. */
  confirm: string;
  onClose: () => void;
  /** Which places of a refused request have an input that says what is wrong. */
  told?: (pointer: string) => boolean;
  /** The inputs. */
  children: ReactNode;
}

/** The dialog that makes a record. Closing it keeps what was typed. */
export function NewRecordDialog({ record, title, confirm, onClose, told, children }: Props) {
  const ui = useText(uiMessages);
  const t = useText(editMessages);
  const { error, isOpen, isPending, restored, discard } = record;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    record.submit();
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={title} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <KeyedNotice keyed={record} />
          {error !== null && !isOpen && <ProblemBanner error={error} told={told} />}
          {restored !== undefined && (
            <Banner
              tone="info"
              title={t.rich('restored', { when: <When time={new Date(restored).toISOString()} /> })}
              action={<Button onClick={discard}>{t('discard')}</Button>}
            >
              {t('restoredHint')}
            </Banner>
          )}
          {children}
          <Group justify="flex-end">
            <Button onClick={onClose}>{ui('cancel')}</Button>
            <Button type="submit" variant="filled" loading={isPending}>
              {isOpen ? ui('askAgain') : confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
