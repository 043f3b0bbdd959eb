import { ActionIcon } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useText } from '@/i18n';
import { Icon } from '@/ui';
import { isApple } from '@/ui/keys';
import { shellMessages } from '@/ui/shell/messages';
import { CommandBar } from './CommandBar';
import styles from './SearchBox.module.css';

interface Open {
  /** The element that had the focus. */
  opener: Element | null;
  /** Whether no dialog covers the page. */
  withActs: boolean;
}

/** Opens the command bar by click or Ctrl/⌘-K. The bar is not loaded lazily, so that the first letters are not lost. */
export function SearchBox() {
  const t = useText(shellMessages);
  const wide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const show = () => setOpen((shown) => shown ?? { opener: document.activeElement, withActs: document.querySelector('[role=dialog]') === null });
  useHotkeys([['mod+K', show]], [], true);
  return (
    <>
      {wide ? (
        <button type="button" className={styles.box} onClick={show} aria-haspopup="dialog">
          <span>{t('search')}</span>
          <kbd className={styles.key}>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
      ) : (
        <ActionIcon variant="subtle" color="gray" c="dimmed" size="lg" onClick={show} aria-label={t('searchLabel')}>
          <Icon name="search" size={18} />
        </ActionIcon>
      )}
      {open !== undefined && (
        <CommandBar
          withActs={open.withActs}
          onClose={close}
          onRun={({ run }) => {
            // The dialog of an act returns the focus to the element that has it now.
            flushSync(close);
            if (open.opener instanceof HTMLElement) open.opener.focus({ preventScroll: true });
            run();
          }}
        />
      )}
    </>
  );
}
