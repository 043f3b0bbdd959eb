import { NativeSelect, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { diff, exact, inOrderOf } from '@/merge';
import { Difference, Section } from '@/ui';
import { CodeMerge } from '@/ui/code/Code';
import { contentOfConfig, formOf } from '../editor/form';
import type { ConfigRevision } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import styles from './History.module.css';
import { historyMessages } from './messages';

interface Props {
  configKey: string;
  versions: readonly ConfigRevision[];
  from: number;
  to: number;
}

/** The differences between two versions, by key path; long values side by side. */
export function VersionDiff({ configKey, versions, from, to }: Props) {
  const t = useText(historyMessages);
  const navigate = useNavigate();
  const [before, after] = [from, to].map((wanted) => versions.find(({ version }) => version === wanted));
  const data = versions.map(({ version }) => ({ value: String(version), label: t('versionOf', { version: String(version) }) }));
  const choose = (change: { from?: number; to?: number }) =>
    void navigate({ to: '/configs/$key', params: { key: configKey }, search: { tab: 'history', from, to, ...change }, replace: true });
  const missing = before === undefined ? from : to;
  return (
    <Section title={t('compareTitle')}>
      <div className={styles.choice}>
        <NativeSelect label={t('from')} data={data} value={String(from)} onChange={(event) => choose({ from: Number(event.currentTarget.value) })} />
        <NativeSelect label={t('to')} data={data} value={String(to)} onChange={(event) => choose({ to: Number(event.currentTarget.value) })} />
      </div>
      {before === undefined || after === undefined ? (
        <Text role="status">{t('missing', { version: String(missing) })}</Text>
      ) : (
        <Both before={before} after={after} />
      )}
    </Section>
  );
}

function Both({ before, after }: { before: ConfigRevision; after: ConfigRevision }) {
  const t = useText(historyMessages);
  const labels = useConfigLabels();
  const changes = diff(contentOfConfig(before), contentOfConfig(after));
  const masked = before.masked === true || after.masked === true;
  if (changes.length === 0) return <Text role="status">{t(masked ? 'sameButSecret' : 'sameContent')}</Text>;
  const left = formOf(before);
  const right = formOf({ ...after, ...inOrder(before, after) });
  const long = (['value', 'schema'] as const).filter((field) => left[field] !== right[field] && `${left[field]}${right[field]}`.includes('\n'));
  return (
    <>
      <Difference changes={changes} labels={labels} max={100} />
      {masked && <Text role="status">{t('valueWithheld')}</Text>}
      {long.map((field) => (
        <div key={field} className={styles.both}>
          <h3>{t('sideBySide', { field: labels.field(`/${field}`) })}</h3>
          <CodeMerge
            language={field === 'schema' || left.valueType === 'json' ? 'json' : 'text'}
            before={{ label: t('versionOf', { version: String(before.version) }), text: left[field] }}
            after={{ label: t('versionOf', { version: String(after.version) }), text: right[field] }}
          />
        </div>
      ))}
    </>
  );
}

/** Members of an object have no order, so a moved member is not a difference. */
function inOrder(before: ConfigRevision, after: ConfigRevision) {
  const { value, schema } = after;
  return {
    value: inOrderOf(exact(before.value), exact(value)),
    schema: schema === undefined || before.schema === undefined ? schema : inOrderOf(exact(before.schema), exact(schema)),
  };
}
