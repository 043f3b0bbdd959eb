import { Button, Group, Modal, Progress, ScrollArea, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { useIdempotencyKey } from '@/api';
import { useText } from '@/i18n';
import { ProblemBanner } from '@/ui';
import type { Selection } from '@/ui/table';
import styles from './Cockpit.module.css';
import { readAllDead, runDecisions, undecided, type DeadVerdict } from './dead';
import { saleMessages } from './messages';
import { decideDead, type DeadDecision, type DeadLetter } from './queries';

interface Props {
  id: number;
  decision: DeadDecision;
  /** One letter, or those that are chosen. */
  only: DeadLetter | undefined;
  selection: Selection<DeadLetter>;
  onClose: () => void;
}

const words = { done: 'verdictDone', gone: 'verdictGone', failed: 'verdictFailed', unknown: 'verdictUnknown', notSent: 'verdictNotSent' } as const;

/** Retries or discards dead letters: says first how many and what happens, then a verdict for each. */
export function DeadDialog({ id, decision, only, selection, onClose }: Props) {
  const t = useText(saleMessages);
  const queries = useQueryClient();
  const { key, renew } = useIdempotencyKey(`flash-sales/${id}/dead/${only?.messageId ?? 'chosen'}/${decision}`);
  // What was chosen when the dialog opened.
  const [chosen] = useState(selection);
  const [letters, setLetters] = useState<readonly DeadLetter[] | undefined>(only !== undefined ? [only] : chosen.all ? undefined : chosen.rows);
  const [read, setRead] = useState(0);
  const [verdicts, setVerdicts] = useState<DeadVerdict[]>([]);
  const [phase, setPhase] = useState<'preview' | 'running' | 'done'>('preview');
  const [error, setError] = useState<unknown>();
  const stop = useRef<AbortController>(undefined);

  useEffect(() => {
    if (only !== undefined || !chosen.all) return undefined;
    const abort = new AbortController();
    readAllDead(id, chosen.except, setRead, abort.signal).then(
      (found) => {
        chosen.setMany(found, true);
        setLetters(found);
      },
      (problem: unknown) => {
        if (!abort.signal.aborted) setError(problem);
      },
    );
    return () => abort.abort();
  }, [id, only, chosen]);

  const all = letters ?? [];
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    setPhase('running');
    stop.current = new AbortController();
    const run = await runDecisions({
      letters: all,
      send: ({ messageId }) => decideDead(id, messageId, decision, `${key}-${messageId}`),
      onVerdicts: setVerdicts,
      signal: stop.current.signal,
    });
    setPhase('done');
    const left = undecided(run);
    if (only === undefined) selection.keep(left);
    else if (left.size === 0 && selection.has(only.messageId)) selection.toggle(only);
    // The same letters are asked for again with the same keys, until all are known.
    if (!run.some(({ verdict }) => verdict === 'unknown')) renew();
    void queries.invalidateQueries({ queryKey: ['flash-sales'] });
  };
  const close = () => {
    if (phase !== 'running') onClose();
  };
  const failed = verdicts.filter(({ verdict }) => verdict !== 'done');
  const done = verdicts.length - failed.length;
  return (
    <Modal opened onClose={close} withCloseButton={false} title={t(decision === 'retry' ? 'retryTitle' : 'discardTitle', { n: letters?.length ?? read })}>
      <form onSubmit={(event) => void start(event)}>
        <Stack gap="md">
          {error !== undefined && <ProblemBanner error={error} />}
          {letters === undefined && error === undefined && <Text role="status">{t('reading', { n: read })}</Text>}
          {phase === 'preview' && letters !== undefined && (
            <Text>
              {t(decision === 'retry' ? 'retryBody' : 'discardBody')} {t('unitsInAll', { n: all.reduce((sum, { quantity }) => sum + quantity, 0) })}
            </Text>
          )}
          {phase !== 'preview' && (
            <>
              <Progress value={(100 * verdicts.length) / Math.max(1, all.length)} aria-label={t('progressLabel')} />
              <Text role="status" className="tabular">
                {phase === 'running' ? t('progress', { done: verdicts.length, total: all.length }) : t('finished', { done, failed: failed.length })}
              </Text>
            </>
          )}
          {phase === 'done' && only === undefined && undecided(verdicts).size > 0 && <Text>{t('stillChosen')}</Text>}
          {phase === 'done' && (
            <ScrollArea.Autosize mah={240} viewportProps={{ tabIndex: 0, 'aria-label': t('verdict'), role: 'region' }}>
              <ul className={styles.list}>
                {[...failed, ...verdicts.filter(({ verdict }) => verdict === 'done')].map(({ letter, verdict, detail }) => (
                  <li key={letter.messageId}>
                    <span className="mono">{shortened(letter.messageId)}</span> {t(words[verdict])} {detail}
                  </li>
                ))}
              </ul>
            </ScrollArea.Autosize>
          )}
          <Group justify="flex-end">
            {phase === 'running' ? (
              <Button onClick={() => stop.current?.abort()}>{t('stop')}</Button>
            ) : (
              <Button onClick={close}>{t(phase === 'done' ? 'close' : 'back')}</Button>
            )}
            {phase === 'preview' && (
              <Button type="submit" variant="filled" color={decision === 'discard' ? 'bad' : 'accent'} disabled={all.length === 0} data-autofocus>
                {t(decision === 'retry' ? 'start' : 'startDiscard')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const ends = 6;

/** A ticket by its ends: the middle tells people nothing. */
export function shortened(ticket: string): string {
  return ticket.length <= 2 * ends + 1 ? ticket : `${ticket.slice(0, ends)}…${ticket.slice(-ends)}`;
}
