import { Button, Paper } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { Banner, ProblemBanner, When } from '@/ui';
import { contentOfConfig } from '../editor/form';
import { editorMessages } from '../editor/messages';
import { useWords } from '../editor/words';
import type { Config } from '../queries';
import styles from './Conflict.module.css';
import { ContestedPlace } from './ContestedPlace';
import { conflictMessages } from './messages';
import { FittingPlace, SetPlace } from './MergedPlaces';
import { resolve, type Choice, type Choices } from './resolve';

interface Props {
  base: JsonObject;
  baseVersion: number;
  mine: JsonObject;
  theirs: Config;
  choices: Choices;
  onChoose: (choices: Choices) => void;
  onSave: (merged: JsonObject) => void;
  onBack: () => void;
  /** Undefined for who may not overwrite. */
  onOverwrite: (() => void) | undefined;
  onDiscard: () => void;
  saving: boolean;
  /** What the service refused about the last save of these choices. */
  error: Error | null;
}

/** Both sides of a conflict: what fits beside each other, and the places that have to be chosen. */
export function ConflictPanel({ base, baseVersion, mine, theirs, choices, onChoose, onSave, onBack, onOverwrite, onDiscard, saving, error }: Props) {
  const t = useText(conflictMessages);
  const edit = useText(editorMessages);
  const { who } = useWords();
  const theirContent = useMemo(() => contentOfConfig(theirs), [theirs]);
  const resolution = useMemo(() => resolve(base, mine, theirContent, choices), [base, mine, theirContent, choices]);
  const { contested, sets, theirsOnly, yoursOnly, merged } = resolution;
  const name = who(theirs.updatedBy);
  const choose = (pointer: string, choice: Choice | undefined) => {
    const rest = Object.fromEntries(Object.entries(choices).filter(([place]) => place !== pointer));
    onChoose(choice === undefined ? rest : { ...rest, [pointer]: choice });
  };
  const version = String(theirs.version);
  const next = String(theirs.version + 1);
  const fits = yoursOnly.length + sets.length;
  return (
    <>
      <Banner
        tone="warn"
        title={edit.rich('while', { who: name, version, when: <When time={theirs.updatedTime} />, base: String(baseVersion) })}
        action={
          <Button
            renderRoot={(props) => (
              <Link {...props} to="/configs/$key" params={{ key: theirs.key }} search={{ tab: 'history', from: baseVersion, to: theirs.version }} />
            )}
          >
            {t('showTheirs')}
          </Button>
        }
      >
        {fits > 0 && `${t('fit', { n: fits })} `}
        {contested.length > 0 ? t('ask', { n: contested.length }) : t('none')} {t('nothingLost')}
      </Banner>
      {error !== null && <ProblemBanner error={error} />}
      <Paper component="section" aria-label={t('both')} className={styles.panel}>
        {contested.map((place) => (
          <ContestedPlace
            key={place.pointer}
            place={place}
            baseVersion={baseVersion}
            theirVersion={theirs.version}
            who={name}
            onChoose={(choice) => choose(place.pointer, choice)}
          />
        ))}
        {sets.map((set) => (
          <SetPlace key={set.pointer} set={set} who={name} />
        ))}
        {yoursOnly.map((pointer) => (
          <FittingPlace key={pointer} pointer={pointer} before={base} after={mine} says={t('yoursFits', { who: name })} />
        ))}
        {theirsOnly.map((pointer) => (
          <FittingPlace key={pointer} pointer={pointer} before={base} after={theirContent} says={t('keptTheirs', { who: name })} />
        ))}
        <div className={styles.foot}>
          <span className={styles.writes} role="status">
            {merged === undefined ? t('chooseFirst') : t('writes', { next, version })}
          </span>
          <Button onClick={onDiscard}>{edit('discard')}</Button>
          {onOverwrite !== undefined && (
            <Button color="bad" onClick={onOverwrite} disabled={saving}>
              {t('overwrite')}
            </Button>
          )}
          <Button onClick={onBack}>{t('back')}</Button>
          <Button variant="filled" disabled={merged === undefined} loading={saving} onClick={() => merged !== undefined && onSave(merged)}>
            {t('saveMerged', { version: next })}
          </Button>
        </div>
      </Paper>
    </>
  );
}
