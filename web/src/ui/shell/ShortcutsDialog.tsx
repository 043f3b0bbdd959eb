import { useText } from '@/i18n';
import { Dialog } from '../Dialog';
import { shortcutMessages } from './shortcutMessages';
import styles from './ShortcutsDialog.module.css';

const mac = /Mac|iP(hone|ad)/.test(navigator.userAgent);
const command = mac ? '⌘' : 'Ctrl';

/** Every keyboard shortcut, by context. */
const groups = [
  {
    name: 'everywhere',
    keys: [
      [[command, 'K'], 'search'],
      [['?'], 'sheet'],
      [['Esc'], 'close'],
    ],
  },
  {
    name: 'lists',
    keys: [
      [['/'], 'find'],
      [['j'], 'down'],
      [['k'], 'up'],
      [['Home'], 'first'],
      [['End'], 'last'],
      [['Enter'], 'open'],
      [['Space'], 'choose'],
    ],
  },
  { name: 'forms', keys: [[[command, 'S'], 'save']] },
] as const;

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const t = useText(shortcutMessages);
  return (
    <Dialog onClose={onClose} title={t('title')}>
      <div className={styles.sheet}>
        {groups.map(({ name, keys }) => (
          <section key={name} aria-labelledby={`keys-${name}`}>
            <h3 id={`keys-${name}`}>{t(name)}</h3>
            <dl className={styles.keys}>
              {keys.map(([combination, what]) => (
                <div key={what}>
                  <dt>
                    {combination.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{t(what)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
