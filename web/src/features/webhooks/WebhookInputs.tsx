import { MultiSelect, Radio, Stack, TagsInput, TextInput } from '@mantine/core';
import { useText } from '@/i18n';
import { useFieldErrorText } from '@/ui';
import { filters, isAddress, topics, useTopicName, type WebhookFields } from './fields';
import { webhookMessages } from './messages';

interface Props {
  value: WebhookFields;
  onChange: (change: Partial<WebhookFields>) => void;
  /** Whether to show missing inputs: the user has tried to save. */
  strict: boolean;
  /** The rejection, which may concern a field. */
  error: Error | null;
  readOnly?: boolean;
}

/** The inputs of a webhook: its address, the topics and filters of its messages, and their extent. */
export function WebhookInputs({ value, onChange, strict, error, readOnly = false }: Props) {
  const t = useText(webhookMessages);
  const topicName = useTopicName();
  const rejected = useFieldErrorText(error);
  // The options belong to the dialog of the input.
  const options = { comboboxProps: { withinPortal: false }, readOnly, clearable: !readOnly };
  return (
    <Stack gap="md">
      <TextInput
        label={t('url')}
        description={t('urlHint')}
        placeholder="https://shop.example.com/hooks"
        type="url"
        maxLength={2000}
        classNames={{ input: 'mono' }}
        data-field="url"
        readOnly={readOnly}
        value={value.url}
        error={strict && !isAddress(value.url) ? t('urlWrong') : rejected('/url')}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
        data-autofocus
      />
      <MultiSelect
        label={t('topics')}
        description={t('topicsHint')}
        data={topics.map((topic) => ({ value: topic, label: topicName(topic) }))}
        searchable
        data-field="topics"
        value={value.topics}
        error={strict && value.topics.length === 0 ? t('topicsNeeded') : rejected('/topics')}
        onChange={(chosen) => onChange({ topics: chosen })}
        {...options}
      />
      {filters.map((name) => (
        <TagsInput
          key={name}
          label={t(name)}
          description={t(`${name}Hint`)}
          data-field={name}
          value={value[name]}
          error={rejected(`/filter/${name}`)}
          onChange={(given) => onChange({ [name]: given })}
          {...options}
        />
      ))}
      <Radio.Group label={t('content')} value={value.content} onChange={(content) => onChange({ content: content })}>
        <Stack gap="xs" mt={6}>
          <Radio value="thin" label={t('thin')} description={t('thinHint')} disabled={readOnly} />
          <Radio value="full" label={t('full')} description={t('fullHint')} disabled={readOnly} />
        </Stack>
      </Radio.Group>
    </Stack>
  );
}
