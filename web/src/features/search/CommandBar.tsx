import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useText } from '@/i18n';
import { Dialog, Icon, useProblemText } from '@/ui';
import { Keys } from '@/ui/acts/Keys';
import styles from './CommandBar.module.css';
import { searchMessages } from './messages';
import { maxQueryLength } from './queries';
import { useCommands, type Command } from './useCommands';

interface Props {
  /** Whether the page can execute acts: no dialog covers it. */
  withActs: boolean;
  onRun: (command: Command) => void;
  onClose: () => void;
}

/** Finds acts, pages and records by text. A combobox with a list box: the arrow keys move, Enter executes. */
export function CommandBar({ withActs, onRun, onClose }: Props) {
  const t = useText(searchMessages);
  const problemText = useProblemText();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<string>();
  const query = typed.trim();
  const { groups, error, isSearching } = useCommands(query, withActs);
  const commands = groups.flatMap((group) => group.commands);
  const at = Math.max(
    0,
    commands.findIndex((command) => command.id === chosen),
  );
  const active = commands[at];
  const optionId = (command: Command) => `${id}-${command.id}`.replaceAll(/\s/g, '_');
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.nativeEvent.isComposing || (by === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (by !== undefined) setChosen(commands.at((at + by) % commands.length)?.id);
    else if (active !== undefined) onRun(active);
  };
  const isEmpty = commands.length === 0;
  return (
    <Dialog
      title={t('label')}
      size={640}
      yOffset="10vh"
      padding={0}
      withCloseButton={false}
      transitionProps={{ duration: 0 }}
      classNames={{ header: 'unseen', body: styles.body }}
      onClose={onClose}
    >
      <div className={styles.search}>
        <Icon name="search" size={18} />
        <input
          role="combobox"
          aria-label={t('label')}
          aria-autocomplete="list"
          aria-expanded={!isEmpty}
          aria-controls={isEmpty ? undefined : id}
          aria-activedescendant={active && optionId(active)}
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          placeholder={t('hint')}
          maxLength={maxQueryLength}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setChosen(undefined);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {!isEmpty && (
        <div ref={list} role="listbox" id={id} aria-label={t('label')} aria-busy={isSearching} className={styles.list}>
          {groups.map((group, i) => (
            <div key={group.label} role="group" aria-labelledby={`${id}-${i}`}>
              <div id={`${id}-${i}`} className={styles.group}>
                {group.label}
              </div>
              {group.commands.map((command) => (
                <div
                  key={command.id}
                  id={optionId(command)}
                  role="option"
                  aria-selected={command === active}
                  className={styles.option}
                  onPointerMove={() => command !== active && setChosen(command.id)}
                  onClick={() => onRun(command)}
                >
                  <span className={command.mono === true ? `${styles.label ?? ''} mono` : styles.label}>{command.label}</span>
                  {command.hint !== undefined && command.hint !== '' && <span className={styles.hint}>{command.hint}</span>}
                  {command.keys !== undefined && <Keys keys={command.keys} />}
                </div>
              ))}
            </div>
          ))}
        </div>
      )}
      {error !== null && (
        <p role="alert" className={styles.failed}>
          {t('failed', { why: problemText(error) })}
        </p>
      )}
      <p role="status" className={isEmpty && error === null ? styles.empty : 'unseen'}>
        {isSearching ? t('searching') : isEmpty ? t('nothing', { query }) : t('results', { n: commands.length })}
      </p>
    </Dialog>
  );
}
