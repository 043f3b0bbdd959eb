import { Text } from '@mantine/core';
import { useText } from '@/i18n';
import { Difference, Facts, isKeyPath, RecordLink, Section } from '@/ui';
import { approvalMessages } from './messages';
import { factsOf, changesIn } from './places';
import type { ApprovalRead, Side } from './queries';
import styles from './Sides.module.css';
import { useProposalLabels } from './useProposalWords';

/** Whether the change of an approval was made. */
export const isMade = ({ status }: Pick<ApprovalRead, 'status'>): boolean => status === 'approved' || status === 'bypassed' || status === 'reviewed';

/**
 * The proposed changes as in a history. If other users have changed a record since, three versions:
 * at the time of the proposal, as proposed, and current.
 */
export function Sides({ approval }: { approval: ApprovalRead }) {
  const { sides, targets, masked, changes } = approval;
  const t = useText(approvalMessages);
  const isSecret = masked === true || (changes ?? []).some((change) => 'masked' in change && change.masked === true);
  return (
    <Section title={t('sides')}>
      {isSecret && <Text>{t('secretValue')}</Text>}
      {sides === undefined ? (
        <Text c="dimmed">{t('mayNotRead')}</Text>
      ) : (
        sides.map((side) => <OneSide key={side.resource} side={side} isOnly={targets.length === 1} isMade={isMade(approval)} />)
      )}
      {sides !== undefined && targets.length > sides.length && (
        <Text c="dimmed">{t('tooMany', { n: String(targets.length), shown: String(sides.length) })}</Text>
      )}
    </Section>
  );
}

function OneSide({ side, isOnly, isMade: made }: { side: Side; isOnly: boolean; isMade: boolean }) {
  const t = useText(approvalMessages);
  const labels = useProposalLabels(side.resource);
  const { resource, base, proposed, current } = side;
  const places = changesIn(side);
  const facts = factsOf(side);
  const proposals = places.filter(({ isProposed }) => isProposed).map(({ pointer, base: before, proposed: after }) => ({ pointer, before, after }));
  const says = [proposed === null && t('deletes'), base === null && proposed !== null && t('creates'), base !== null && current === null && t('recordDeleted')];
  return (
    <div>
      {!isOnly && (
        <h3 className="mono">
          <RecordLink path={resource} />
        </h3>
      )}
      {says.filter(Boolean).map((sentence) => (
        <Text key={String(sentence)}>{sentence}</Text>
      ))}
      {facts.length > 0 && <Facts facts={facts.map(({ pointer, value }) => [labels.field(pointer), labels.show(value, pointer)])} />}
      {places.length === 0 ? (
        <Text c="dimmed">{t((proposed as { masked?: boolean } | null)?.masked === true ? 'changesNothingReadable' : 'changesNothing')}</Text>
      ) : made || places.every(({ hasMoved }) => !hasMoved) ? (
        <div role="group" aria-label={resource}>
          <Difference changes={proposals} labels={labels} max={Infinity} />
        </div>
      ) : (
        <table className={styles.sides} aria-label={resource}>
          <thead>
            <tr>
              <th scope="col">{t('place')}</th>
              <th scope="col">{t('base')}</th>
              <th scope="col">{t('would')}</th>
              <th scope="col">{t('now')}</th>
            </tr>
          </thead>
          <tbody>
            {places.map((place) => {
              const name = labels.field(place.pointer);
              const show = (value: typeof place.base) => labels.show(value, place.pointer);
              return (
                <tr key={place.pointer} data-moved={place.hasMoved || undefined}>
                  <th scope="row" className={isKeyPath(name) ? 'mono' : undefined}>
                    {name}
                  </th>
                  <td data-side={t('base')} className={styles.value}>
                    {show(place.base)}
                  </td>
                  <td data-side={t('would')} className={styles.value}>
                    {place.isProposed ? <strong>{show(place.proposed)}</strong> : <span className={styles.same}>{t('same')}</span>}
                  </td>
                  <td data-side={t('now')} className={`${styles.value ?? ''} ${styles.now ?? ''}`}>
                    {place.hasMoved ? show(place.current) : <span className={styles.same}>{t('same')}</span>}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </div>
  );
}
