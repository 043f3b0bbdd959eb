import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useOwner } from '@/api';
import { drafts, type ListedDraft } from '@/browser/drafts';
import { useText } from '@/i18n';
import { editMessages } from '../edit/messages';
import { useConfirmAbandon } from '../edit/useConfirmAbandon';
import { StorageNotice } from '../edit/WriteNotices';
import { Icon } from '../Icon';
import { uiMessages } from '../messages';
import { StatusChip } from '../StatusChip';
import { Dialog } from '../Dialog';
import { When } from '../When';
import styles from './DraftsDialog.module.css';

/** The drafts of the user, each with a link to its page. */
export function DraftsDialog({ onClose }: { onClose: () => void }) {
  const t = useText(editMessages);
  const ui = useText(uiMessages);
  const owner = useOwner();
  const [list, setList] = useState(() => drafts.list(owner));
  const confirmAbandon = useConfirmAbandon();
  const remove = async ({ scope, sent }: ListedDraft) => {
    if (sent !== undefined && !(await confirmAbandon())) return;
    drafts.remove({ owner, scope });
    setList(drafts.list(owner));
  };
  return (
    <Dialog onClose={onClose} title={t('myDrafts')}>
      <Stack gap="md">
        <StorageNotice />
        <Text c="dimmed">{t(list.length === 0 ? 'noDrafts' : 'draftsHint')}</Text>
        {list.length > 0 && (
          <ul className={styles.list}>
            {list.map((draft) => {
              const { scope, title, page, at, sent } = draft;
              return (
                <li key={scope}>
                  <span className={styles.what}>
                    <Link to={page} onClick={onClose}>
                      {title}
                    </Link>
                    <span className={styles.when}>
                      <When time={new Date(at).toISOString()} />
                    </span>
                    {sent !== undefined && <StatusChip tone="warn">{t('draftOpen')}</StatusChip>}
                  </span>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    c="dimmed"
                    aria-label={t('discardDraft', { name: title })}
                    disabled={drafts.isInFlight({ owner, scope })}
                    onClick={() => void remove(draft)}
                  >
                    <Icon name="cross" />
                  </ActionIcon>
                </li>
              );
            })}
          </ul>
        )}
        <Group justify="flex-end">
          <Button onClick={onClose}>{ui('close')}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
