import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocalText, useText } from '@/i18n';
import { Icon, Section, useKeyedAction, useToasts } from '@/ui';
import { addressOf } from '@/ui/shell/navigation';
import { useEntries, useMenuName } from '@/ui/shell/pages';
import { blankMenu, termsOf } from './fields';
import styles from './MenuTree.module.css';
import { menuMessages } from './messages';
import { createMenu, type Menu, type MenuTerms } from './queries';

/** Pages without a menu: they are new in a release, or their menu was deleted. */
export function MissingPages({ menus }: { menus: readonly Menu[] }) {
  const t = useText(menuMessages);
  const text = useLocalText();
  const toasts = useToasts();
  const queries = useQueryClient();
  const nameOf = useMenuName();
  const known = new Set(menus.map(({ path }) => addressOf(path)));
  const missing = useEntries().filter(({ to }) => !known.has(addressOf(to)));
  const add = useKeyedAction<MenuTerms, Menu>({
    scope: 'menus/add-page',
    title: t('missing'),
    topics: ['menus', 'navigation'],
    send: createMenu,
    onDone: async (made) => {
      await Promise.all(['menus', 'navigation'].map((topic) => queries.invalidateQueries({ queryKey: [topic] })));
      toasts.done(t('created', { name: nameOf(made) }));
    },
  });
  if (missing.length === 0) return null;
  return (
    <Section title={t('missing')} hint={t('missingHint')}>
      <ul className={styles.missing}>
        {missing.map(({ to, page }) => (
          <li key={to}>
            <Button
              leftSection={<Icon name="plus" />}
              disabled={add.outcome === 'sending' || add.outcome === 'unknown'}
              aria-label={t('addPageOf', { name: text(page.title) })}
              onClick={() => add.run(termsOf({ ...blankMenu, path: addressOf(to), permission: page.permission ?? '' }))}
            >
              {text(page.title)}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
