import { Stack, TextInput } from '@mantine/core';
import { useState, type SubmitEvent } from 'react';
import { useText } from '@/i18n';
import { Dialog, ProblemBanner, useKeyedMutation } from '@/ui';
import { Buttons, maxNameLength } from './parts';
import { factorMessages } from './messages';
import { renameFactor, type Factor } from './queries';

/** The dialog that renames a factor. If another session has renamed it first, nothing is changed. */
export function RenameFactor({ factor: { id, name }, onClose, onRenamed }: { factor: Factor; onClose: () => void; onRenamed: () => void }) {
  const t = useText(factorMessages);
  const [typed, setTyped] = useState(name);
  const [asked, setAsked] = useState(false);
  const rename = useKeyedMutation<string, Factor>({
    scope: `me/factors/${id}/rename`,
    title: t('renameOne', { name }),
    topics: ['users'],
    send: (to, key) => renameFactor(id, name, to, key),
    onDone: onRenamed,
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    if (rename.outcome === 'unknown') rename.retry();
    else if (typed.trim() === name) onClose();
    else if (typed.trim() !== '') rename.run(typed.trim());
  };
  return (
    <Dialog onClose={onClose} size="md" title={t('renameTitle')} withCloseButton={false} closeOnClickOutside={false}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {rename.error !== null && <ProblemBanner error={rename.error} />}
          <TextInput
            label={t('name')}
            maxLength={maxNameLength}
            value={typed}
            error={asked && typed.trim() === '' && t('nameNeeded')}
            onChange={(event) => setTyped(event.currentTarget.value)}
            data-autofocus
          />
          <Buttons confirm={t('rename')} isSending={rename.outcome === 'sending'} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
