import { Button, Group, Modal, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { isProblem, useIdempotencyKey, type ApiProblem, type FieldProblem, keepsKey } from '@/api';
import { useText } from '@/i18n';
import { Banner, ProblemBanner, useProblemText, useRuleText, useToasts, When, OutcomeNotice } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { configMessages } from '../messages';
import { createConfig, valueTypes, type Config } from '../queries';
import { fieldAt, indented, readDraft, type DraftField } from './draft';
import { createMessages } from './messages';
import { useFaultText } from './useFaultText';
import { useKeptDraft } from './useKeptDraft';
import { ValueInput } from './ValueInput';

/** The dialog that adds a config. What is typed is kept until the config exists. */
export function CreateConfig({ onClose }: { onClose: () => void }) {
  const t = useText(createMessages);
  const ruleText = useRuleText();
  const words = useText(configMessages);
  const ui = useText(uiMessages);
  const faultText = useFaultText();
  const toasts = useToasts();
  const queries = useQueryClient();
  const { key, renew } = useIdempotencyKey('configs/new');
  const { draft, restored, change, discard } = useKeptDraft();
  const [strict, setStrict] = useState(false);
  const { body, faults } = readDraft(draft);
  const create = useMutation({
    mutationFn: () => createConfig(body, key),
    onSuccess: (config) => {
      renew();
      discard();
      void queries.invalidateQueries({ queryKey: ['configs'] });
      toasts.done(t('created', { key: config.key }));
      onClose();
    },
    onError: (error) => {
      if (!keepsKey(error)) renew();
    },
  });
  const refused = refusals(create.error, ruleText);
  const errorOf = (field: DraftField): ReactNode => {
    if (field === 'key' && isProblem(create.error, 'already_exists')) return <Exists problem={create.error} />;
    if (refused[field] !== undefined) return refused[field];
    const fault = faults[field];
    return strict && fault !== undefined ? faultText(fault) : undefined;
  };
  const type = (changed: Parameters<typeof change>[0]) => {
    change(changed);
    if (create.error !== null) create.reset();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setStrict(true);
    if (Object.keys(faults).length === 0) create.mutate();
  };
  const elsewhere = create.error !== null && !isProblem(create.error, 'already_exists') && !(isProblem(create.error) && areAllTold(create.error));
  return (
    <Modal opened onClose={onClose} size="lg" title={t('title')} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <OutcomeNotice requestKey={key} />
          {restored && <Banner tone="info" title={t('restored')} action={<Button onClick={discard}>{t('startAfresh')}</Button>} />}
          {elsewhere && <ProblemBanner error={create.error} told={isTold} />}
          <TextInput
            label={words('key')}
            description={t('keyHint')}
            classNames={{ input: 'mono' }}
            value={draft.key}
            error={errorOf('key')}
            onChange={(event) => type({ key: event.currentTarget.value.trim() })}
            data-autofocus
          />
          <div>
            <Text size="sm" fw={500} mb={4} id="new-config-type">
              {words('type')}
            </Text>
            <SegmentedControl
              aria-labelledby="new-config-type"
              fullWidth
              data={valueTypes.map((value) => ({ value, label: words(`type_${value}`) }))}
              value={draft.valueType}
              onChange={(valueType) => type({ valueType: valueType })}
            />
          </div>
          <ValueInput label={words('value')} type={draft.valueType} text={draft.text} error={errorOf('value')} onChange={(text) => type({ text })} />
          <TextInput
            label={words('remark')}
            description={t('remarkHint')}
            maxLength={500}
            value={draft.remark}
            error={errorOf('remark')}
            onChange={(event) => type({ remark: event.currentTarget.value })}
          />
          <Textarea
            label={t('schema')}
            description={t('schemaHint')}
            autosize
            minRows={2}
            maxRows={12}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={draft.schema}
            error={errorOf('schema')}
            onChange={(event) => type({ schema: event.currentTarget.value })}
            onBlur={() => {
              const pretty = indented(draft.schema);
              if (pretty !== draft.schema) type({ schema: pretty });
            }}
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>{ui('cancel')}</Button>
            <Button type="submit" variant="filled" loading={create.isPending}>
              {t('create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Who has the key already, and since when. */
function Exists({ problem }: { problem: ApiProblem }) {
  const t = useText(createMessages);
  const text = useProblemText();
  const { current } = problem.as<{ current?: Config }>();
  if (current === undefined) return text(problem);
  return t.rich('exists', { key: <code>{current.key}</code>, who: current.updatedBy.name, when: <When time={current.updatedTime} /> });
}

const isTold = (pointer: string) => fieldAt(pointer) !== undefined;

/** Whether inputs say all that is wrong. */
const areAllTold = ({ fields }: ApiProblem) => fields.length > 0 && fields.every(({ pointer }) => isTold(pointer));

/** What the service refused, by the input that it is about. */
function refusals(error: unknown, say: (field: FieldProblem) => string): Partial<Record<DraftField, string>> {
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
