import { Button, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode, SubmitEvent } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { FormFoot } from '../edit/FormFoot';
import { RestoredNotice, StorageNotice } from '../edit/WriteNotices';
import { Banner } from '../feedback/Banner';
import { useConfirm } from '../feedback/confirm';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { Dialog } from '../Dialog';
import { Proposed } from '../feedback/Proposed';
import { nameOf, type BulkAction, type Watched } from './action';
import { bulkMessages } from './messages';
import { RowValuesInput } from './RowValuesInput';
import { Preview } from './Preview';
import { isLeft, resultsOf } from './run';
import { useBulk, type Bulk } from './useBulk';
import type { Chosen } from './useRows';
import { useSaveVerdicts, Verdicts } from './Verdicts';

export interface BulkProps<Row, Input extends object> {
  list: string;
  topic: string;
  action: BulkAction<Row, Input>;
  rowId: (row: Row) => string;
  chosen: Chosen<Row>;
  /** The rows are listed in a pasted or uploaded table, not selected in the list. */
  isTable: boolean;
  watched?: Watched<Row>;
  onClose: () => void;
}

/** The dialog of a bulk action: a preview of the sent and skipped rows, then a verdict for each. */
export function BulkDialog<Row, Input extends object>({ onClose, ...props }: BulkProps<Row, Input>) {
  const t = useText(bulkMessages);
  const { action } = props;
  const bulk = useBulk({ ...props, watched: props.watched });
  const { phase, rows, count, plan, job, error, input } = bulk;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    bulk.start();
  };
  const close = () => {
    if (phase !== 'running') onClose();
  };
  const n = job?.items.length ?? rows?.length ?? count;
  const title = bulk.isTable && n === 0 ? nameOf(action) : action.labels.title(n);
  return (
    <Dialog
      onClose={close}
      withCloseButton={false}
      closeOnEscape={phase !== 'running'}
      size="xl"
      title={job?.isUndo === true ? t('undoTitle', { title }) : title}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <StorageNotice />
          {error !== undefined && phase !== 'broken' && <ProblemBanner error={error} retry={bulk.retry} />}
          {phase === 'reading' && error === undefined && <Text role="status">{t('reading', { n: count })}</Text>}
          {phase === 'preview' && (
            <>
              {action.labels.hint !== undefined && <Text c="dimmed">{action.labels.hint}</Text>}
              <RestoredNotice at={bulk.restored} onDiscard={bulk.startOver} />
              <RowValuesInput
                own={bulk.own}
                labels={bulk.isTable ? undefined : [...plan.eligible, ...plan.skipped].map(({ item }) => item.label)}
                file={action.file}
              />
              {action.inputs?.({ input, change: bulk.change, strict: bulk.strict, hasRowValues: bulk.own.hasRowValues })}
              {bulk.since.size > 0 && (
                <Banner tone="warn" title={t('staleTitle', { n: bulk.since.size })} action={<Button onClick={bulk.readAgain}>{t('readAgain')}</Button>}>
                  {t('staleHint')}
                </Banner>
              )}
              <Preview action={action} bulk={bulk} rowId={props.rowId} />
              {action.isAtomic === true && <Text c="dimmed">{t('atomic')}</Text>}
            </>
          )}
          {(phase === 'running' || phase === 'broken' || phase === 'done') && <RunOutcome bulk={bulk} action={action} rows={rows ?? []} rowId={props.rowId} />}
          <Buttons bulk={bulk} action={action} rowId={props.rowId} list={props.list} close={close} />
        </Stack>
      </form>
    </Dialog>
  );
}

interface Parts<Row, Input extends object> {
  bulk: Bulk<Row, Input>;
  action: BulkAction<Row, Input>;
  rowId: (row: Row) => string;
}

/** The progress and the verdict of each row. */
function RunOutcome<Row, Input extends object>({ bulk, action, rows, rowId }: Parts<Row, Input> & { rows: readonly Row[] }): ReactNode {
  const t = useText(bulkMessages);
  const { phase, job, details, error } = bulk;
  if (job === undefined) return null;
  const results = resultsOf(job);
  const left = results.filter(isLeft).length;
  const proposals = new Map(results.flatMap(({ proposal }) => (proposal === undefined ? [] : [[proposal.id, proposal] as const])));
  const done = results.filter(({ verdict }) => verdict === 'done' || verdict === 'gone').length;
  const unknown = results.filter(({ verdict }) => verdict === 'unknown').length;
  const inTheWay = results.filter(({ verdict }) => verdict === 'changed' || verdict === 'rejected' || verdict === 'gone').length;
  const isStopped = action.isAtomic === true && phase === 'done' && left > 0;
  const allDone = job.isUndo === true ? action.undo?.done(done) : action.labels.done?.(done, job.input);
  return (
    <>
      {phase === 'broken' && (
        <Banner tone="warn" title={unknown > 0 ? t('interruptedUnknown', { n: unknown }) : t('interrupted', { n: left })}>
          {t('interruptedHint')}
        </Banner>
      )}
      {phase === 'broken' && error !== undefined && (unknown === 0 || isProblem(error, 'key_expired')) && <ProblemBanner error={error} />}
      {isStopped && inTheWay > 0 && (
        <Banner tone="warn" title={t('nothingDone', { n: inTheWay })}>
          {t(job.isUndo === true ? 'nothingUndoneHint' : 'nothingDoneHint')}
        </Banner>
      )}
      {[...proposals.values()].map((approval) => (
        <Proposed key={approval.id} approval={approval} />
      ))}
      {phase === 'done' && left === 0 && done > 0 && allDone !== undefined && <Banner tone="ok" title={allDone} />}
      {action.isAtomic !== true && (
        <>
          <Progress value={(100 * job.results.length) / Math.max(1, results.length)} aria-label={t('progressLabel')} />
          <Text role="status" className="tabular">
            {phase === 'running' ? t('progress', { done: job.results.length, total: results.length }) : t('finished', { done, failed: left })}
          </Text>
        </>
      )}
      {phase === 'done' && left > 0 && !isStopped && !bulk.isTable && <Text>{t('stillChosen')}</Text>}
      {phase !== 'running' && <Verdicts results={results} details={details} action={action} rows={new Map(rows.map((row) => [rowId(row), row]))} />}
    </>
  );
}

function Buttons<Row, Input extends object>({ bulk, action, rowId, list, close }: Parts<Row, Input> & { list: string; close: () => void }) {
  const t = useText(bulkMessages);
  const ask = useConfirm();
  const { phase, plan, job, details, rows, input } = bulk;
  const save = useSaveVerdicts(`${list.replaceAll('/', '-')}-${action.id}.csv`, action);
  const results = job === undefined ? [] : resultsOf(job);
  const isStopped = action.isAtomic === true && phase === 'done' && results.some(isLeft);
  const verdictOf = (row: Row) => results.find(({ id }) => id === rowId(row))?.verdict;
  const unopposed = (rows ?? []).filter((row) => verdictOf(row) === 'stopped');
  const isUndo = job?.isUndo === true;
  const leaveOut = () => {
    if (isUndo) bulk.onlyFor(results.filter(({ verdict }) => verdict === 'stopped').map(({ item }) => item));
    else bulk.again(unopposed);
  };
  const current = (rows ?? []).flatMap((row) => (verdictOf(row) === 'gone' || verdictOf(row) === undefined ? [] : (details.get(rowId(row))?.current ?? row)));
  const forget = async () => {
    if ((await ask({ title: t('forgetTitle'), body: t('forgetBody'), confirm: t('forget'), tone: 'warn' })) === undefined) return;
    bulk.giveUp();
    close();
  };
  return (
    <FormFoot>
      {phase === 'broken' && (
        <Button variant="subtle" color="gray" mr="auto" disabled={bulk.isElsewhere} onClick={() => void forget()}>
          {t('forget')}
        </Button>
      )}
      {(phase === 'done' || phase === 'broken') && <Button onClick={() => save(results, plan.skipped)}>{t('csv')}</Button>}
      {phase === 'running' && action.isAtomic !== true && (
        <Button disabled={bulk.isStopping} onClick={bulk.stop}>
          {t(bulk.isStopping ? 'stopping' : 'stop')}
        </Button>
      )}
      {phase !== 'running' && <Button onClick={close}>{t(phase === 'done' || phase === 'broken' ? 'close' : 'back')}</Button>}
      {isStopped && (
        <Button disabled={unopposed.length === 0} onClick={leaveOut}>
          {t('leaveOut')}
        </Button>
      )}
      {bulk.linesLeft > 0 && <Button onClick={bulk.continueRemaining}>{t('continueRemaining', { n: bulk.linesLeft })}</Button>}
      {bulk.undoable.length > 0 && <Button onClick={bulk.undo}>{t('undo', { n: bulk.undoable.length })}</Button>}
      {isStopped && !isUndo && details.size > 0 && (
        <Button variant="filled" disabled={current.length === 0} onClick={() => bulk.again(current)}>
          {t('continueWithCurrent')}
        </Button>
      )}
      {phase === 'broken' && (
        <Button variant="filled" loading={bulk.isElsewhere} onClick={bulk.resume}>
          {t('resume')}
        </Button>
      )}
      {phase === 'preview' && (
        <Button
          type="submit"
          variant="filled"
          color={action.isDangerous?.(input) === true ? 'bad' : 'accent'}
          disabled={plan.eligible.length === 0 || bulk.missing > 0 || action.isBlank?.(input) === true}
        >
          {action.labels.confirm(plan.eligible.length, input)}
        </Button>
      )}
      {phase === 'running' && action.isAtomic === true && <Button variant="filled" loading />}
    </FormFoot>
  );
}
