import { useLocalText, useText } from '@/i18n';
import { useActs } from '../acts/acts';
import { Keys } from '../acts/Keys';
import { Dialog } from '../Dialog';
import { isApple } from '../keys';
import { useEntries } from './pages';
import { shortcutMessages } from './shortcutMessages';
import styles from './ShortcutsDialog.module.css';

const command = isApple ? '⌘' : 'Ctrl';

/** The keys of lists and forms; those of acts and pages are declared there. */
const fixed = {
  lists: [
    ['/', 'find'],
    ['j', 'down'],
    ['k', 'up'],
    ['Home', 'first'],
    ['End', 'last'],
    ['Enter', 'open'],
    ['Space', 'choose'],
  ],
} as const;

/** Every keyboard shortcut, by context. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const t = useText(shortcutMessages);
  const text = useLocalText();
  const acts = useActs();
  const entries = useEntries();
  const ofActs = (isGeneral: boolean) =>
    acts.flatMap((act): Shortcut[] => (act.hotkey === undefined || (act.isGeneral ?? false) !== isGeneral ? [] : [[[act.hotkey], act.label]]));
  return (
    <Dialog onClose={onClose} title={t('title')} size="lg">
      <div className={styles.sheet}>
        <div>
          <Group name={t('here')} shortcuts={ofActs(false)} />
          <Group name={t('everywhere')} shortcuts={[[[command, 'K'], t('search')], ...ofActs(true), [['Esc'], t('close')]]} />
          <Group name={t('lists')} shortcuts={fixed.lists.map(([key, does]) => [[key], t(does)])} />
          <Group name={t('forms')} shortcuts={[[[command, 'S'], t('save')]]} />
        </div>
        <Group
          name={t('pages')}
          shortcuts={entries.flatMap(({ page: { title, navigation } }): Shortcut[] =>
            navigation.key === undefined ? [] : [[['g', navigation.key], text(title)]],
          )}
        />
      </div>
    </Dialog>
  );
}

type Shortcut = readonly [keys: readonly string[], does: string];

function Group({ name, shortcuts }: { name: string; shortcuts: readonly Shortcut[] }) {
  if (shortcuts.length === 0) return null;
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      <dl className={styles.keys}>
        {[...new Map(shortcuts.map((one) => [one[1], one])).values()].map(([keys, does]) => (
          <div key={does}>
            <dt>
              <Keys keys={keys} />
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
