import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { isProblem, keepsKey, useIdempotencyKey } from '@/api';
import { randomId } from '@/browser/id';
import { useText } from '@/i18n';
import { Banner, ProblemBanner, useProblemText, useRuleText, OutcomeNotice } from '@/ui';
import { csv, download } from '@/ui/table';
import { exportConfigs, importConfigs, type Imported, type OnExisting } from '../queries';
import { byKey, importOf, longestDocument, readDocument, reasonOf, rowsOf, stepText, type ImportDocument, type ImportRow, type Unusable } from './document';
import { FilePicker } from './FilePicker';
import { ImportVerdicts } from './ImportVerdicts';
import { importMessages } from './messages';

const policies: OnExisting[] = ['update', 'skip', 'fail'];

interface Chosen {
  name: string;
  document: ImportDocument;
}

interface Report {
  rows: ImportRow[];
  counts: Imported['counts'];
}

/** Brings a document of configs in: says for each entry what would become of it, then does it, all or nothing. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = useText(importMessages);
  const ruleText = useRuleText();
  const queries = useQueryClient();
  const { key, renew } = useIdempotencyKey('configs/import');
  const [chosen, setChosen] = useState<Chosen>();
  const [unusable, setUnusable] = useState<Unusable | { kind: 'unread' }>();
  const [onExisting, setOnExisting] = useState<OnExisting>('update');
  const [note, setNote] = useState('');
  const check = useMutation({
    mutationFn: async ({ document, policy }: { document: ImportDocument; policy: OnExisting }): Promise<Report> =>
      reportOf(await importConfigs(importOf(document, policy, ''), true, randomId()), document),
  });
  const run = useMutation({
    mutationFn: ({ document }: Chosen) => importConfigs(importOf(document, onExisting, note.trim()), false, key),
    onSuccess: renew,
    onError: (error) => {
      if (!keepsKey(error)) renew();
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['configs'] }),
  });

  const take = async (file: File) => {
    run.reset();
    check.reset();
    setChosen(undefined);
    setUnusable(undefined);
    const read =
      file.size > longestDocument
        ? { unusable: { kind: 'tooLong' as const } }
        : await file.text().then(readDocument, () => ({ unusable: { kind: 'unread' as const } }));
    if ('unusable' in read) {
      setUnusable(read.unusable);
      return;
    }
    setChosen({ name: file.name, document: read.document });
    check.mutate({ document: read.document, policy: onExisting });
  };
  const choosePolicy = (policy: OnExisting) => {
    setOnExisting(policy);
    run.reset();
    if (chosen !== undefined) check.mutate({ document: chosen.document, policy });
  };

  const done = run.data;
  const refused = refusalOf(run.error);
  const report =
    chosen === undefined ? undefined : refused === undefined ? check.data : { ...refused, rows: rowsOf(refused.verdicts, chosen.document, new Map()) };
  const changes = report === undefined ? 0 : report.counts.create + report.counts.update;
  const inTheWay = report === undefined ? 0 : report.counts.invalid + report.counts.conflict;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (chosen !== undefined && changes > 0 && inTheWay === 0 && refused === undefined) run.mutate(chosen);
  };
  const save = () =>
    download(
      'configs-import.csv',
      csv([
        [t('key'), t('verdicts'), t('detail')],
        ...(report?.rows ?? []).map((row) => [
          row.key,
          t(`verdict_${row.verdict}`),
          [...row.steps.map(stepText), reasonOf(row, ruleText)].filter(Boolean).join('; '),
        ]),
      ]),
    );
  const close = () => {
    if (!run.isPending) onClose();
  };
  return (
    <Modal opened onClose={close} withCloseButton={false} size="xl" title={t('title')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <OutcomeNotice requestKey={key} />
          {done === undefined && <FilePicker chosen={chosen !== undefined} onFile={(file) => void take(file)} />}
          {unusable !== undefined && (
            <Banner tone="bad" title={unusable.kind === 'noJson' ? t('unusable_noJson', { line: String(unusable.line) }) : t(`unusable_${unusable.kind}`)} />
          )}
          {check.error !== null && <Refusal error={check.error} />}
          {run.error !== null &&
            (refused === undefined ? (
              <ProblemBanner error={run.error} />
            ) : (
              <Banner tone="warn" title={t('refused')} action={<Button onClick={() => choosePolicy(onExisting)}>{t('checkAgain')}</Button>} />
            ))}
          {done !== undefined && (
            <Banner tone="ok" title={t('done', { created: done.counts.create, changed: done.counts.update, same: done.counts.unchanged + done.counts.skip })} />
          )}
          {chosen !== undefined && <Text fw={600}>{t('file', { name: chosen.name, n: chosen.document.configs.length })}</Text>}
          {chosen !== undefined && done === undefined && (
            <>
              <NativeSelect
                label={t('onExisting')}
                data={policies.map((value) => ({ value, label: t(`existing_${value}`) }))}
                value={onExisting}
                disabled={run.isPending}
                onChange={(event) => choosePolicy(event.currentTarget.value as OnExisting)}
              />
              <TextInput label={t('note')} description={t('noteHint')} maxLength={500} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
              {check.isPending && <Text role="status">{t('checking')}</Text>}
              {inTheWay > 0 && (
                <Banner tone="warn" title={t('inTheWay', { n: inTheWay })}>
                  {t('inTheWayHint')}
                </Banner>
              )}
              {report !== undefined && inTheWay === 0 && changes === 0 && <Banner tone="info" title={t('nothingToDo')} />}
            </>
          )}
          {report !== undefined && <ImportVerdicts rows={report.rows} counts={report.counts} done={done !== undefined} />}
          <Group justify="flex-end">
            {report !== undefined && <Button onClick={save}>{t('csv')}</Button>}
            <Button onClick={close} disabled={run.isPending}>
              {t(done === undefined ? 'cancel' : 'close')}
            </Button>
            {chosen !== undefined && done === undefined && (
              <Button
                type="submit"
                variant="filled"
                loading={run.isPending}
                disabled={changes === 0 || inTheWay > 0 || refused !== undefined || check.isPending}
              >
                {t('go', { n: changes })}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** A document whose shape was refused says where; other problems as everywhere. */
function Refusal({ error }: { error: unknown }) {
  const t = useText(importMessages);
  const text = useProblemText();
  if (!isProblem(error, 'malformed_request', 'validation_failed')) return <ProblemBanner error={error} />;
  return (
    <Banner tone="bad" title={t('malformed')}>
      {text(error)}
    </Banner>
  );
}

/** The verdicts of an import that was refused; undefined when it is about something else. */
function refusalOf(error: unknown): Pick<Imported, 'verdicts' | 'counts'> | undefined {
  if (!isProblem(error, 'batch_conflict', 'validation_failed')) return undefined;
  const { verdicts, counts } = error.as<Partial<Imported>>();
  return verdicts === undefined || counts === undefined ? undefined : { verdicts, counts };
}

/** The verdicts with old and new beside them; where the old cannot be had, they stand alone. */
async function reportOf({ verdicts, counts }: Imported, document: ImportDocument): Promise<Report> {
  const differs = counts.update + counts.conflict + counts.skip > 0;
  const now = differs
    ? await exportConfigs(commonPrefix(verdicts.map(({ key }) => key))).then(byKey, () => new Map<string, never>())
    : new Map<string, never>();
  return { counts, rows: rowsOf(verdicts, document, now) };
}

/** What all keys begin with, so that no more is read than needed; undefined for nothing. */
function commonPrefix(keys: readonly string[]): string | undefined {
  const [first = '', ...rest] = keys;
  let length = first.length;
  for (const key of rest) while (!key.startsWith(first.slice(0, length))) length--;
  return length === 0 ? undefined : first.slice(0, length);
}
