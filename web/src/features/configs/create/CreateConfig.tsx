import { SegmentedControl, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isProblem, type ApiProblem, type FieldProblem } from '@/api';
import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useProblemText, useRuleText, useToasts, When } from '@/ui';
import { configMessages } from '../messages';
import { createConfig, valueTypes, type Config } from '../queries';
import { emptyDraft, fieldAt, indented, readDraft, type ConfigDraft, type DraftField } from './draft';
import { createMessages } from './messages';
import { useFaultText } from './useFaultText';
import { ValueInput } from './ValueInput';

export function CreateConfig({ onClose }: { onClose: () => void }) {
  const t = useText(createMessages);
  const labels = useText(configMessages);
  const ruleText = useRuleText();
  const faultText = useFaultText();
  const toasts = useToasts();
  const navigate = useNavigate();
  const keyed = useKeyedForm<ConfigDraft, Config>({
    scope: 'configs/new',
    title: t('title'),
    topics: ['configs'],
    open: () => emptyDraft,
    isSecret: ({ secret }) => secret,
    isComplete: (draft) => Object.keys(readDraft(draft).faults).length === 0,
    send: (draft, key) => createConfig(readDraft(draft).body, key),
    onDone: ({ key }) => {
      toasts.done(t('created', { key }));
      onClose();
      void navigate({ to: '/configs/$key', params: { key } });
    },
  });
  const { form: draft, change, strict, error, isFixed } = keyed;
  const { faults } = readDraft(draft);
  const exists = isProblem(error, 'already_exists') ? error : undefined;
  const rejected = rejection(error, ruleText);
  const errorOf = (field: DraftField): ReactNode => {
    if (field === 'key' && exists !== undefined) return <Exists problem={exists} />;
    if (rejected[field] !== undefined) return rejected[field];
    const fault = faults[field];
    return strict && fault !== undefined ? faultText(fault) : undefined;
  };
  return (
    <FormDialog
      form={keyed}
      title={t('title')}
      confirm={t('create')}
      hasInput={(pointer) => fieldAt(pointer) !== undefined}
      renderRejection={() => exists && <></>}
      onClose={onClose}
    >
      <TextInput
        label={labels('key')}
        description={t('keyHint')}
        classNames={{ input: 'mono' }}
        disabled={isFixed}
        value={draft.key}
        error={errorOf('key')}
        onChange={(event) => change({ key: event.currentTarget.value.trim() })}
        data-autofocus
      />
      <div>
        <Text size="sm" fw={500} mb={4} id="new-config-type">
          {labels('type')}
        </Text>
        <SegmentedControl
          aria-labelledby="new-config-type"
          fullWidth
          disabled={isFixed}
          data={valueTypes.map((value) => ({ value, label: labels(`type_${value}`) }))}
          value={draft.valueType}
          onChange={(valueType) => change({ valueType })}
        />
      </div>
      <ValueInput
        label={labels('value')}
        type={draft.valueType}
        text={draft.text}
        disabled={isFixed}
        error={errorOf('value')}
        onChange={(text) => change({ text })}
      />
      <TextInput
        label={labels('remark')}
        description={t('remarkHint')}
        maxLength={500}
        disabled={isFixed}
        value={draft.remark}
        error={errorOf('remark')}
        onChange={(event) => change({ remark: event.currentTarget.value })}
      />
      <Textarea
        label={t('schema')}
        description={t('schemaHint')}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        disabled={isFixed}
        value={draft.schema}
        error={errorOf('schema')}
        onChange={(event) => change({ schema: event.currentTarget.value })}
        onBlur={() => {
          const pretty = indented(draft.schema);
          if (pretty !== draft.schema) change({ schema: pretty });
        }}
      />
      <Switch
        label={labels('protected')}
        description={labels('protectedHint')}
        disabled={isFixed}
        checked={draft.protected}
        onChange={(event) => change({ protected: event.currentTarget.checked })}
      />
      <Switch
        label={labels('secret')}
        description={draft.secret ? `${labels('secretHint')} ${labels('noDraft')}` : labels('secretHint')}
        disabled={isFixed}
        checked={draft.secret}
        error={errorOf('secret')}
        onChange={(event) => change({ secret: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}

/** The user who already created the key, and when. */
function Exists({ problem }: { problem: ApiProblem }) {
  const t = useText(createMessages);
  const text = useProblemText();
  const { current } = problem.as<{ current?: Config }>();
  if (current === undefined) return text(problem);
  return t.rich('exists', { key: <code>{current.key}</code>, who: current.updatedBy.name, when: <When time={current.updatedTime} /> });
}

/** The messages for the errors that the service reported, by input. */
function rejection(error: unknown, say: (field: FieldProblem) => string): Partial<Record<DraftField, string>> {
  if (!isProblem(error)) return {};
  const found: Partial<Record<DraftField, string>> = {};
  for (const field of error.fields) {
    const at = fieldAt(field.pointer);
    if (at === undefined) continue;
    const message = say(field);
    const text = at.within === '' ? message : `${at.within}: ${message}`;
    found[at.field] = found[at.field] === undefined ? text : `${found[at.field] ?? ''} · ${text}`;
  }
  return found;
}
