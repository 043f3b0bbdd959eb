import { Group, NativeSelect, SegmentedControl, Text, TextInput } from '@mantine/core';
import { isProblem, orMissing, type FieldProblem } from '@/api';
import { useText } from '@/i18n';
import { diff, encode, parse } from '@/merge';
import { Difference, useRuleText, When, type BulkAction, type InputProps, type Watched } from '@/ui';
import { readValue } from '../create/draft';
import { useFaultText } from '../create/useFaultText';
import { ValueInput } from '../create/ValueInput';
import { contentOfConfig } from '../editor/form';
import { ConfigValue, ValuePreview } from '../list/ValuePreview';
import { configMessages } from '../messages';
import { changeConfigs, readConfig, valueTypes, type BatchMember, type Config, type ValueType } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import { batchMessages } from './messages';
import { changeOf, conflictResults, maxChanges, rejectionResults, skipReason, undoOf, type BatchForm } from './plan';

/** How the list detects that other users changed chosen configs. */
export const watchedConfigs: Watched<Config> = {
  topic: 'configs',
  key: ({ key }) => key,
  etag: ({ etag }) => etag,
  read: ({ key }) => orMissing(readConfig(key)),
};

/** Changes or deletes many configs in one transaction. */
export function useConfigBatch(): BulkAction<Config, BatchForm> {
  const t = useText(batchMessages);
  const labels = useConfigLabels();
  const ruleText = useRuleText();
  return {
    id: 'batch',
    labels: {
      button: t('button'),
      title: (n) => t('title', { n }),
      confirm: (n, { kind }) => t(`go_${kind}`, { n }),
      done: (n, { kind }) => t(`done_${kind}`, { n }),
    },
    isDangerous: ({ kind }) => kind === 'delete',
    size: maxChanges,
    maxRows: maxChanges,
    isAtomic: true,
    open: (some) => ({ kind: 'value', type: some?.valueType ?? 'string', text: '', remark: '', note: '' }),
    isBlank,
    isComplete: ({ kind, type, text }) => kind !== 'value' || readValue(type, text).fault === undefined,
    inputs: (props) => <Inputs {...props} />,
    skip: (config, input) => {
      const reason = skipReason(config, input);
      return reason && t(`skip_${reason}`);
    },
    preview: (config, input) => <Becomes config={config} input={input} />,
    item: (config, input) => ({ id: config.key, label: config.key, values: encode(changeOf(config, input)) }),
    send: async (items, { note }, key) => {
      const done = await changeConfigs({ note: note.trim(), changes: items.map(({ values: own = '{}' }) => parse(own)) }, key);
      return items.map(({ id }, i) => ({ id, verdict: 'done', etag: done[i]?.etag }));
    },
    undo: {
      item: ({ etag }, input, config) => {
        const change = config && undoOf(config, etag, input);
        return change && { id: config.key, label: config.key, values: encode(change) };
      },
      input: (input) => ({ ...input, note: t('undoNote', { note: input.note }).trim().slice(0, 500) }),
      done: (n) => t('undone', { n }),
    },
    resultsOnError: (error, items) => {
      if (isProblem(error, 'batch_conflict')) return conflictResults(items, (error.body as unknown as { conflicts: BatchMember[] }).conflicts);
      return isProblem(error, 'validation_failed') ? rejectionResults(items, error.fields, (field: FieldProblem) => ruleText(field)) : undefined;
    },
    describe: ({ verdict, current }, before) =>
      verdict === 'changed' &&
      current !== undefined && (
        <>
          {t.rich('changedBy', { who: current.updatedBy.name, when: <When time={current.updatedTime} /> })}
          {before !== undefined && <Difference changes={diff(contentOfConfig(before), contentOfConfig(current))} labels={labels} />}
        </>
      ),
  };
}

/** An empty value is only possible in the editor of one config. */
const isBlank = ({ kind, text }: BatchForm) => kind === 'value' && text.trim() === '';

function Inputs({ input, change, strict }: InputProps<BatchForm>) {
  const t = useText(batchMessages);
  const configs = useText(configMessages);
  const faultText = useFaultText();
  const { kind, type, text, remark, note } = input;
  const { fault } = readValue(type, text);
  return (
    <>
      <SegmentedControl
        aria-label={t('what')}
        data={(['value', 'remark', 'delete'] as const).map((value) => ({ value, label: t(value) }))}
        value={kind}
        onChange={(next) => change({ kind: next })}
      />
      {kind === 'value' && (
        <Group align="flex-start" grow preventGrowOverflow={false} wrap="wrap">
          <NativeSelect
            label={t('ofType')}
            maw={160}
            miw={130}
            data={valueTypes.map((value) => ({ value, label: configs(`type_${value}`) }))}
            value={type}
            onChange={(event) => change({ type: event.currentTarget.value as ValueType })}
          />
          <div style={{ flex: '1 1 220px' }}>
            <ValueInput
              label={t('newValue')}
              type={type}
              text={text}
              error={strict && fault !== undefined && faultText(fault)}
              onChange={(typed) => change({ text: typed })}
            />
          </div>
        </Group>
      )}
      {kind === 'remark' && (
        <TextInput label={t('newRemark')} maxLength={500} value={remark} onChange={(event) => change({ remark: event.currentTarget.value })} />
      )}
      <TextInput label={t('note')} description={t('noteHint')} maxLength={500} value={note} onChange={(event) => change({ note: event.currentTarget.value })} />
    </>
  );
}

/** The change of one config: the value before and after. */
function Becomes({ config, input }: { config: Config; input: BatchForm }) {
  const t = useText(batchMessages);
  const { kind, type, text, remark } = input;
  if (kind === 'delete') return <Text c="bad">{t('deleted')}</Text>;
  const value = (one: string) => (one === '' ? t('emptyRemark') : one);
  const after = readValue(type, text).value;
  return (
    <span>
      {kind === 'remark' ? value(config.remark) : <ConfigValue config={config} />} <span aria-hidden="true">→</span>{' '}
      <strong>{kind === 'remark' ? value(remark.trim()) : isBlank(input) || after === undefined ? '…' : <ValuePreview value={after} />}</strong>
    </span>
  );
}
