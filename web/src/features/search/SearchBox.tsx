import { ActionIcon } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { lazy, Suspense, useState } from 'react';
import { useText } from '@/i18n';
import { Icon } from '@/ui';
import { shellMessages } from '@/ui/shell/messages';
import styles from './SearchBox.module.css';

const SearchDialog = lazy(() => import('./SearchDialog'));
const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent);

/** Opens the search by click or Ctrl/⌘-K. The dialog is loaded on first use. */
export function SearchBox() {
  const t = useText(shellMessages);
  const wide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  const [asked, setAsked] = useState(false);
  const [open, setOpen] = useState(false);
  const show = () => {
    setAsked(true);
    setOpen(true);
  };
  useHotkeys([['mod+K', show]], []);
  return (
    <>
      {wide ? (
        <button type="button" className={styles.box} onClick={show}>
          <span>{t('search')}</span>
          <kbd className={styles.key}>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
      ) : (
        <ActionIcon variant="subtle" color="gray" c="dimmed" size="lg" onClick={show} aria-label={t('searchLabel')}>
          <Icon name="search" size={18} />
        </ActionIcon>
      )}
      {asked && (
        <Suspense>
          <SearchDialog open={open} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
