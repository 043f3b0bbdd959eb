import { isProblem } from '@/api';
import { readDead, type DeadLetter } from './queries';

/**
 * What became of one dead letter. `gone`: somebody decided on it before; `unknown`: no
 * answer came; `notSent`: the run ended before it.
 */
export interface DeadVerdict {
  letter: DeadLetter;
  verdict: 'done' | 'gone' | 'failed' | 'unknown' | 'notSent';
  detail: string;
}

const pageSize = 200;

/** Reads every dead letter of a sale, except some. */
export async function readAllDead(id: number, except: ReadonlySet<string>, onCount: (n: number) => void, signal: AbortSignal): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  let cursor: string | undefined;
  do {
    const page = await readDead(id, { cursor, limit: pageSize }, signal);
    letters.push(...page.items.filter(({ messageId }) => !except.has(messageId)));
    onCount(letters.length);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return letters;
}

interface Run {
  letters: readonly DeadLetter[];
  send: (letter: DeadLetter) => Promise<unknown>;
  onVerdicts: (verdicts: DeadVerdict[]) => void;
  signal: AbortSignal;
}

/**
 * Decides on letter after letter. It ends early when it is stopped or the service is
 * away, for then every further one would only wait in vain; all have a verdict.
 */
export async function runDecisions({ letters, send, onVerdicts, signal }: Run): Promise<DeadVerdict[]> {
  const verdicts: DeadVerdict[] = [];
  let away = false;
  for (const letter of letters) {
    if (signal.aborted || away) verdicts.push({ letter, verdict: 'notSent', detail: '' });
    else {
      const verdict = await decided(letter, send);
      away = verdict.verdict === 'unknown';
      verdicts.push(verdict);
    }
    onVerdicts([...verdicts]);
  }
  return verdicts;
}

async function decided(letter: DeadLetter, send: Run['send']): Promise<DeadVerdict> {
  try {
    await send(letter);
    return { letter, verdict: 'done', detail: '' };
  } catch (error) {
    if (isProblem(error, 'not_found')) return { letter, verdict: 'gone', detail: '' };
    if (!isProblem(error) || error.isOutcomeUnknown) return { letter, verdict: 'unknown', detail: '' };
    return { letter, verdict: 'failed', detail: error.message };
  }
}

/** Letters that are still there to be decided on. */
export function undecided(verdicts: readonly DeadVerdict[]): Set<string> {
  return new Set(verdicts.filter(({ verdict }) => verdict !== 'done' && verdict !== 'gone').map(({ letter }) => letter.messageId));
}
