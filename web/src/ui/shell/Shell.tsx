import { ActionIcon, Button, Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useEffectEvent, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useTenant, useReplays } from '@/api';
import { updateNow, version, wasUpdated } from '@/browser/version';
import { useLocalText, useText } from '@/i18n';
import { Logo, productName } from '../brand/Logo';
import { editMessages } from '../edit/messages';
import { Icon } from '../Icon';
import { Banner } from '../feedback/Banner';
import { useToasts } from '../feedback/toasts';
import { useKeys } from '../keys';
import { useAct } from '../acts/acts';
import { uiMessages } from '../messages';
import { LanguageSwitch } from './LanguageSwitch';
import { LiveIndicator } from './LiveIndicator';
import { shellMessages } from './messages';
import { Navigation } from './Navigation';
import { useEntries, useOpenPage } from './pages';
import { SchemeSwitch } from './SchemeSwitch';
import { useWindowTitle } from '../title';
import styles from './Shell.module.css';
import { UserMenu } from './UserMenu';

const ShortcutsDialog = lazy(() => import('./ShortcutsDialog'));

/** The frame of every page: navigation at the side, tools at the top. */
export function Shell({ search, children }: { search: ReactNode; children: ReactNode }) {
  const t = useText(shellMessages);
  const shared = useText(uiMessages);
  const [drawer, setDrawer] = useState(false);
  // A wide window shows the navigation at its side.
  const isNarrow = useMediaQuery('(max-width: 61.99em)', false, { getInitialValueInEffect: false });
  const [sheet, setSheet] = useState(false);
  useAct({ label: t('keysTitle'), hotkey: '?', isGeneral: true, run: () => setSheet(true) });
  usePageKeys();
  usePageTitle();
  useReplayLabel();
  useUpdateLabel();
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        {t('skip')}
      </a>
      <aside className={styles.side}>
        <Link to="/" className={styles.logo}>
          <Logo />
        </Link>
        <div className={styles.scroll}>
          <Navigation />
        </div>
      </aside>
      <header className={styles.top}>
        <ActionIcon
          className={styles.burger}
          variant="subtle"
          color="gray"
          c="dimmed"
          size="lg"
          onClick={() => setDrawer(true)}
          aria-label={t('openNavigation')}
          aria-expanded={drawer}
        >
          <Icon name="menu" size={20} />
        </ActionIcon>
        <Link to="/" className={styles.topLogo} aria-label={productName}>
          <Logo size={24} />
        </Link>
        {search}
        <div className={styles.tools}>
          <LiveIndicator />
          <Tenant />
          <LanguageSwitch />
          <SchemeSwitch />
          <UserMenu onKeys={() => setSheet(true)} />
        </div>
      </header>
      <main id="content" tabIndex={-1} className={styles.content}>
        <UpdateNotice />
        {children}
      </main>
      <Drawer opened={drawer && isNarrow} onClose={() => setDrawer(false)} size={260} title={<Logo />} closeButtonProps={{ 'aria-label': shared('close') }}>
        <Navigation onOpen={() => setDrawer(false)} />
      </Drawer>
      {sheet && (
        <Suspense>
          <ShortcutsDialog onClose={() => setSheet(false)} />
        </Suspense>
      )}
    </div>
  );
}

function Tenant() {
  const t = useText(shellMessages);
  const tenant = useTenant();
  return (
    <span className={styles.tenant} title={t('tenant', { tenant })}>
      {tenant}
    </span>
  );
}

/** Binds g and a letter to each page of the navigation. */
function usePageKeys(): void {
  const { history } = useRouter();
  const bindings = useEntries().flatMap(({ to, page: { navigation } }) =>
    navigation.key === undefined ? [] : [[`g ${navigation.key}`, () => history.push(to)]],
  );
  useKeys(Object.fromEntries(bindings) as Record<string, () => void>);
}

/** Shows a notice when the service replays the reply of an earlier attempt. */
function useReplayLabel(): void {
  const t = useText(editMessages);
  const toasts = useToasts();
  useReplays(() => toasts.info(t('replayed'), 'replayed'));
}

/** Shows a notice if this page has reloaded because another version was installed. */
function useUpdateLabel(): void {
  const t = useText(shellMessages);
  const toasts = useToasts();
  const tell = useEffectEvent(() => wasUpdated() && toasts.info(t('updated')));
  useEffect(() => void tell(), []);
}

/** Sets the window title, except on record pages, which set it themselves. */
function usePageTitle(): void {
  const page = useOpenPage();
  const text = useLocalText();
  const isRecord = page !== undefined && page.navigation === undefined;
  useWindowTitle(isRecord ? undefined : [page && text(page.title)]);
}

/** Shows that another version of the admin is installed. The next navigation loads it, and a hidden page reloads itself. */
function UpdateNotice() {
  const t = useText(shellMessages);
  const isOutdated = useSyncExternalStore(version.subscribe, version.isOutdated);
  if (!isOutdated) return null;
  return (
    <div className={styles.notice}>
      <Banner tone="info" title={t('newVersion')} action={<Button onClick={updateNow}>{t('loadNow')}</Button>}>
        {t('newVersionHint')}
      </Banner>
    </div>
  );
}
