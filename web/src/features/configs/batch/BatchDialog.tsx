import { Button, Group, Modal, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type SubmitEvent } from 'react';
import { isProblem, useIdempotencyKey, useLive, type FieldProblem, type PersonName, keepsKey } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner, useRuleText, OutcomeNotice } from '@/ui';
import { csv, download, type Selection } from '@/ui/table';
import { readValue } from '../create/draft';
import { useFaultText } from '../create/useFaultText';
import { ValueInput } from '../create/ValueInput';
import { preview } from '../list/preview';
import { configMessages } from '../messages';
import { changeConfigs, readConfig, readMatching, valueTypes, type BatchMember, type Config, type ConfigSearch, type ValueType } from '../queries';
import { BatchPreview, type Since } from './BatchPreview';
import { BatchVerdicts } from './BatchVerdicts';
import { batchMessages } from './messages';
import { batchOf, conflictVerdicts, planOf, refreshed, refusalVerdicts, unopposed, type BatchEdit, type RowVerdict } from './plan';

interface Props {
  search: ConfigSearch;
  selection: Selection<Config>;
  /** The rows as the list shows them now. */
  shown: readonly Config[];
  onClose: () => void;
}

type Outcome = { kind: 'done' | 'conflict' | 'refused'; verdicts: RowVerdict[] };

/**
 * Changes many configs in one transaction: says first what becomes of each, and of a
 * refusal who was faster with which.
 */
export function BatchDialog({ search, selection, shown, onClose }: Props) {
  const t = useText(batchMessages);
  const words = useText(configMessages);
  const faultText = useFaultText();
  const ruleText = useRuleText();
  const queries = useQueryClient();
  const { key, renew } = useIdempotencyKey('configs/batch');
  const { rows, setRows, count, since, error, setError, readAgain } = useRows({ search, selection, shown });
  const [kind, setKind] = useState<BatchEdit['kind']>('value');
  const [chosenType, setType] = useState<ValueType>();
  const [text, setText] = useState('');
  const [remark, setRemark] = useState('');
  const [note, setNote] = useState('');
  const [strict, setStrict] = useState(false);
  const [sending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();

  const type = chosenType ?? rows?.[0]?.valueType ?? 'string';
  const read = readValue(type, text);
  const edit: BatchEdit = kind === 'value' ? { kind, type, value: read.value } : kind === 'remark' ? { kind, remark: remark.trim() } : { kind };
  const { eligible, skipped } = planOf(rows ?? [], edit);
  const fault = kind === 'value' ? read.fault : undefined;

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (fault !== undefined || eligible.length === 0) return;
    setSending(true);
    setError(undefined);
    try {
      await changeConfigs(batchOf(eligible, edit, note.trim()), key);
      renew();
      setOutcome({ kind: 'done', verdicts: eligible.map((config) => ({ config, verdict: 'done', detail: '' })) });
      selection.keep(new Set(skipped.filter(({ reason }) => reason === 'overLimit').map(({ config }) => config.key)));
    } catch (problem) {
      if (!keepsKey(problem)) renew();
      const refused = outcomeOf(problem, eligible, ruleText);
      if (refused === undefined) setError(problem);
      setOutcome(refused);
    } finally {
      setSending(false);
      void queries.invalidateQueries({ queryKey: ['configs'] });
    }
  };
  const goOnWith = (configs: Config[]) => {
    setRows(configs);
    setOutcome(undefined);
  };
  const save = () =>
    download(
      'configs-batch.csv',
      csv([
        [words('key'), t('verdicts'), t('detail')],
        ...(outcome?.verdicts ?? []).map(({ config, verdict, detail, current }) => [
          config.key,
          t(`word_${verdict}`),
          current === undefined ? detail : `${current.updatedBy.name}, ${current.updatedTime}: ${preview(current.value)}`,
        ]),
        ...skipped.map(({ config, reason }) => [config.key, t('word_skipped'), t(`skip_${reason}`)]),
      ]),
    );
  const close = () => {
    if (!sending) onClose();
  };
  const stopped = outcome?.verdicts.filter(({ verdict }) => verdict !== 'stopped' && verdict !== 'done').length ?? 0;
  return (
    <Modal opened onClose={close} withCloseButton={false} size="xl" title={t('title', { n: rows?.length ?? count })}>
      <form onSubmit={(event) => void send(event)} noValidate>
        <Stack gap="md">
          <OutcomeNotice requestKey={key} />
          {error !== undefined && <ProblemBanner error={error} />}
          {rows === undefined && error === undefined && <Text role="status">{t('reading', { n: count })}</Text>}
          {outcome === undefined && rows !== undefined && (
            <>
              <SegmentedControl
                aria-label={t('what')}
                data={(['value', 'remark', 'delete'] as const).map((value) => ({ value, label: t(value) }))}
                value={kind}
                onChange={(next) => setKind(next)}
              />
              {kind === 'value' && (
                <Group align="flex-start" grow preventGrowOverflow={false} wrap="wrap">
                  <NativeSelect
                    label={t('ofType')}
                    maw={160}
                    miw={130}
                    data={valueTypes.map((value) => ({ value, label: words(`type_${value}`) }))}
                    value={type}
                    onChange={(event) => setType(event.currentTarget.value as ValueType)}
                  />
                  <div style={{ flex: '1 1 220px' }}>
                    <ValueInput label={t('newValue')} type={type} text={text} error={strict && fault !== undefined && faultText(fault)} onChange={setText} />
                  </div>
                </Group>
              )}
              {kind === 'remark' && (
                <TextInput label={t('newRemark')} maxLength={500} value={remark} onChange={(event) => setRemark(event.currentTarget.value)} />
              )}
              <TextInput label={t('note')} description={t('noteHint')} maxLength={500} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
              {since.size > 0 && (
                <Banner tone="warn" title={t('staleTitle', { n: since.size })} action={<Button onClick={() => void readAgain()}>{t('readAgain')}</Button>}>
                  {t('staleHint')}
                </Banner>
              )}
              <BatchPreview edit={edit} eligible={eligible} skipped={skipped} since={since} />
              <Text c="dimmed">{t(kind === 'delete' ? 'deleteHint' : 'allOrNothing')}</Text>
            </>
          )}
          {outcome?.kind === 'done' && <Banner tone="ok" title={t(`done_${kind}`, { n: outcome.verdicts.length })} />}
          {outcome !== undefined && outcome.kind !== 'done' && (
            <Banner tone="warn" title={t(`${outcome.kind}Title`, { n: stopped })}>
              {t('conflictHint')}
            </Banner>
          )}
          {outcome !== undefined && <BatchVerdicts verdicts={outcome.verdicts} />}
          <Group justify="flex-end">
            {outcome !== undefined && <Button onClick={save}>{t('csv')}</Button>}
            <Button onClick={close} disabled={sending}>
              {t(outcome === undefined ? 'back' : 'close')}
            </Button>
            {outcome !== undefined && outcome.kind !== 'done' && (
              <Button
                variant={outcome.kind === 'refused' ? 'filled' : 'default'}
                disabled={unopposed(outcome.verdicts).length === 0}
                onClick={() => goOnWith(unopposed(outcome.verdicts))}
              >
                {t('leaveOut')}
              </Button>
            )}
            {outcome?.kind === 'conflict' && (
              <Button variant="filled" disabled={refreshed(outcome.verdicts).length === 0} onClick={() => goOnWith(refreshed(outcome.verdicts))}>
                {t('tryAgain')}
              </Button>
            )}
            {outcome === undefined && (
              <Button type="submit" variant="filled" color={kind === 'delete' ? 'bad' : 'accent'} loading={sending} disabled={eligible.length === 0}>
                {t(`go_${kind}`, { n: eligible.length })}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** What a refusal says of each config; undefined when it is about something else. */
function outcomeOf(problem: unknown, configs: readonly Config[], say: (field: FieldProblem) => string): Outcome | undefined {
  if (isProblem(problem, 'batch_conflict')) {
    const { conflicts } = problem.body as unknown as { conflicts: BatchMember[] };
    return { kind: 'conflict', verdicts: conflictVerdicts(configs, conflicts) };
  }
  if (!isProblem(problem, 'validation_failed')) return undefined;
  const verdicts = refusalVerdicts(configs, problem.fields, say);
  return verdicts.some(({ verdict }) => verdict === 'refused') ? { kind: 'refused', verdicts } : undefined;
}

/** The chosen configs, as they were when the dialog opened, and who has changed which since. */
function useRows({ search, selection, shown }: Pick<Props, 'search' | 'selection' | 'shown'>) {
  // What was chosen when the dialog opened; of what the list shows, as it shows it.
  const [chosen] = useState(selection);
  const [rows, setRows] = useState<readonly Config[] | undefined>(() => {
    const now = new Map(shown.map((config) => [config.key, config]));
    return selection.all ? undefined : selection.rows.map((config) => now.get(config.key) ?? config);
  });
  const [count, setCount] = useState(0);
  const [changes, setChanges] = useState<ReadonlyMap<string, Since>>(new Map());
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    if (!chosen.all) return undefined;
    const abort = new AbortController();
    readMatching(search, chosen.except, setCount, abort.signal).then(
      (found) => {
        chosen.setMany(found, true);
        setRows(found);
      },
      (problem: unknown) => {
        if (!abort.signal.aborted) setError(problem);
      },
    );
    return () => abort.abort();
    // The choice is frozen, and the filters cannot change below the dialog.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [chosen]);

  useLive('configs', ({ key, payload }) => {
    if (key === '') return;
    setChanges((before) =>
      new Map(before).set(key, { etag: String(payload.etag), who: payload.changedBy as PersonName, deleted: payload.action === 'delete' }),
    );
  });

  const since = new Map(
    (rows ?? []).flatMap(({ key, etag }) =>
      [changes.get(key)].filter((change) => change !== undefined && change.etag !== etag).map((change) => [key, change as Since] as const),
    ),
  );
  const readAgain = async () => {
    try {
      const current = new Map(await Promise.all([...since.keys()].map(async (key) => [key, await readOrGone(key)] as const)));
      setRows((before) => before?.flatMap((config) => (current.has(config.key) ? (current.get(config.key) ?? []) : config)));
      setError(undefined);
    } catch (problem) {
      setError(problem);
    }
  };
  return { rows, setRows, count, since, error, setError, readAgain };
}

async function readOrGone(key: string): Promise<Config | undefined> {
  try {
    return await readConfig(key);
  } catch (problem) {
    if (isProblem(problem, 'not_found')) return undefined;
    throw problem;
  }
}
